// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.internal.PeerLog;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one loop that may hold their caller, made where the provider wants them made. What is to be done when
 * one has returned is done on the loop, in one of its turns.
 *
 * <p>Threading: the loop's; the calls themselves run where the provider says.
 */
final class LoopCalls {

    private static final PeerLog FAULTS = PeerLog.of(LoopCalls.class);

    // How long the end of a loop waits for calls, when connections are freed.
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

    // How long it waits before it looks at what has returned again.
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Waits on the loop for something to happen. */
    interface Wait {

        /**
         * Waits for at most {@code nanos}.
         *
         * @throws IOException if the provider cannot wait any more
         */
        void await(long nanos) throws IOException;
    }

    private final ThreadAwareExecutor loop;
    private final VerbsExtensions verbs;
    private final Runnable wakeup;
    /** What is to be done for calls that have returned, on the loop. */
    private final Queue<Runnable> returned = PlatformDependent.newMpscQueue();

    private int underWay;

    /** @param wakeup makes the loop call {@link #runReturned()}; any thread */
    LoopCalls(ThreadAwareExecutor loop, VerbsExtensions verbs, Runnable wakeup) {
        this.loop = loop;
        this.verbs = verbs;
        this.wakeup = wakeup;
    }

    /** What a call is for, which decides whose threads it may hold. */
    enum Kind {
        /** To connect, or to end what has not connected. */
        CONNECT,
        /** To end a connection. */
        END
    }

    /**
     * Makes a call.
     *
     * @param done told on the loop when the call has returned, with what it threw or {@code null}
     */
    void make(Kind kind, EndSteps.Step step, Consumer<@Nullable Throwable> done) {
        underWay++;
        Runnable call = () -> {
            Throwable failure = new EndSteps().then(step).failure();
            Runnable told = () -> {
                underWay--;
                done.accept(failure);
            };
            if (loop.isExecutorThread(Thread.currentThread())) {
                told.run();
            } else {
                returned.add(told);
                wakeup.run();
            }
        };
        try {
            Executor executor = kind == Kind.CONNECT ? verbs.connectExecutor() : verbs.callExecutor();
            executor.execute(call);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            call.run(); // better late than never
        }
    }

    /** Does what is to be done for calls that have returned; in every turn of the loop. */
    void runReturned() {
        Runnable told;
        while (underWay > 0 && (told = returned.poll()) != null) {
            contain(told);
        }
    }

    /** Runs a task of one connection. What it throws must not end the loop. */
    static void contain(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            FAULTS.error(() -> "internal error of an RDMA event loop", e);
        }
    }

    /**
     * Waits, with a bound, for all calls to return: what they use is about to be closed. Where one wait fails, the rest
     * is waited for by {@code otherwise}.
     */
    void awaitAll(Wait wait, Wait otherwise) throws IOException {
        long end = System.nanoTime() + TIMEOUT_NANOS;
        EndSteps steps = new EndSteps();
        runReturned();
        while (underWay > 0) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new IOException(underWay + " calls of the provider have not returned for "
                        + TimeUnit.NANOSECONDS.toSeconds(TIMEOUT_NANOS) + " s");
            }
            long turn = Math.min(left, TURN_NANOS);
            if (steps.failure() == null) {
                steps.then(() -> wait.await(turn));
            } else {
                otherwise.await(turn); // without the provider, whose calls may return all the same
            }
            runReturned();
        }
        steps.end();
    }
}
