// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sum of the bytes that all event loops of the process hold for slow peers. The loops share it, unlike other state,
 * because they share the direct memory: sums of their own would exceed it together, or be too small for a busy loop.
 * A reply costs a few atomic additions, and only one in chunks or fragments does.
 *
 * <p>The loops check and add in two steps, so that the sum can exceed a limit by one message for each loop.
 *
 * <p>Threading: any thread.
 */
final class ProcessMemory {

    private static final AtomicLong BYTES = new AtomicLong();

    /** Those of {@link #BYTES} whose connections are about to end. */
    private static final AtomicLong LEAVING = new AtomicLong();

    /** Loops with connections that may hold something. */
    private static final Set<LoopMemory> LOOPS = ConcurrentHashMap.newKeySet();

    /** Loops with connections that wait for room. */
    private static final AtomicInteger WAITING = new AtomicInteger();

    private ProcessMemory() {}

    /** Whether so many bytes more have room. A message beyond the limit has room alone. */
    static boolean hasRoomFor(long more, long limitBytes) {
        long bytes = BYTES.get();
        return bytes == 0 || bytes + more <= limitBytes;
    }

    /** Whether so many bytes more have room when the connections that are about to end have ended. */
    static boolean willHaveRoomFor(long more, long limitBytes) {
        long bytes = BYTES.get() - LEAVING.get();
        return bytes <= 0 || bytes + more <= limitBytes;
    }

    /** The connection that holds so many bytes is about to end; a negative number is of those that it has freed. */
    static void onLeaving(long bytes) {
        LEAVING.addAndGet(bytes);
    }

    static void take(long more) {
        BYTES.addAndGet(more);
    }

    /** Gives bytes back, and lets the connections of the other loops try again. */
    static void give(LoopMemory giver, long less) {
        BYTES.addAndGet(-less);
        if (WAITING.get() > 0) {
            for (LoopMemory loop : LOOPS) {
                if (loop != giver) {
                    loop.wakeFromOutside();
                }
            }
        }
    }

    /** Asks the other loops to end connections whose peers stand still, until so many bytes have room. */
    static void askOthers(LoopMemory asking, long more, long limitBytes) {
        for (LoopMemory loop : LOOPS) {
            if (loop != asking) {
                loop.makeRoomFromOutside(more, limitBytes);
            }
        }
    }

    static void onFirstAccount(LoopMemory loop) {
        LOOPS.add(loop);
    }

    static void onLastAccountClosed(LoopMemory loop) {
        LOOPS.remove(loop);
    }

    static void onFirstWaiter() {
        WAITING.incrementAndGet();
    }

    static void onLastWaiterServed() {
        WAITING.decrementAndGet();
    }
}
