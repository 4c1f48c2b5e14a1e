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
package io.nettyrdma.verbs.soft;

import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.soft.rdmap.Region;
import java.io.IOException;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The network card of programs without an event loop: one daemon thread per provider that does all I/O of all event
 * channels made by DiSNI's own call.
 *
 * <p><b>Why a thread.</b> A program written to DiSNI's contract has a thread in {@code getCmEvent}, another in {@code
 * getCqEvent} or polling, and posts from anywhere. Something has to answer the peer's RDMA Reads while all of them
 * sleep, and two threads must never meet on one selector. So the reactor owns a confined {@link SoftEventChannel}, the
 * very code that an event loop drives, and is its only driver; sockets, streams, queues of requests, deadlines and
 * buffers know nothing of other threads. Other threads touch four things only, each with a lock held for the copying of
 * some words: what they post ({@link PostQueue}), completions ({@link ReactorCq}), completion events ({@link
 * ReactorCompChannel}) and connection events ({@link ReactorCmEvents}). Keys and regions were shared before. Objects of
 * the confined mode contain none of this: which kind a queue or completion channel is, is decided by the context that
 * creates it, and the context comes from the id.
 *
 * <p><b>Requests.</b> Other threads hand commands over in one multi-producer queue. Two kinds exist. A post copies the
 * work requests into the queue pair's post queue, after all checks that can refuse it, and puts that queue, once, into
 * the command queue; it does not wait. A synchronous verb (everything of the connection manager, createQP and
 * destroy) becomes a task whose result or exception the caller waits for, {@value #CALL_SECONDS} seconds at most and
 * not interruptibly, because half an object is of no use to anybody. Commands run in their order, so what a thread
 * posted before {@code accept} or {@code disconnect} is in the queue pair by then. Verbs that need no socket do not
 * come here: regMr and deregMr (which fences by itself, see {@link Region}), polling, arming, waiting, acknowledging,
 * and the life of protection domains, completion queues and completion channels.
 *
 * <p><b>Waking up.</b> The reactor says that it is about to sleep, looks at the command queue once more, and sleeps in
 * the selector. A producer adds its command first and looks for the sleeper afterwards, so one of the two sees the
 * other; only the producer that takes the sleeper's flag pays for the system call. A completion is appended, and the
 * arming of its queue looked at, under one lock; a program that arms, polls once more and then waits misses nothing. A
 * send slot is given back before the completion that tells of it becomes visible, so that whoever sees it can post.
 *
 * <p><b>Who may wait.</b> No code of the program ever runs on this thread: DiSNI's API has no callbacks. A call that
 * the provider makes here itself runs at once. The locks are leaves, but for completion queue before completion
 * channel; nobody waits for the reactor while holding one.
 *
 * <p><b>The end.</b> Destroying the last event channel lets octets under way go out within the linger timeout, closes
 * the sockets and ends the thread; the next event channel starts another one. After its end, and if it should die of a
 * failing selector, waits end with an exception, and verbs that only take apart run in the calling thread, one at a
 * time.
 *
 * <p>Threading: any thread. Ownership: owns its thread and its event channel.
 */
final class Reactor implements VerbThread {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(Reactor.class);
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    /**
     * Longest wait for a synchronous verb, in seconds: no verb waits for the peer, so only a stuck reactor gets there.
     */
    static final int CALL_SECONDS = 30;

    /** Commands of one turn, before sockets get theirs. */
    private static final int COMMANDS_PER_TURN = 256;

    private final SoftEventChannel events;
    private final Queue<Runnable> commands = PlatformDependent.newMpscQueue();
    private final AtomicBoolean sleeping = new AtomicBoolean();
    private final Set<ReactorEventChannel> users = ConcurrentHashMap.newKeySet();
    private final long endMillis;
    private final Thread thread;
    private volatile boolean ending;
    private volatile boolean ended;

    Reactor(SoftContext context) throws IOException {
        events = new SoftEventChannel(context, this);
        endMillis = TimeUnit.NANOSECONDS.toMillis(context.device().config.lingerTimeoutNanos())
                + TimeUnit.SECONDS.toMillis(CALL_SECONDS);
        thread = new Thread(this::run, "rdma-soft-reactor-" + NUMBERS.incrementAndGet());
        thread.setDaemon(true);
        thread.start();
    }

    /** What the reactor drives; for the reactor's thread. */
    SoftEventChannel events() {
        return events;
    }

    /** Event channels that use this reactor. */
    Set<ReactorEventChannel> users() {
        return users;
    }

    @Override
    public boolean isEnded() {
        return ended;
    }

    @Override
    public <T> T call(Call<T> call) throws IOException {
        if (Thread.currentThread() == thread) {
            return call.run();
        }
        FutureTask<T> task = new FutureTask<>(call::run);
        if (ended || !execute(task) && task.cancel(false)) {
            return callHere(call);
        }
        return outcome(task);
    }

    // The lock stands in for the thread that is no more.
    private synchronized <T> T callHere(Call<T> call) throws IOException {
        return call.run();
    }

    private static <T> T outcome(FutureTask<T> task) throws IOException {
        boolean interrupted = false;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(CALL_SECONDS);
        try {
            while (true) {
                try {
                    return task.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (TimeoutException e) {
            task.cancel(false);
            throw new IOException("the software provider's thread did not answer within " + CALL_SECONDS + " s", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                // As if thrown here: callers tell failures apart by their class.
                throw failure;
            }
            throw new IOException("internal error of the software provider: " + e.getCause(), e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean execute(Runnable command) {
        commands.add(command);
        if (sleeping.get() && sleeping.compareAndSet(true, false)) {
            events.wakeup();
        }
        return !ended;
    }

    /** Ends the thread and waits for that, uninterruptibly and with a bound. */
    void end() {
        ending = true;
        events.wakeup();
        boolean interrupted = false;
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(endMillis);
        while (thread.isAlive() && System.nanoTime() - end < 0) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(thread, end - System.nanoTime());
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            logger.error("{} did not end within {} ms", thread.getName(), endMillis);
        }
    }

    private void run() {
        try {
            while (!ending) {
                turn();
            }
        } catch (IOException | RuntimeException | Error e) {
            logger.error("{} ends early: connections of its event channels are lost", thread.getName(), e);
        } finally {
            finish();
        }
    }

    private void turn() throws IOException {
        if (runCommands(COMMANDS_PER_TURN)) {
            events.progress();
            return;
        }
        sleeping.set(true);
        try {
            if (commands.isEmpty() && !ending) {
                Thread.interrupted(); // with it, no wait would last; to end the thread there is end()
                events.await(-1);
            }
        } finally {
            sleeping.set(false);
        }
    }

    /** Runs what is in the queue; returns whether {@code max} was too few. */
    private boolean runCommands(int max) {
        for (int i = 0; i < max; i++) {
            Runnable command = commands.poll();
            if (command == null) {
                return false;
            }
            try {
                command.run();
            } catch (RuntimeException | Error e) {
                logger.error("internal error in a command", e);
            }
        }
        return true;
    }

    private void finish() {
        try {
            events.destroy();
        } catch (IOException | RuntimeException e) {
            logger.error("closing the sockets of {} failed", thread.getName(), e);
        } finally {
            // Whatever happened: nobody may wait for a thread that is no more.
            ended = true;
            users.forEach(user -> user.events().close());
            synchronized (this) {
                // What came in until the flag was seen. Later commands are the caller's business.
                runCommands(Integer.MAX_VALUE);
            }
        }
    }
}
