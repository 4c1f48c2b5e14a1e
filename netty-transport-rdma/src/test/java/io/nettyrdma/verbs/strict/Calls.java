// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What happens to the calls of a {@link StrictDevice} besides what they do: they are counted, fail as a test has
 * planned it, and hold their caller.
 *
 * <p>Threading: any thread.
 */
public final class Calls {

    // How long a call is held without a test's doing.
    private static final long SHORT_HOLD_NANOS = 100_000;
    private static final Set<Verb> SLOW = EnumSet.of(Verb.CONNECT, Verb.DISCONNECT, Verb.DESTROY_ID);

    private final boolean slow;
    private final AtomicLong number = new AtomicLong();
    private final List<Verb> made = new CopyOnWriteArrayList<>();
    private final Set<Verb> held = EnumSet.noneOf(Verb.class);
    private int waiting;
    private volatile boolean recording;
    private volatile long failingNumber = -1;
    private volatile @Nullable Verb failingVerb;
    private volatile int failuresLeft;
    private volatile Supplier<Throwable> failure = () -> new IOException("injected");

    Calls(boolean slow) {
        this.slow = slow;
    }

    /** Calls since the last {@link #reset}, but for those that a loop makes over and over. */
    public long count() {
        return number.get();
    }

    /** The calls that {@link #count} counts, once {@link #record} has been called. */
    public List<Verb> made() {
        return made;
    }

    /** Remembers which calls are made. */
    public void record() {
        recording = true;
    }

    /** The call of that number since now fails, counted from 0; those that loops repeat do not count. */
    public void failAt(long callNumber, Supplier<Throwable> cause) {
        number.set(0);
        failure = cause;
        failingNumber = callNumber;
    }

    /** The next call of {@code verb} fails. */
    public void failNext(Verb verb, Supplier<Throwable> cause) {
        failNext(1, verb, cause);
    }

    /** The next {@code count} calls of {@code verb} fail. */
    public void failNext(int count, Verb verb, Supplier<Throwable> cause) {
        failure = cause;
        failuresLeft = count;
        failingVerb = verb;
    }

    /** Whether what was planned has not happened yet. */
    public boolean isFailurePending() {
        return failingVerb != null || failingNumber >= number.get();
    }

    /** Calls of {@code verb}, which is none that loops repeat, do not return until {@link #release}. */
    public void hold(Verb verb) {
        synchronized (held) {
            held.add(verb);
        }
    }

    /** Lets calls of {@code verb} go on. */
    public void release(Verb verb) {
        synchronized (held) {
            held.remove(verb);
            held.notifyAll();
        }
    }

    /** Callers that are held now. */
    public int held() {
        synchronized (held) {
            return waiting;
        }
    }

    /** Nothing fails, nothing is held, nothing was counted. */
    public void reset() {
        failingNumber = -1;
        failingVerb = null;
        recording = false;
        made.clear();
        number.set(0);
        synchronized (held) {
            held.clear();
            held.notifyAll();
        }
    }

    /** A call that has nothing to do yet. */
    interface Call<T> {
        T make() throws IOException;
    }

    /** A call without a result. */
    interface Action extends Call<@Nullable Void> {
        void run() throws IOException;

        @Override
        default @Nullable Void make() throws IOException {
            run();
            return null;
        }
    }

    void run(Verb verb, Action action) throws IOException {
        make(verb, action);
    }

    /** Makes a call, before or instead of which happens what the test wants. */
    <T> T make(Verb verb, Call<T> call) throws IOException {
        boolean failing = isToFail(verb);
        if (failing && !verb.gives) {
            throw Calls.<IOException>sneaky(failure.get());
        }
        holdCaller(verb);
        T result = call.make();
        if (failing) {
            throw Calls.<IOException>sneaky(failure.get());
        }
        return result;
    }

    private boolean isToFail(Verb verb) {
        long made = -1;
        if (!verb.repeated) {
            made = number.getAndIncrement();
            if (recording) {
                this.made.add(verb);
            }
        }
        if (made >= 0 && made == failingNumber) {
            return true;
        }
        if (failingVerb == verb) {
            if (--failuresLeft == 0) {
                failingVerb = null;
            }
            return true;
        }
        return false;
    }

    private void holdCaller(Verb verb) {
        if (verb.repeated) {
            return;
        }
        if (slow && SLOW.contains(verb)) {
            LockSupport.parkNanos(this, SHORT_HOLD_NANOS);
        }
        long end = System.nanoTime() + Deadline.DURATION.toNanos();
        synchronized (held) {
            if (!held.contains(verb)) {
                return;
            }
            waiting++;
            try {
                while (held.contains(verb)) {
                    long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                    if (millis <= 0) {
                        throw new AssertionError(verb + " was held for " + Deadline.SECONDS + " s");
                    }
                    held.wait(millis);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                waiting--;
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E sneaky(Throwable cause) throws E {
        throw (E) cause;
    }
}
