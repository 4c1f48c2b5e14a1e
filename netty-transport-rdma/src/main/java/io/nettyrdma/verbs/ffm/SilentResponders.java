/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.verbs.ffm;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Empty RDMA Writes to responders on iWARP that have sent nothing yet. Linux's siw hands the socket of a connection
 * over to its receiver only after it has sent the MPA Reply. What the initiator sends in between stays unread until the
 * next segment comes, which is never if the initiator waits for an answer to it. A responder that is just silent reads
 * the empty Writes and does nothing.
 *
 * <p>Threading: the event loop's.
 */
final class SilentResponders {

    /** When the first Write is sent; each further one after four times as long. */
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int WRITES = 3;

    private static final class Responder {
        final NativeCmId id;
        final NativeQp qp;
        long dueNanos;
        long delayNanos = FIRST_NANOS;
        int left = WRITES;

        Responder(NativeCmId id, NativeQp qp, long nanoTime) {
            this.id = id;
            this.qp = qp;
            dueNanos = nanoTime + FIRST_NANOS;
        }
    }

    private final List<Responder> responders = new ArrayList<>();

    boolean isEmpty() {
        return responders.isEmpty();
    }

    /** The connection of an id is established: its peer was the responder. */
    void add(NativeCmId id, NativeQp qp, long nanoTime) {
        qp.awaitFirstMessage();
        responders.add(new Responder(id, qp, nanoTime));
    }

    /** Sends what is due to those that are still there and silent, and forgets the others. */
    void onTurn(NativeEventChannel events, long nanoTime) {
        responders.removeIf(responder -> {
            if (responder.dueNanos - nanoTime > 0) {
                return false;
            }
            boolean sent = responder.qp.awaitsFirstMessage()
                    && responder.id.events() == events
                    && responder.id.announce(responder.qp);
            responder.delayNanos *= 4;
            responder.dueNanos = nanoTime + responder.delayNanos;
            boolean over = !sent || --responder.left == 0;
            if (over) {
                responder.qp.forgetFirstMessage();
            }
            return over;
        });
    }
}
