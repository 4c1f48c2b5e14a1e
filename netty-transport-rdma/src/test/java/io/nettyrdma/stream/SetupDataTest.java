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

/** The octets of a connection between rstream in C and itself, over siw, and every value that is refused. */
class SetupDataTest {

    private static final String RSTREAM_REQUEST =
            "01020180000000000000558e566ea000e66425000000000200007f660dcdf0003da9a20000080000";
    private static final String RSTREAM_REPLY =
            "010201800000000000007ff44400300058c8a4000000000200007ff44a654000b989f50000080000";

    static final SetupData OWN = new SetupData(false, 112, 0x1000, 7, 4, 0x2000, 8, 16384);

    private static ByteBuf octets(String hex) {
        return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex.replaceAll("[ |]", "")));
    }

    private static String encoded(SetupData data) {
        ByteBuf out = Unpooled.buffer(SetupData.BYTES);
        data.encode(out);
        return ByteBufUtil.hexDump(out);
    }

    @Test
    void requestOfRstreamIsRead() throws Exception {
        SetupData data = SetupData.decodeRequest(octets(RSTREAM_REQUEST));
        assertThat(data)
                .isEqualTo(new SetupData(
                        false, 384, 0x558e566ea000L, 0xe6642500, 2, 0x7f660dcdf000L, 0x3da9a200, 524_288));
        assertThat(encoded(data)).isEqualTo(RSTREAM_REQUEST);
    }

    @Test
    void replyOfRstreamIsRead() throws Exception {
        SetupData data = SetupData.decodeReply(octets(RSTREAM_REPLY), OWN);
        assertThat(data)
                .isEqualTo(new SetupData(
                        false, 384, 0x7ff444003000L, 0x58c8a400, 2, 0x7ff44a654000L, 0xb989f500, 524_288));
        assertThat(encoded(data)).isEqualTo(RSTREAM_REPLY);
    }

    @Test
    void ownDataHasItsOctets() {
        SetupData data = new SetupData(
                false, 112, 0xaaaa_aaaa_aaaa_aaaaL, 0x11111111, 4, 0xbbbb_bbbb_bbbb_bbbbL, 0x22222222, 16_384);
        assertThat(encoded(data))
                .isEqualTo(
                        "0102007000000000" + "aaaaaaaaaaaaaaaa1111111100000004" + "bbbbbbbbbbbbbbbb2222222200004000");
    }

    @Test
    void extremesAreReadAsTheyWereWritten() throws Exception {
        SetupData least = new SetupData(true, 16, 0, 0, 2, 0, 0, 1);
        SetupData most = new SetupData(false, 65_535, -1, -1, 256, -1, -1, 0xffff_ffffL);
        assertThat(SetupData.decodeRequest(octets(encoded(least)))).isEqualTo(least);
        assertThat(SetupData.decodeRequest(octets(encoded(most)))).isEqualTo(most);
    }

    @Test
    void padFlagsAndReservedOctetsAreIgnored() throws Exception {
        String other = "01fe0180ffffffff" + RSTREAM_REQUEST.substring(16) + "ff".repeat(16);
        assertThat(SetupData.decodeRequest(octets(other))).isEqualTo(SetupData.decodeRequest(octets(RSTREAM_REQUEST)));
    }

    @Test
    void dataMayStandBehindOtherOctets() throws Exception {
        ByteBuf data = octets("ffff" + RSTREAM_REQUEST).skipBytes(2);
        assertThat(SetupData.decodeRequest(data)).isEqualTo(SetupData.decodeRequest(octets(RSTREAM_REQUEST)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 39})
    void shortDataIsRefused(int octets) {
        refused(
                RSTREAM_REQUEST.substring(0, 2 * octets),
                "the peer is no byte stream, such as RdmaSocketChannel: it may be an RdmaChannel, which keeps messages"
                        + " apart; use the same kind on both sides (octets of the peer's private data: " + octets
                        + ", expected: 40 or more)");
    }

    /** A value in hexadecimal digits at an octet of the request, and why it is refused. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "0; 00; version of the peer: 0 (expected: 1)",
                "0; 02; version of the peer: 2 (expected: 1)",
                "2; 0000; private data of the peer: credits: 0 (expected: 16 to 65535)",
                "2; 000f; private data of the peer: credits: 15 (expected: 16 to 65535)",
                "20; 00000000; private data of the peer: tableEntries: 0 (expected: 2 to 256)",
                "20; 00000001; private data of the peer: tableEntries: 1 (expected: 2 to 256)",
                "20; 00000101; private data of the peer: tableEntries: 257 (expected: 2 to 256)",
                "20; ffffffff; private data of the peer: tableEntries: 4294967295 (expected: 2 to 256)",
                "36; 00000000; private data of the peer: bufferBytes: 0 (expected: 1 to 4294967295)",
            })
    void badValueIsRefused(int at, String hex, String reason) {
        refused(RSTREAM_REQUEST.substring(0, 2 * at) + hex + RSTREAM_REQUEST.substring(2 * at + hex.length()), reason);
    }

    private static void refused(String hex, String reason) {
        assertThatThrownBy(() -> SetupData.decodeRequest(octets(hex)))
                .isExactlyInstanceOf(StreamProtocolException.class)
                .hasMessage(reason);
        assertThatThrownBy(() -> SetupData.decodeReply(octets(hex), OWN))
                .isExactlyInstanceOf(StreamProtocolException.class)
                .hasMessage(reason);
    }

    @Test
    void requestChoosesTheByteOrderAndTheReplyHasToFollow() throws Exception {
        String network = "0103" + RSTREAM_REPLY.substring(4);
        SetupData request = SetupData.decodeRequest(octets(network));
        assertThat(request.networkOrder()).isTrue();
        assertThat(SetupData.decodeReply(octets(network), request)).isEqualTo(request);
        assertThatThrownBy(() -> SetupData.decodeReply(octets(network), OWN))
                .isExactlyInstanceOf(StreamProtocolException.class)
                .hasMessage("NET of the peer: 1 (expected: 0, as in the request)");
        assertThatThrownBy(() -> SetupData.decodeReply(octets(RSTREAM_REPLY), request))
                .hasMessage("NET of the peer: 0 (expected: 1, as in the request)");
    }

    @Test
    void ownValuesAreChecked() {
        assertThatThrownBy(() -> new SetupData(false, 15, 0, 0, 2, 0, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("credits: 15 (expected: 16 to 65535)");
        assertThatThrownBy(() -> new SetupData(false, 65_536, 0, 0, 2, 0, 0, 1))
                .hasMessage("credits: 65536 (expected: 16 to 65535)");
        assertThatThrownBy(() -> new SetupData(false, 16, 0, 0, 2, 0, 0, 1L << 32))
                .hasMessage("bufferBytes: 4294967296 (expected: 1 to 4294967295)");
    }
}
