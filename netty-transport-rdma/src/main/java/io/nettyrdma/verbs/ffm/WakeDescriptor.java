// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A descriptor that ends the wait of one thread. It is closed when no thread writes to it any more: the number of a
 * closed descriptor may already be that of another file.
 *
 * <p>Threading: any. Ownership: of the descriptor.
 */
final class WakeDescriptor {

    /** Added to the number of writers by {@link #close}. */
    private static final int CLOSED = Integer.MIN_VALUE;

    private static final class Holder {
        static final NativeMemory ONE = new NativeMemory(Long.BYTES);

        static {
            ONE.octets().putLong(0, 1);
        }
    }

    private final int fd;
    private final NativeMemory counted = new NativeMemory(Long.BYTES);
    private final AtomicInteger writers = new AtomicInteger();

    WakeDescriptor() throws IOException {
        fd = VerbsLibrary.eventFd();
    }

    int fd() {
        return fd;
    }

    /** Makes the descriptor readable; does nothing once it is closed. */
    void wakeup() {
        if (enter()) {
            try {
                long ignored = (long) VerbsLibrary.WRITE.invokeExact(fd, Holder.ONE.address(), (long) Long.BYTES);
            } catch (Throwable e) {
                throw VerbsLibrary.unexpected(e);
            } finally {
                leave();
            }
        }
    }

    /** Forgets all wake-ups so far; returns whether there were any. Only the thread that waits. */
    boolean drain() {
        try {
            return (long) VerbsLibrary.READ.invokeExact(fd, counted.address(), (long) Long.BYTES) > 0;
        } catch (Throwable e) {
            throw VerbsLibrary.unexpected(e);
        }
    }

    /** Begins a write; {@code false} if the descriptor is closed. */
    boolean enter() {
        int present;
        do {
            present = writers.get();
            if (present < 0) {
                return false;
            }
        } while (!writers.compareAndSet(present, present + 1));
        return true;
    }

    /** Ends a write. */
    void leave() {
        if (writers.decrementAndGet() == CLOSED) {
            closeDescriptor();
        }
    }

    /** Lets no write begin any more, and the last one under way close the descriptor. Idempotent. */
    void close() {
        if (writers.getAndUpdate(present -> present | CLOSED) == 0) {
            closeDescriptor();
        }
    }

    private void closeDescriptor() {
        VerbsLibrary.call(() -> {
            int ignored = (int) VerbsLibrary.CLOSE.invokeExact(fd);
        });
    }
}
