// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.ScheduledFuture;
import io.nettyrdma.rpc.error.SlowPeerException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The connections of an event loop that hold memory for their peers: replies that the peers have not taken, and
 * messages of version 2 whose last fragment has not come. {@link ProcessMemory} bounds the bytes of all loops together.
 * At the bound, the loop that needs room ends those of its own connections whose peer has moved nothing for {@link
 * #GRACE_NANOS}, those that stand still for longest first. If it has none, it asks the other loops to. The others wait.
 * So peers that move are served, however many stand still, and connections end only if another one needs the room.
 *
 * <p>Threading: one instance for each event loop, confined to it but for the methods that say otherwise. Connections
 * may have different limits: each asks whether the sum of the process is below its own.
 */
public final class LoopMemory {

    /** How long a peer may move nothing before its connection can be ended in favour of another one. */
    public static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final FastThreadLocal<LoopMemory> OF_THIS_THREAD = new FastThreadLocal<>() {
        @Override
        protected LoopMemory initialValue() {
            return new LoopMemory();
        }
    };

    /** Ends a connection, with the reason. */
    public interface Eviction {

        /** Ends the connection, which closes the account when it has freed its memory, and not before. */
        void evict(SlowPeerException why);
    }

    /** A connection that waits for room. */
    public interface Waiter {

        /** There may be room now; returns whether this one does not wait for it any more. */
        boolean tryAgain();
    }

    /** The memory of one connection. */
    public static final class Account {

        private final LoopMemory memory;
        private final long limitBytes;
        private final Eviction eviction;
        private final EventExecutor executor;
        private int index = -1;
        private int xid;
        private long bytes;
        /** Those of {@link #bytes} that the peer lets wait, and not the application of this side. */
        private long waitingBytes;

        private long movedNanos;
        private boolean evicted;
        private boolean closed;

        private Account(LoopMemory memory, long limitBytes, EventExecutor executor, Eviction eviction) {
            this.memory = memory;
            this.limitBytes = limitBytes;
            this.executor = executor;
            this.eviction = eviction;
        }

        /** Bytes of this connection. */
        public long bytes() {
            return bytes;
        }

        /** Whether so many bytes more have room; ends connections that stand still if that makes room. */
        public boolean hasRoomFor(long more) {
            return !closed && !evicted && memory.makeRoom(this, more);
        }

        /** Takes bytes, whether there is room or not. */
        public void take(long more) {
            if (!closed) {
                bytes += more;
                ProcessMemory.take(more);
                if (evicted) {
                    ProcessMemory.onLeaving(more);
                }
            }
        }

        /** So many of the bytes taken, of the message with this XID, wait for the peer from now on. */
        public void onWaiting(int xid, long part) {
            if (closed || part == 0) {
                return;
            }
            this.xid = xid;
            if (waitingBytes == 0 && !evicted) {
                movedNanos = now();
                memory.add(this);
            }
            waitingBytes += part;
        }

        /** The peer has moved, and so many bytes do not wait for it any more: gives them back. */
        public void onMoved(long part) {
            if (closed || part == 0) {
                return;
            }
            movedNanos = now();
            waitingBytes -= part;
            if (waitingBytes == 0 && !evicted) {
                memory.remove(this);
            }
            give(part);
        }

        /** Gives bytes back that do not wait for the peer. */
        public void give(long less) {
            if (!closed && less != 0) {
                bytes -= less;
                if (evicted) {
                    ProcessMemory.onLeaving(-less);
                }
                memory.give(executor, less);
            }
        }

        /** Lines up for room. */
        public void await(Waiter waiter) {
            memory.await(executor, waiter);
        }

        /** Gives everything back. Idempotent. */
        public void close() {
            if (!closed) {
                onMoved(waitingBytes);
                give(bytes);
                closed = true;
                memory.onClosed();
            }
        }

        private long now() {
            return executor.ticker().nanoTime();
        }
    }

    /** Accounts with bytes that wait for the peer. */
    private final List<Account> holders = new ArrayList<>();

    private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
    /** Whether the process knows that connections wait here. */
    private boolean waits;

    /** Of the last connection without room. */
    private long missingBytes;

    private long missingLimitBytes;
    private int accounts;
    /** Whether a task that wakes, or makes room for others, is in the queue of the loop: one is enough. */
    private final AtomicBoolean wakes = new AtomicBoolean();

    private final AtomicBoolean makesRoom = new AtomicBoolean();
    /** Of the account opened last; a thread may have several, as in tests with embedded channels. */
    private volatile @Nullable EventExecutor loop;
    /** Before this time no account has stood still for long enough. */
    private long nextEvictionNanos;

    private @Nullable ScheduledFuture<?> timer;
    private @Nullable EventExecutor timerOf;

    private LoopMemory() {}

    /** An account for a connection of the event loop that calls, to which {@code executor} belongs. */
    public static Account open(long limitBytes, EventExecutor executor, Eviction eviction) {
        LoopMemory memory = OF_THIS_THREAD.get();
        memory.loop = executor;
        if (memory.accounts++ == 0) {
            ProcessMemory.onFirstAccount(memory);
        }
        return new Account(memory, limitBytes, executor, eviction);
    }

    private void onClosed() {
        if (--accounts == 0) {
            ProcessMemory.onLastAccountClosed(this);
        }
    }

    private void add(Account account) {
        if (holders.isEmpty()) {
            nextEvictionNanos = account.movedNanos + GRACE_NANOS;
        }
        account.index = holders.size();
        holders.add(account);
    }

    private void remove(Account account) {
        Account last = holders.remove(holders.size() - 1);
        if (last != account) {
            holders.set(account.index, last);
            last.index = account.index;
        }
        account.index = -1;
    }

    private boolean makeRoom(Account asking, long more) {
        if (makeRoom(asking, asking.now(), more, asking.limitBytes)) {
            return true;
        }
        missingBytes = more;
        missingLimitBytes = asking.limitBytes;
        ProcessMemory.askOthers(this, more, asking.limitBytes);
        return false;
    }

    private boolean makeRoom(@Nullable Account asking, long now, long more, long limitBytes) {
        while (!ProcessMemory.willHaveRoomFor(more, limitBytes)) {
            @Nullable Account longest = longestStill(asking, now);
            if (longest == null) {
                return false;
            }
            SlowPeerException why =
                    SlowPeerException.outOfMemory(longest.xid, longest.bytes, now - longest.movedNanos, limitBytes);
            remove(longest);
            longest.evicted = true;
            ProcessMemory.onLeaving(longest.bytes);
            longest.eviction.evict(why);
        }
        return ProcessMemory.hasRoomFor(more, limitBytes);
    }

    /** Looks at all only if one of them may have stood still for long enough. */
    private @Nullable Account longestStill(@Nullable Account asking, long now) {
        if (now - nextEvictionNanos < 0) {
            return null;
        }
        @Nullable Account longest = null;
        nextEvictionNanos = now + GRACE_NANOS;
        for (Account holder : holders) {
            if (holder.movedNanos + GRACE_NANOS - nextEvictionNanos < 0) {
                nextEvictionNanos = holder.movedNanos + GRACE_NANOS;
            }
            if (holder != asking && (longest == null || holder.movedNanos - longest.movedNanos < 0)) {
                longest = holder;
            }
        }
        return longest == null || now - longest.movedNanos < GRACE_NANOS ? null : longest;
    }

    private void give(EventExecutor executor, long less) {
        if (!waiting.isEmpty()) {
            wakeSoon(executor); // later: the one who gives is in the midst of something
        }
        ProcessMemory.give(this, less);
    }

    /** The timer also retries if another loop gave room just before the process knew of this one. */
    private void await(EventExecutor executor, Waiter waiter) {
        waiting.add(waiter);
        if (!waits) {
            waits = true;
            ProcessMemory.onFirstWaiter();
        }
        wakeInTime(executor);
    }

    private void wakeInTime(EventExecutor executor) {
        if (timer == null || timerOf != executor) {
            timerOf = executor;
            timer = executor.schedule(
                    () -> {
                        timer = null;
                        wake(executor);
                    },
                    GRACE_NANOS,
                    TimeUnit.NANOSECONDS);
        }
    }

    /** There may be room. Any thread. */
    void wakeFromOutside() {
        EventExecutor executor = loop;
        if (executor != null) {
            wakeSoon(executor);
        }
    }

    private void wakeSoon(EventExecutor executor) {
        executeOnce(executor, wakes, () -> wake(executor));
    }

    /** Another loop needs room. Any thread. */
    void makeRoomFromOutside(long more, long limitBytes) {
        EventExecutor executor = loop;
        if (executor != null) {
            executeOnce(
                    executor, makesRoom, () -> makeRoom(null, executor.ticker().nanoTime(), more, limitBytes));
        }
    }

    private static void executeOnce(EventExecutor executor, AtomicBoolean scheduled, Runnable task) {
        if (scheduled.compareAndSet(false, true)) {
            try {
                executor.execute(() -> {
                    scheduled.set(false);
                    task.run();
                });
            } catch (RejectedExecutionException e) {
                scheduled.set(false); // the loop ends, and its connections with it
            }
        }
    }

    private void wake(EventExecutor executor) {
        while (!waiting.isEmpty()) {
            Waiter first = waiting.remove();
            if (!first.tryAgain()) {
                if (!waiting.isEmpty()) {
                    makeRoomFromOutside(missingBytes, missingLimitBytes); // it may stand still itself, for the next
                }
                waiting.addFirst(first);
                wakeInTime(executor);
                return;
            }
        }
        if (waits) {
            waits = false;
            ProcessMemory.onLastWaiterServed();
        }
    }
}
