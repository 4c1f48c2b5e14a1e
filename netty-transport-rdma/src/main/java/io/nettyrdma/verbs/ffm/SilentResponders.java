// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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

    /** The peer of a connection that was made from here. */
    interface Responder {

        /** Whether it has sent nothing yet, on a connection that is still this loop's. */
        boolean isSilent();

        /**
         * Sends it a Write.
         *
         * @return whether there was room for it on a connection that is not over
         */
        boolean announce();

        /** It is not asked for again. */
        void forget();
    }

    private static final class Pending {
        final Responder responder;
        long dueNanos;
        long delayNanos = FIRST_NANOS;
        int left = WRITES;

        Pending(Responder responder, long nanoTime) {
            this.responder = responder;
            dueNanos = nanoTime + FIRST_NANOS;
        }
    }

    private final List<Pending> all = new ArrayList<>();

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** A connection is established. */
    void add(Responder responder, long nanoTime) {
        all.add(new Pending(responder, nanoTime));
    }

    /** Sends what is due to those that are still silent, and forgets the others. */
    void onTurn(long nanoTime) {
        all.removeIf(pending -> pending.dueNanos - nanoTime <= 0 && isOver(pending, nanoTime));
    }

    private static boolean isOver(Pending pending, long nanoTime) {
        if (pending.responder.isSilent() && pending.responder.announce() && --pending.left > 0) {
            pending.delayNanos *= 4;
            pending.dueNanos = nanoTime + pending.delayNanos;
            return false;
        }
        pending.responder.forget();
        return true;
    }
}
