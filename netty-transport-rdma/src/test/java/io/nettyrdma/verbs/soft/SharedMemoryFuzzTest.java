// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nettyrdma.verbs.soft.Stage.Role;
import io.nettyrdma.verbs.soft.Stage.Timing;
import io.nettyrdma.verbs.soft.ring.Scribble;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A peer that writes anything anywhere into the memory that it shares with the provider, while messages pass. It may
 * end its own connection, by no other than an expected failure; the one beside it goes on. The first octet of an input
 * says the provider's role. Then each step takes ten octets: what to do, which word, four octets as an offset or a
 * difference, four to write.
 */
class SharedMemoryFuzzTest {

    private static final int STEP_BYTES = 10;

    @FuzzTest
    void peerHarmsItsOwnConnectionOnly(byte[] input) throws Exception {
        if (input.length <= STEP_BYTES) {
            return;
        }
        Role role = (input[0] & 1) == 0 ? Role.RESPONDER : Role.INITIATOR;
        try (Stage s = new Stage(role, Stage.DEPTH, true, 60_000, System::nanoTime)) {
            s.exchange();
            s.establish(2, Timing.SHARED);
            ByteBuffer steps = ByteBuffer.wrap(input, 1, input.length - 1);
            for (int msn = 1; steps.remaining() >= STEP_BYTES; ) {
                msn += step(s, steps, msn);
                s.node.drive();
            }
            s.exchange();
        }
    }

    /** Returns how many messages were sent. */
    private static int step(Stage s, ByteBuffer steps, int msn) throws IOException {
        int what = steps.get();
        int which = steps.get();
        int at = steps.getInt();
        int value = steps.getInt();
        try {
            switch (what & 3) {
                case 0 -> Scribble.word(s.peer.shared, which, at);
                case 1 -> Scribble.octets(s.peer.shared, at, value);
                case 2 -> {
                    s.peer.send(RawPeer.send(msn, 0, true, Stage.payload(which & 15)));
                    return 1;
                }
                default -> s.node.send(s.qp, Stage.OWN + msn, 0, s.local.mr, 0, 8);
            }
            s.peer.bell();
        } catch (IOException e) {
            // The provider has ended the connection, or there is no queue pair any more.
        }
        return 0;
    }
}
