// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** FPDUs whose octets, CRC included, another implementation and Wireshark agree on. */
final class GoldenFpduTest {

    private static final String SEND_HEADER = "4143 00000000 00000000 00000001 00000000";

    static ByteBuffer hex(String text) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(text.replace(" ", "")));
    }

    private static Arguments vector(String name, String octets, Consumer<ByteBuffer> ulpdu) {
        return Arguments.of(name, octets, ulpdu);
    }

    private static Consumer<ByteBuffer> send(int opcode, int invalidate, int msn, String payload) {
        return out -> {
            Ddp.putUntagged(out, opcode, true, invalidate, Ddp.QUEUE_SEND, msn, 0);
            out.put(hex(payload));
        };
    }

    static Stream<Arguments> vectors() {
        return Stream.of(
                vector(
                        "Send of 24 zeros",
                        "002a" + SEND_HEADER + "00".repeat(24) + "b7243ec3",
                        send(3, 0, 1, "00".repeat(24))),
                vector("Send of abc", "0015" + SEND_HEADER + "616263 00 447065aa", send(3, 0, 1, "616263")),
                vector("empty Send", "0012" + SEND_HEADER + "587be8c4", send(3, 0, 1, "")),
                vector(
                        "Send with Invalidate",
                        "0016 4144 12345678 00000000 00000002 00000000 61626364 ea5e61fb",
                        send(4, 0x12345678, 2, "61626364")),
                vector(
                        "empty Write",
                        "000e c140 00000001 0000000000000000 ebd34c5f",
                        out -> Ddp.putTagged(out, RdmapOpcode.WRITE, true, 1, 0)),
                vector("Write", "0012 c140 11223344 8899aabbccddeeff 01020304 831c59fb", out -> {
                    Ddp.putTagged(out, RdmapOpcode.WRITE, true, 0x11223344, 0x8899aabbccddeeffL);
                    out.put(hex("01020304"));
                }),
                vector(
                        "Read Request",
                        "002e 4141 00000000 00000001 00000001 00000000 aabbcc01 0000000000001000 00010000 11223344"
                                + " 0000000000002000 a8a28a7c",
                        out -> {
                            Ddp.putUntagged(out, RdmapOpcode.READ_REQUEST, true, 0, Ddp.QUEUE_READ_REQUEST, 1, 0);
                            ReadRequest.put(out, 0xaabbcc01, 0x1000, 65536, 0x11223344, 0x2000);
                        }),
                vector("Read Response", "0013 c142 aabbcc01 0000000000001000 0102030405 000000 baaa182d", out -> {
                    Ddp.putTagged(out, RdmapOpcode.READ_RESPONSE, true, 0xaabbcc01, 0x1000);
                    out.put(hex("0102030405"));
                }),
                vector(
                        "Terminate, no buffer",
                        "002a 4147 00000000 00000002 00000001 00000000 1202c000 0022 4143 00000000 00000000 00000007"
                                + " 00000000 26858478",
                        out -> {
                            Ddp.putUntagged(out, RdmapOpcode.TERMINATE, true, 0, Ddp.QUEUE_TERMINATE, 1, 0);
                            byte[] segment = hex("4143 00000000 00000000 00000007 00000000 aabbccdd")
                                    .array();
                            Terminate.put(out, TerminateError.DDP_NO_BUFFER, segment, 34);
                        }),
                vector("Terminate, CRC", "0016 4147 00000000 00000002 00000001 00000000 20020000 7fe42585", out -> {
                    Ddp.putUntagged(out, RdmapOpcode.TERMINATE, true, 0, Ddp.QUEUE_TERMINATE, 1, 0);
                    Terminate.put(out, TerminateError.MPA_CRC, null, 0);
                }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("vectors")
    void encodesToTheOctetsOnTheWire(String name, String octets, Consumer<ByteBuffer> ulpdu) {
        ByteBuffer out = ByteBuffer.allocate(256);
        Fpdu fpdu = new Fpdu(true);
        int at = Fpdu.begin(out);
        ulpdu.accept(out);
        fpdu.end(out, at);
        assertThat(HexFormat.of().formatHex(out.array(), 0, out.position())).isEqualTo(octets.replace(" ", ""));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("vectors")
    void acceptsTheOctetsAndNoneThatDifferInOneBit(String name, String octets, Consumer<ByteBuffer> ulpdu) {
        ByteBuffer b = hex(octets);
        Fpdu fpdu = new Fpdu(true);
        assertThat(Fpdu.bytes(Fpdu.ulpduBytes(b, 0))).isEqualTo(b.capacity());
        assertThat(fpdu.verify(b, 0)).isTrue();
        for (int bit = 16; bit < b.capacity() * 8; bit++) {
            b.put(bit / 8, (byte) (b.get(bit / 8) ^ 1 << bit % 8));
            assertThat(fpdu.verify(b, 0)).as("bit %d", bit).isFalse();
            b.put(bit / 8, (byte) (b.get(bit / 8) ^ 1 << bit % 8));
        }
        assertThat(b.position()).isZero();
        assertThat(b.limit()).isEqualTo(b.capacity());
    }

    @Test
    void tellsTheFieldsOfATaggedHeader() {
        ByteBuffer b = hex("0012 c140 11223344 8899aabbccddeeff 01020304 831c59fb");
        assertThat(Ddp.isTagged(b, 2)).isTrue();
        assertThat(Ddp.isLast(b, 2)).isTrue();
        assertThat(Ddp.hasValidVersion(b, 2)).isTrue();
        assertThat(Ddp.hasValidRdmapVersion(b, 2)).isTrue();
        assertThat(Ddp.opcode(b, 2)).isEqualTo(RdmapOpcode.WRITE);
        assertThat(Ddp.stag(b, 2)).isEqualTo(0x11223344);
        assertThat(Ddp.taggedOffset(b, 2)).isEqualTo(0x8899aabbccddeeffL);
    }

    @Test
    void tellsTheFieldsOfAnUntaggedHeader() {
        ByteBuffer b = hex("0016 0144 12345678 00000005 00000002 00000009 61626364 00000000");
        assertThat(Ddp.isTagged(b, 2)).isFalse();
        assertThat(Ddp.isLast(b, 2)).isFalse();
        assertThat(Ddp.opcode(b, 2)).isEqualTo(RdmapOpcode.SEND_INVALIDATE);
        assertThat(Ddp.invalidateStag(b, 2)).isEqualTo(0x12345678);
        assertThat(Ddp.queueNumber(b, 2)).isEqualTo(5);
        assertThat(Ddp.messageSequence(b, 2)).isEqualTo(2);
        assertThat(Ddp.messageOffset(b, 2)).isEqualTo(9);
    }

    @Test
    void withoutCrcTheFieldIsZeroAndIgnored() {
        ByteBuffer out = ByteBuffer.allocate(64);
        Fpdu fpdu = new Fpdu(false);
        int at = Fpdu.begin(out);
        Ddp.putTagged(out, RdmapOpcode.WRITE, true, 1, 0);
        fpdu.end(out, at);
        assertThat(out.getInt(16)).isZero();
        out.putInt(16, 0xdeadbeef);
        assertThat(fpdu.verify(out, 0)).isTrue();
    }

    @Test
    void padIsCoveredByTheCrcWhateverItHolds() {
        // Linux leaves stale octets in the pad.
        ByteBuffer out = ByteBuffer.allocate(64);
        Fpdu fpdu = new Fpdu(true);
        int at = Fpdu.begin(out);
        Ddp.putTagged(out, RdmapOpcode.WRITE, true, 1, 0);
        out.put((byte) 'x');
        fpdu.end(out, at);
        out.put(17, (byte) 'a');
        assertThat(fpdu.verify(out, 0)).isFalse();
    }
}
