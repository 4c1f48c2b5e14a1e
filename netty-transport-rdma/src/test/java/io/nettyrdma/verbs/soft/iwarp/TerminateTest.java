// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

import static io.nettyrdma.verbs.soft.iwarp.GoldenFpduTest.hex;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Terminates in the layout of the RFC and in that of Linux on little-endian machines. */
final class TerminateTest {

    private static final String SEND = "4143 00000000 00000000 00000007 00000000";
    private static final String WRITE = "c140 11223344 8899aabbccddeeff";
    private static final String READ = "4141 00000000 00000001 00000001 00000000";
    private static final String READ_BODY = "aabbcc01 0000000000001000 00010000 11223344 0000000000002000";

    private static Terminate decode(String octets, boolean starting) {
        ByteBuffer b = hex(octets);
        return Terminate.decode(b, 0, b.capacity(), starting);
    }

    @ParameterizedTest(name = "{0}, starting {1}")
    @CsvSource({
        // octets, during start-up, layer, type, code
        "12 02 c0 00, false, 1, 2, 2", // RFC: no buffer
        "21 02 03 00, false, 1, 2, 2", // Linux: the same
        "21 06 00 00, false, 1, 2, 6", // Linux: DDP version, untagged
        "12 06 00 00, false, 1, 2, 6",
        "11 04 00 00, false, 1, 1, 4", // reads the same both ways
        "11 00 03 00, false, 1, 1, 0",
        "11 00 c0 00, false, 1, 1, 0",
        "01 00 03 00, false, 1, 0, 0", // Linux: DDP local catastrophic
        "10 00 c0 00, false, 1, 0, 0",
        "00 ff 00 00, false, 0, 0, 255",
        "10 01 07 00, false, 0, 1, 1", // Linux: Read out of bounds
        "01 01 e0 00, false, 0, 1, 1",
        "20 07 03 00, false, 0, 2, 7", // Linux: too many Reads
        "02 07 c0 00, false, 0, 2, 7",
        "02 02 00 00, false, 2, 0, 2", // Linux: CRC
        "20 02 00 00, false, 2, 0, 2",
        "02 03 00 00, false, 2, 0, 3", // Linux: length
        "02 04 00 00, true, 2, 0, 4",
        "02 06 00 00, true, 2, 0, 6", // Linux: insufficient IRD
        "02 06 00 00, false, 0, 2, 6", // RFC: unexpected opcode
        "02 07 00 00, true, 2, 0, 7",
        "20 05 00 00, false, 0, 2, 5", // Linux: RDMAP version
        "20 05 00 00, true, 2, 0, 5", // RFC: MPA local catastrophic
        "20 06 00 00, false, 0, 2, 6", // Linux: unexpected opcode
        "20 06 00 00, true, 2, 0, 6", // RFC: insufficient IRD
    })
    void understandsBothLayouts(String octets, boolean starting, int layer, int errorType, int code) {
        Terminate t = decode(octets + (octets.contains("00 00") ? "" : "0022" + SEND), starting);
        assertThat(t.layer()).isEqualTo(layer);
        assertThat(t.errorType()).isEqualTo(errorType);
        assertThat(t.code()).isEqualTo(code);
    }

    @ParameterizedTest
    @EnumSource(TerminateError.class)
    void decodesWhatItEncodes(TerminateError error) {
        for (String segment : new String[] {SEND + "aabb", WRITE + "01020304", READ + READ_BODY}) {
            ByteBuffer out = ByteBuffer.allocate(128);
            Terminate.put(out, error, hex(segment).array(), 99);
            Terminate t = Terminate.decode(out, 0, out.position(), error.layer() == 2);
            assertThat(t.layer()).isEqualTo(error.layer());
            assertThat(t.errorType()).isEqualTo(error.errorType());
            assertThat(t.code()).isEqualTo(error.code());
            boolean expectRequest = segment.startsWith(READ) && error.carriesReadRequest();
            assertThat(t.readRequest() != null).isEqualTo(expectRequest);
            assertThat(t.describe()).startsWith(error.text());
        }
    }

    @Test
    void carriesHeadersAsFigure10Wants() {
        ByteBuffer out = ByteBuffer.allocate(128);
        Terminate.put(out, TerminateError.RDMAP_BOUNDS, hex(READ + READ_BODY).array(), 46);
        assertThat(out.flip()).isEqualTo(hex("0101e000 002e" + READ + READ_BODY));
        out.clear();
        Terminate.put(out, TerminateError.DDP_BOUNDS, hex(WRITE + "01020304").array(), 18);
        assertThat(out.flip()).isEqualTo(hex("1101c000 0012" + WRITE));
        out.clear();
        Terminate.put(out, TerminateError.RDMAP_LOCAL_CATASTROPHIC, hex(WRITE).array(), 14);
        assertThat(out.flip()).isEqualTo(hex("00ff0000"));
    }

    @Test
    void payloadOfASendIsNoReadRequest() {
        ByteBuffer out = ByteBuffer.allocate(128);
        String send = "4144 11223344 00000000 00000007 00000000";
        byte[] segment = hex(send + "55".repeat(40)).array();
        Terminate.put(out, TerminateError.RDMAP_CANNOT_INVALIDATE, segment, segment.length);
        assertThat(out.flip()).isEqualTo(hex("0109c000 003a" + send));
    }

    @Test
    void findsTheReadRequestBehindEitherLayout() {
        for (String start : new String[] {"0101e000 002e", "10010700 0000"}) {
            Terminate t = decode(start + READ + READ_BODY, false);
            assertThat(t.readRequest()).isEqualTo(hex(READ_BODY).array());
            assertThat(t.refusesRead()).isTrue();
        }
    }

    @Test
    void survivesHeadersThatArePromisedButMissing() {
        for (String octets : new String[] {"0101e000", "0101e000 002e", "0101e000 002e 4141", "0101e000 002e" + READ}) {
            assertThat(decode(octets, false).readRequest()).isNull();
        }
    }

    @Test
    void describesErrorsWithTheOctetsReceived() {
        assertThat(decode("1202c000 0022" + SEND, false).describe())
                .isEqualTo("DDP/untagged buffer/no buffer (12 02 c0 00)");
        assertThat(decode("3f070000", false).describe()).isEqualTo("layer 3/type 15/code 7 (3f 07 00 00)");
    }

    @Test
    void localErrorsAndLlpErrorsCarryNoHeader() {
        EnumSet<TerminateError> without = EnumSet.noneOf(TerminateError.class);
        for (TerminateError e : TerminateError.values()) {
            if (!e.carriesDdpHeader()) {
                without.add(e);
            }
        }
        assertThat(without).allMatch(e -> e.layer() == 2 || e.errorType() == 0);
        assertThat(without).hasSize(9);
    }
}
