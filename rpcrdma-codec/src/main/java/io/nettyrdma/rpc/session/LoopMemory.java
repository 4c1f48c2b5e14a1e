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
package io.nettyrdma.rpc.session;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.ScheduledFuture;
import io.nettyrdma.rpc.error.SlowPeerException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the octets that all connections of an event loop hold for peers of version 2 that keep them waiting: replies
 * that wait for credits, and messages whose last fragment has not come. At the bound, connections whose peer has moved
 * nothing for {@link #GRACE_NANOS} are ended, those that stand still for longest first; the others wait.
 *
 * <p>Threading: one instance for each event loop, confined to it. Connections may have different limits: each asks
 * whether the sum of all is below its own.
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

        /** The account is closed already. */
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
        private long movedNanos;
        private boolean closed;

        private Account(LoopMemory memory, long limitBytes, EventExecutor executor, Eviction eviction) {
            this.memory = memory;
            this.limitBytes = limitBytes;
            this.executor = executor;
            this.eviction = eviction;
        }

        /** Octets of this connection. */
        public long bytes() {
            return bytes;
        }

        /** Whether so many octets more have room; ends connections that stand still if that makes room. */
        public boolean hasRoomFor(long more) {
            return memory.makeRoom(this, more);
        }

        /** Takes octets, whether there is room or not, for a message with this XID. */
        public void take(int xid, long more) {
            if (closed || more == 0) {
                return;
            }
            if (bytes == 0) {
                movedNanos = now();
                memory.add(this);
            }
            this.xid = xid;
            bytes += more;
            memory.bytes += more;
        }

        /** Gives octets back, which shows that the peer goes on. */
        public void give(long less) {
            if (closed || less == 0) {
                return;
            }
            bytes -= less;
            memory.bytes -= less;
            movedNanos = now();
            if (bytes == 0) {
                memory.remove(this);
            }
            memory.wakeSoon(executor);
        }

        /** Lines up for room. */
        public void await(Waiter waiter) {
            memory.waiting.add(waiter);
            memory.wakeInTime(executor);
        }

        /** Gives everything back. Idempotent. */
        public void close() {
            give(bytes);
            closed = true;
        }

        private long now() {
            return executor.ticker().nanoTime();
        }
    }

    private final List<Account> holders = new ArrayList<>();
    private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
    private long bytes;
    private boolean wakes;
    /** Before this time no account has stood still for long enough. */
    private long nextEvictionNanos;

    private @Nullable ScheduledFuture<?> timer;
    private @Nullable EventExecutor timerOf;

    private LoopMemory() {}

    /** An account for a connection of the event loop that calls, to which {@code executor} belongs. */
    public static Account open(long limitBytes, EventExecutor executor, Eviction eviction) {
        return new Account(OF_THIS_THREAD.get(), limitBytes, executor, eviction);
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
        while (bytes != 0 && bytes + more > asking.limitBytes) {
            @Nullable Account longest = longestStill(asking);
            if (longest == null) {
                return false;
            }
            long stillNanos = asking.now() - longest.movedNanos;
            long held = longest.bytes;
            longest.close();
            longest.eviction.evict(SlowPeerException.outOfMemory(longest.xid, held, stillNanos, asking.limitBytes));
        }
        return true;
    }

    /** Looks at all only if one of them may have stood still for long enough. */
    private @Nullable Account longestStill(Account asking) {
        long now = asking.now();
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

    private void wakeInTime(EventExecutor executor) {
        if (timer == null || timerOf != executor) { // a thread may have several, as in tests with embedded channels
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

    /** Later: the one who gives is in the midst of something. */
    private void wakeSoon(EventExecutor executor) {
        if (!wakes && !waiting.isEmpty()) {
            wakes = true;
            executor.execute(() -> {
                wakes = false;
                wake(executor);
            });
        }
    }

    private void wake(EventExecutor executor) {
        while (!waiting.isEmpty()) {
            Waiter first = waiting.remove();
            if (!first.tryAgain()) {
                waiting.addFirst(first);
                wakeInTime(executor);
                return;
            }
        }
    }
}
