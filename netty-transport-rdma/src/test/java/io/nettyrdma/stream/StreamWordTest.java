// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Words and entries as octets, those of captures of rsockets in C among them. */
class StreamWordTest {

    private static String littleEndian(int word) {
        ByteBuf message = Unpooled.buffer().writeZero(StreamWord.BYTES);
        StreamWord.put(message, 0, word, false);
        return ByteBufUtil.hexDump(message);
    }

    /** Payload of a Send, its meaning, its value. */
    @ParameterizedTest
    @CsvSource({
        "10000000, DATA, 16",
        "05000000, DATA, 5",
        "40000000, DATA, 64",
        "ffffff1f, DATA, 536870911",
        "80010080, LIMIT, 384",
        "80000080, LIMIT, 128",
        "5aff0080, LIMIT, 65370",
        "27000180, LIMIT, 65575",
        "020000e0, SHUTDOWN, 2",
        "000000e0, DISCONNECT, 0",
        "414200e0, ABORT, 16961",
        "000000c0, IOMAP, 0",
        "030100c0, IOMAP, 259",
        "00000000, INVALID, 0",
        "01000020, INVALID, 1",
        "01000040, INVALID, 1",
        "01000060, INVALID, 1",
        "010000a0, INVALID, 1",
        "010000e0, INVALID, 1",
        "030000e0, INVALID, 3",
        "424100e0, INVALID, 16706",
    })
    void sendIsRead(String octets, StreamWord.Kind kind, int value) throws Exception {
        ByteBuf message = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump("ff" + octets));
        int word = StreamWord.read(message, 1, 4, false);
        assertThat(StreamWord.kind(word)).isEqualTo(kind);
        assertThat(StreamWord.value(word)).isEqualTo(value);
        assertThat(littleEndian(word)).isEqualTo(octets);
        assertThat(StreamWord.read(message, 1, 4, true)).isEqualTo(Integer.reverseBytes(word));
    }

    @Test
    void wordsAreMade() {
        assertThat(littleEndian(StreamWord.data(64))).isEqualTo("40000000");
        assertThat(littleEndian(StreamWord.limit(384))).isEqualTo("80010080");
        assertThat(StreamWord.limit(0x1_0027)).isEqualTo(0x8000_0027);
        assertThat(littleEndian(StreamWord.SHUTDOWN)).isEqualTo("020000e0");
        assertThat(littleEndian(StreamWord.DISCONNECT)).isEqualTo("000000e0");
        assertThat(littleEndian(StreamWord.ABORT)).isEqualTo("414200e0");
        ByteBuf message = Unpooled.buffer().writeZero(StreamWord.BYTES);
        StreamWord.put(message, 0, StreamWord.limit(384), true);
        assertThat(ByteBufUtil.hexDump(message)).isEqualTo("80000180");
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 1 << 29})
    void dataOfNoneOrTooManyBytesIsNotMade(int bytes) {
        assertThatThrownBy(() -> StreamWord.data(bytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("bytes: " + bytes + " (expected: 1 to 536870911)");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 5, 8})
    void sendOfAnotherSizeIsRefused(int octets) {
        assertThatThrownBy(() -> StreamWord.read(Unpooled.buffer(), 0, octets, false))
                .isExactlyInstanceOf(StreamProtocolException.class)
                .hasMessage("octets of a Send: " + octets + " (expected: 4)");
    }

    /** The second half of the ring of rstream, which it has published in entry 1. */
    @Test
    void entryOfRstreamIsReadAndMade() {
        byte[] entry = ByteBufUtil.decodeHexDump("00406d4af47f000000f589b900000800");
        ByteBuf table = Unpooled.buffer().writeZero(16).writeBytes(entry);
        assertThat(TargetEntry.address(table, 1, false)).isEqualTo(0x7ff44a6d4000L);
        assertThat(TargetEntry.key(table, 1, false)).isEqualTo(0xb989f500);
        assertThat(TargetEntry.bytes(table, 1, false)).isEqualTo(524_288);
        ByteBuf out = Unpooled.buffer().writeZero(17);
        TargetEntry.put(out, 1, false, 0x7ff44a6d4000L, 0xb989f500, 524_288);
        assertThat(out.slice(1, 16)).isEqualTo(Unpooled.wrappedBuffer(entry));
        assertThat(TargetEntry.addressOf(0x558e566ea000L, 1)).isEqualTo(0x558e566ea010L);
        TargetEntry.clear(table, 1);
        assertThat(TargetEntry.bytes(table, 1, false)).isZero();
        assertThat(TargetEntry.key(table, 1, false)).isEqualTo(0xb989f500);
    }

    @Test
    void entryInNetworkOrder() {
        ByteBuf table = Unpooled.buffer().writeZero(16);
        TargetEntry.put(table, 0, true, 0x0102030405060708L, 0x090a0b0c, -2);
        assertThat(ByteBufUtil.hexDump(table)).isEqualTo("0102030405060708090a0b0cfffffffe");
        assertThat(TargetEntry.address(table, 0, true)).isEqualTo(0x0102030405060708L);
        assertThat(TargetEntry.key(table, 0, true)).isEqualTo(0x090a0b0c);
        assertThat(TargetEntry.bytes(table, 0, true)).isEqualTo(0xffff_fffeL);
    }
}
