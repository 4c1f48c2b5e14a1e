// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The end of this JVM in order ({@code System.exit}, a signal, the end of the last thread that is no daemon). It waits
 * until peers have taken the bytes whose promise has succeeded, as nothing can send them when the process has ended. It
 * closes nothing: the program's own hooks run at the same time, and the system tells the peers when the process ends.
 *
 * <p>Threading: any thread. The lock is taken when an event loop begins or ends; the hook belongs to all of them. It is
 * there only while a loop is, so that a class loader can go when its loops have.
 */
final class JvmEnd {

    /** How long the end of the JVM waits for all peers. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** How long it waits for a loop to answer, which may be the one that ends the JVM. */
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long TURN_MILLIS = 5;

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(JvmEnd.class);
    private static final Set<IoLoop> LOOPS = new HashSet<>();
    private static @Nullable Thread hook;

    private JvmEnd() {}

    static synchronized void add(IoLoop loop) {
        LOOPS.add(loop);
        if (hook == null) {
            Thread made = new Thread(JvmEnd::awaitSent, "rdma-jvm-end");
            made.setContextClassLoader(null);
            try {
                Runtime.getRuntime().addShutdownHook(made);
                hook = made;
            } catch (IllegalStateException e) {
                logger.debug("an RDMA event loop begins while the JVM ends, which does not wait for it");
            }
        }
    }

    /** A loop has ended, and its closed channels have nothing to send any more. */
    static synchronized void remove(IoLoop loop) {
        LOOPS.remove(loop);
        Thread made = hook;
        if (made != null && LOOPS.isEmpty()) {
            hook = null;
            try {
                Runtime.getRuntime().removeShutdownHook(made);
            } catch (IllegalStateException e) {
                logger.debug("the last RDMA event loop ends while the JVM does");
            }
        }
    }

    private static synchronized List<IoLoop> loops() {
        return List.copyOf(LOOPS);
    }

    private static void awaitSent() {
        long end = System.nanoTime() + WAIT_NANOS;
        try {
            while (hasUnsent()) {
                if (System.nanoTime() - end > 0) {
                    logger.warn(
                            "the JVM ends before peers have taken all bytes within {} s",
                            TimeUnit.NANOSECONDS.toSeconds(WAIT_NANOS));
                    return;
                }
                TimeUnit.MILLISECONDS.sleep(TURN_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean hasUnsent() throws InterruptedException {
        boolean any = false;
        for (IoLoop loop : loops()) {
            try {
                any |= loop.askForUnsent().get(ANSWER_NANOS, TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                logger.debug("an RDMA event loop is blocked while the JVM ends");
            } catch (ExecutionException e) {
                throw new AssertionError(e);
            }
        }
        return any;
    }
}
