// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.netty.util.concurrent.EventExecutor;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the bytes that all connections of the process hold for their peers, in three sums: replies and
 * incomplete messages, whole calls that wait, and read chunks. If one took room from another, connections could wait
 * for each other. The event loops share the sums, unlike other state, because they share the direct memory.
 *
 * <p>The first {@link #OWN_BYTES} of a connection do not count: a peer that sends and takes little never needs the room
 * of others. Beyond them, a connection takes no more than it leaves free for the others.
 *
 * <p>A connection that finds no room may stand in line, once for each sum. The first in line is served first, however
 * much it needs: as long as there is a line, nothing else may take room by {@link #mayTake}. Whatever gives room back
 * wakes the first in line on its own executor. A connection that leaves wakes the next one.
 *
 * <p>The loops check and add in two steps, so that a sum can exceed its limit by one message for each loop.
 *
 * <p>Threading: an instance belongs to one connection and is confined to its event loop.
 */
public final class ProcessMemory {

    /** Bytes that each connection may hold in each sum besides the limit. */
    public static final int OWN_BYTES = 64 * 1024;

    /** Others wait for a peer that makes no progress for this part of the usual time. */
    public static final int PATIENCE_PART = 4;

    /** Atomic and without locks, as event loops must not wait for each other. */
    private static final class Sum {

        final AtomicLong bytes = new AtomicLong();
        final Queue<Waiter> line = new ConcurrentLinkedQueue<>();

        /** Lets the first in line look for room. It joined before it looked, so no room is missed. */
        void wakeFirst() {
            for (Waiter first = line.peek(); first != null; first = line.peek()) {
                if (!first.woken.compareAndSet(false, true)) {
                    return; // it has not looked yet
                }
                try {
                    first.executor.execute(first);
                    return;
                } catch (RejectedExecutionException e) {
                    line.remove(first); // its executor has ended
                }
            }
        }
    }

    /** A place in line. */
    private static final class Waiter implements Runnable {

        final EventExecutor executor;
        final Runnable turn;
        /** Set by any loop, so that many that give room cause one task. */
        final AtomicBoolean woken = new AtomicBoolean();

        Waiter(EventExecutor executor, Runnable turn) {
            this.executor = executor;
            this.turn = turn;
        }

        @Override
        public void run() {
            woken.set(false);
            turn.run();
        }
    }

    private static final Sum MESSAGES = new Sum();
    private static final Sum WAITING_CALLS = new Sum();
    private static final Sum READS = new Sum();

    private final Sum sum;
    private final long limitBytes;
    private @Nullable Waiter waiter;
    private long bytes;
    private boolean closed;

    private ProcessMemory(Sum sum, long limitBytes) {
        this.sum = sum;
        this.limitBytes = limitBytes;
    }

    /**
     * Returns an account of replies that the peer has not taken, and of messages whose last fragment has not come.
     *
     * @param limitBytes of all connections
     */
    public static ProcessMemory ofMessages(long limitBytes) {
        return new ProcessMemory(MESSAGES, limitBytes);
    }

    /**
     * Returns an account of whole calls that wait for room for their replies, or for the exchange of properties.
     *
     * @param limitBytes of all connections
     */
    public static ProcessMemory ofWaitingCalls(long limitBytes) {
        return new ProcessMemory(WAITING_CALLS, limitBytes);
    }

    /**
     * Returns an account of read chunks that are pulled.
     *
     * @param limitBytes of all connections
     */
    public static ProcessMemory ofReads(long limitBytes) {
        return new ProcessMemory(READS, limitBytes);
    }

    /** Returns what is wrong with a reply of so many bytes in fragments that found no room. */
    public static String exceeded(long replyBytes, long limitBytes) {
        return replyBytes + " bytes in fragments, with the other messages that wait for peers of this process, exceed"
                + " the " + limitBytes + " that it may hold, a quarter of -XX:MaxDirectMemorySize: raise that, or let"
                + " the requester offer a reply chunk by RpcRdmaCall.maxReplyBytes or an upper-layer binding";
    }

    /** Returns the bytes of this connection. */
    public long bytes() {
        return bytes;
    }

    /** Returns the bytes of all connections beyond their first ones, those of other event loops as of now. */
    public long processBytes() {
        return sum.bytes.get();
    }

    /** Returns whether this connection holds room that others could have. */
    public boolean isCounted() {
        return counted(bytes) > 0;
    }

    private static long counted(long bytes) {
        return Math.max(0, bytes - OWN_BYTES);
    }

    /** Returns whether so many bytes more have room. A message beyond the limit has room alone. */
    public boolean hasRoomFor(long more) {
        long counted = counted(bytes + more);
        long all = sum.bytes.get();
        return !closed && (counted == 0 || all == 0 || counted <= limitBytes - all);
    }

    /** Returns whether so many bytes more have room, and no other connection was in line for it before. */
    public boolean mayTake(long more) {
        Waiter first = sum.line.peek();
        return hasRoomFor(more) && (first == null || first == waiter || counted(bytes + more) == 0);
    }

    /** Takes bytes, whether there is room or not. */
    public void take(long more) {
        if (closed) {
            return;
        }
        long before = counted(bytes);
        bytes += more;
        long change = counted(bytes) - before;
        if (change != 0) {
            sum.bytes.addAndGet(change);
        }
        if (change < 0) {
            sum.wakeFirst();
        }
    }

    /** Gives bytes back. */
    public void give(long less) {
        take(-less);
    }

    /**
     * Stands in line from now on, if it does not yet.
     *
     * @param executor runs the turn
     * @param turn     looks for room, whenever there may be some; it may come once more after {@link #leave}
     */
    public void await(EventExecutor executor, Runnable turn) {
        if (waiter == null && !closed) {
            waiter = new Waiter(executor, turn);
            sum.line.add(waiter);
            sum.wakeFirst();
        }
    }

    /** Stands in line no more. Idempotent. */
    public void leave() {
        if (waiter != null) {
            sum.line.remove(waiter);
            waiter = null;
            sum.wakeFirst();
        }
    }

    /** Returns whether others stand in line for what this connection holds. */
    public boolean isAwaited() {
        return isCounted() && !sum.line.isEmpty();
    }

    /** Gives everything back; later calls have no effect. Idempotent. */
    public void close() {
        leave();
        give(bytes);
        closed = true;
    }
}
