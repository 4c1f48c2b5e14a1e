// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.verbs.soft.iwarp.StreamFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Any octets as the stream of FPDUs that a connected queue pair receives; see {@link FuzzedQueuePair} for the keys it
 * knows. The first octet of an input says: bit 0 with CRCs, bit 1 the peer has connected, bits 2 and 3 receives posted,
 * bits 4 and 5 RDMA Reads outstanding, bits 6 and 7 how TCP cuts the stream; bits 0 and 1 of the second one, how many
 * more receives are posted when they are missed. The octets of the peer follow.
 */
class StreamFuzzTest {

    private static final int[] PIECE_BYTES = {1 << 17, 1, 7, 64};

    @Requirement({"V1-139", "V2-160"})
    @FuzzTest
    void streamTouchesOnlyWhatIsOpenToIt(byte[] input) throws IOException {
        if (input.length < 2) {
            return;
        }
        try (FuzzedQueuePair pair = new FuzzedQueuePair((input[0] & 1) != 0, (input[0] & 2) != 0)) {
            for (int i = input[0] >> 2 & 3; i > 0; i--) {
                pair.postReceive();
            }
            for (int i = input[0] >> 4 & 3; i > 0; i--) {
                pair.postRead();
            }
            ByteBuffer stream = ByteBuffer.wrap(input, 2, input.length - 2);
            pair.end(feed(pair, stream, PIECE_BYTES[input[0] >> 6 & 3], input[1] & 3));
        }
    }

    /** Feeds the stream piece by piece, and returns the fault that ended it, if any. */
    private static @Nullable StreamFault feed(FuzzedQueuePair pair, ByteBuffer stream, int pieceBytes, int spare)
            throws IOException {
        ByteBuffer staging = ByteBuffer.allocate(stream.remaining());
        int spares = spare;
        while (stream.hasRemaining() && !pair.isTerminated()) {
            int n = Math.min(pieceBytes, stream.remaining());
            staging.put(stream.slice(stream.position(), n)).flip();
            stream.position(stream.position() + n);
            try {
                while (!pair.consume(staging)) {
                    if (spares-- == 0) {
                        return pair.noBuffer(staging);
                    }
                    pair.postReceive();
                }
            } catch (StreamFault fault) {
                return fault;
            }
            staging.compact();
        }
        return null;
    }
}
