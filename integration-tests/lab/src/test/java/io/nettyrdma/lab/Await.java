// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Bounded waits for things other processes do, which nobody can signal to this one: looks again every few milliseconds.
 * An interrupt ends a wait as an {@link InterruptedIOException}, so that {@code close()} methods can wait as well.
 */
final class Await {
    private static final long PAUSE_MILLIS = 20;

    private Await() {}

    /** A look at the outside world. */
    @FunctionalInterface
    interface Look<T> {
        T look() throws IOException;
    }

    /** Returns the first value found; after {@code limit} fails with {@code what} and the current {@code state}. */
    static <T> T value(String what, Duration limit, Look<Optional<T>> look, Look<String> state) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            Optional<T> found = look.look();
            if (found.isPresent()) {
                return found.get();
            }
            if (System.nanoTime() - deadline >= 0) {
                throw new AssertionError(
                        "waited " + limit.toMillis() + " ms in vain for " + what + "\n" + state.look());
            }
            try {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                throw interrupted(what, e);
            }
        }
    }

    static void until(String what, Duration limit, Look<Boolean> condition, Look<String> state) throws IOException {
        value(what, limit, () -> condition.look() ? Optional.of(true) : Optional.empty(), state);
    }

    /** Waits for the end of a process; returns whether it came in time. */
    static boolean ended(Process process, Duration limit) throws IOException {
        try {
            return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw interrupted("the end of process " + process.pid(), e);
        }
    }

    static InterruptedIOException interrupted(String what, InterruptedException cause) {
        Thread.currentThread().interrupt();
        InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for " + what);
        interrupted.initCause(cause);
        return interrupted;
    }
}
