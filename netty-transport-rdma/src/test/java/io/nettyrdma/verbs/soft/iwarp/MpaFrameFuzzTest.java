// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Any octets as what the peer says first. The first octet of an input says who listens and how: bit 0 the initiator,
 * bits 1 and 2 its {@link CrcMode}, bit 3 that it can hold no Reads; the octets of the peer follow.
 */
class MpaFrameFuzzTest {

    private static final byte[] PRIVATE_DATA = {1, 2, 3};
    private static final int RESERVED_BITS = 0x0f;

    @FuzzTest
    void startupFrameIsUnderstoodOrRefused(byte[] input) {
        if (input.length == 0) {
            return;
        }
        boolean reply = (input[0] & 1) != 0;
        CrcMode mode = CrcMode.values()[(input[0] >> 1 & 3) % CrcMode.values().length];
        int maxDepth = (input[0] & 8) != 0 ? 0 : 16;
        ByteBuffer octets = ByteBuffer.wrap(input, 1, input.length - 1).slice();
        MpaFrame frame;
        try {
            int bytes = measure(octets, reply);
            if (bytes < 0 || octets.remaining() < bytes) {
                return;
            }
            frame = MpaFrame.decode(octets, 0, reply);
            assertThat(frame.bytes()).isEqualTo(bytes);
        } catch (MpaFormatException e) {
            assertThat(e).hasMessageMatching("(?s).+");
            return;
        }
        checkReproduced(frame, octets);
        if (reply) {
            checkInitiator(frame, mode, maxDepth);
        } else {
            checkResponder(frame, mode, maxDepth);
        }
    }

    /** However little of the frame is there: the verdict about more octets never contradicts the one about fewer. */
    private static int measure(ByteBuffer octets, boolean reply) throws MpaFormatException {
        int all = MpaFrame.bytes(octets, 0, octets.remaining(), reply);
        for (int available = Math.min(octets.remaining(), MpaFrame.HEADER_BYTES); available >= 0; available--) {
            assertThat(MpaFrame.bytes(octets, 0, available, reply))
                    .isEqualTo(available < MpaFrame.HEADER_BYTES ? -1 : all);
        }
        assertThat(all).isBetween(-1, MpaFrame.HEADER_BYTES + MpaFrame.MAX_PD_BYTES);
        return all;
    }

    private static void checkReproduced(MpaFrame frame, ByteBuffer octets) {
        ByteBuffer out = ByteBuffer.allocate(MpaFrame.HEADER_BYTES + MpaFrame.MAX_PD_BYTES);
        frame.put(out);
        byte[] expected =
                Arrays.copyOfRange(octets.array(), octets.arrayOffset(), octets.arrayOffset() + frame.bytes());
        // Reserved bits are not sent back; reject means nothing in a Request, nor S in revision 1.
        expected[16] &= (byte) ~RESERVED_BITS;
        if (!frame.reply()) {
            expected[16] &= (byte) ~0x20;
        }
        // A reject without private data has no room for what S promises.
        if (frame.revision() == 1 || frame.rejected() && frame.bytes() == MpaFrame.HEADER_BYTES) {
            expected[16] &= (byte) ~0x10;
        }
        assertThat(Arrays.copyOf(out.array(), out.position())).isEqualTo(expected);
    }

    private static void checkResponder(MpaFrame request, CrcMode mode, int maxDepth) {
        MpaResponder responder = new MpaResponder(mode, maxDepth, request);
        assertThat(responder.peerIrd()).isBetween(0, maxDepth);
        assertThat(responder.peerOrd()).isBetween(0, maxDepth);
        checkAnswer(responder.reject(PRIVATE_DATA), request, true);
        if (responder.refuse() == null) {
            MpaTerms terms = responder.terms(8, 8);
            checkTerms(terms, maxDepth);
            assertThat(terms.crc()).isEqualTo(request.crc() || mode == CrcMode.REQUIRE);
            checkAnswer(responder.accept(terms, PRIVATE_DATA), request, false);
        }
    }

    private static void checkAnswer(MpaFrame reply, MpaFrame request, boolean rejected) {
        assertThat(reply.reply()).isTrue();
        assertThat(reply.markers()).isFalse();
        assertThat(reply.rejected()).isEqualTo(rejected);
        assertThat(reply.revision()).isEqualTo(request.revision());
        assertThat(reply.enhanced() == null).isEqualTo(request.enhanced() == null);
        assertThat(reply.bytes()).isLessThanOrEqualTo(MpaFrame.HEADER_BYTES + 4 + PRIVATE_DATA.length);
    }

    private static void checkInitiator(MpaFrame reply, CrcMode mode, int maxDepth) {
        MpaInitiator initiator = new MpaInitiator(mode, maxDepth, 8, 8, PRIVATE_DATA);
        if (initiator.refuse(reply) == null && !initiator.isBeyondDepth(reply)) {
            checkTerms(initiator.terms(reply), maxDepth);
        }
    }

    private static void checkTerms(MpaTerms terms, int maxDepth) {
        assertThat(terms.ird()).isBetween(0, Math.max(maxDepth, 1));
        assertThat(terms.ord()).isBetween(0, maxDepth);
    }
}
