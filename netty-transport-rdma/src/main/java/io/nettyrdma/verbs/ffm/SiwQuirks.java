// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.WorkRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What an event loop does only because of Linux's siw (seen in 6.1 and 6.12): it polls for lost completions, wakes up
 * responders that have overlooked a message, and ignores reports that mean two things. {@link WorkRequestEncoder}
 * splits short messages for siw, and {@link LoopEventChannel} flushes its queue pairs before it reports their end.
 *
 * <p>Threading: the event loop's, but for the static methods.
 */
final class SiwQuirks {

    /**
     * How long the loop does not look for completions of siw at most, whatever their event says. Siw looks whether a
     * queue is armed without a barrier behind the completion, so the one it has just added may raise no event.
     */
    private static final long MAX_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** When a silent responder gets the first Write; it gets each further one after four times as long. */
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int WRITES = 3;

    /**
     * Up to so many octets siw puts beside its header. Where a page ends in them it takes as many from the first page
     * as belong to the second, and the other way round (siw_try_1seg, Linux 6.1 and 6.12), unless there are two
     * entries.
     */
    private static final int SHORT_BYTES = 32;

    /** The smallest page there is: others end where one of these does. */
    private static final int PAGE_BYTES = 4096;

    /**
     * The peer of a connection that was made from here on iWARP, while it has sent nothing. Siw hands the socket of a
     * connection over to its receiver only after it has sent the MPA Reply. What the initiator sends in between stays
     * unread until the next segment comes, which is never if the initiator waits for an answer to it. Empty RDMA Writes
     * are such segments; a responder that is just silent reads them and does nothing.
     */
    interface Responder {

        /** Returns whether it has sent nothing yet, on a connection that is still this loop's. */
        boolean isSilent();

        /**
         * Sends it a Write.
         *
         * @return whether there was room for it on a connection that is not over
         */
        boolean announce();

        /** Ends the wait for its first message. */
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

    /**
     * The queue pairs of one completion queue that wait for the first message of a {@link Responder}. Completions name
     * a queue pair by its number, which siw gives to another as soon as it is free.
     */
    static final class FirstMessages {

        private final IntObjectMap<Object> awaited = new IntObjectHashMap<>();

        void await(int number, Object queuePair) {
            awaited.put(number, queuePair);
        }

        boolean awaits(int number, Object queuePair) {
            return awaited.get(number) == queuePair;
        }

        /** A message has come to the queue pair that has that number now. */
        void onReceived(int number) {
            if (!awaited.isEmpty()) {
                awaited.remove(number);
            }
        }

        void forget(int number, Object queuePair) {
            if (awaits(number, queuePair)) {
                awaited.remove(number);
            }
        }
    }

    private final List<Pending> silent = new ArrayList<>();
    private boolean polls;

    /** Sets whether the loop has a device of siw. */
    void polls(boolean siw) {
        polls = siw;
    }

    /** Returns how long the loop may wait; negative for ever, as {@code timeoutNanos}. */
    long waitNanos(long timeoutNanos) {
        return polls && (timeoutNanos < 0 || timeoutNanos > MAX_WAIT_NANOS) ? MAX_WAIT_NANOS : timeoutNanos;
    }

    void add(Responder responder, long nanoTime) {
        silent.add(new Pending(responder, nanoTime));
    }

    boolean hasResponders() {
        return !silent.isEmpty();
    }

    /** Sends what is due to responders that are still silent, and forgets the others. */
    void onTurn(long nanoTime) {
        silent.removeIf(pending -> pending.dueNanos - nanoTime <= 0 && isOver(pending, nanoTime));
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

    /**
     * Returns whether a status means a flushed request only on siw. {@code IBV_WC_LOC_QP_OP_ERR} has two meanings
     * there. A request that siw is sending when the peer closes ends with it, even if all its octets are sent and the
     * peer has closed because it has got what it wanted: that is a flushed request. The other one is that siw ends the
     * connection itself, because the request is wrong, or because of a defect: if TCP makes room just when the thread
     * that posts has found none, siw goes on in a thread of its own beside the first, and the one overwrites what the
     * other is sending (seen in Linux 6.1.192: a Send behind a complete RDMA Write fails with {@code -EFAULT}, as it is
     * given the length of the Write). Both count as flushed: nothing that siw reports tells them apart.
     */
    static boolean isFlushed(boolean siw, int status) {
        return status == VerbsConstants.WC_LOC_QP_OP_ERR && siw;
    }

    /**
     * Returns whether siw raises this asynchronous event also when the peer closes while siw sends a request, or the
     * answer to an RDMA Read, as with {@link #isFlushed}. The connection manager reports the end of the connection.
     */
    static boolean isRaisedByClose(int event) {
        return event == AsyncEvents.QP_FATAL || event == AsyncEvents.QP_REQ_ERR;
    }

    /** Returns how much of a short message is in the first of two pages; 0 if that does not matter. */
    static int octetsOfFirstPage(WorkRequest request) {
        if (request.lengthBytes() > SHORT_BYTES || request.opcode() == VerbsConstants.WR_RDMA_READ) {
            return 0;
        }
        int first = PAGE_BYTES - (int) (request.localAddress() & PAGE_BYTES - 1);
        return first < request.lengthBytes() ? first : 0;
    }

    /** Returns the scatter-gather entries of a Send: two at least, as a short message is split where a page ends. */
    static int sendEntries(boolean siw, int wanted, int maxSge) {
        return siw ? Math.min(Math.max(wanted, 2), maxSge) : wanted;
    }
}
