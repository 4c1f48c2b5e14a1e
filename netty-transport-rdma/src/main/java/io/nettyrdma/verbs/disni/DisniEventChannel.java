// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's share of the {@link SharedEventChannel}: the events of the ids it owns, the threads that wait for
 * completions on its behalf, and its own wait, which they end.
 *
 * <p>Threading: the loop's, but for {@link #add}, {@link #takeEventsOf} and {@link #signal()}, which are any thread's.
 */
final class DisniEventChannel extends RdmaEventChannel {

    private final SharedEventChannel shared;
    private final Map<IbvCQ, EventWaiter> completionWaiters = new IdentityHashMap<>();
    /** Guarded by itself, as is {@link #ended}. */
    private final ArrayDeque<DisniCmEvent> events = new ArrayDeque<>();

    private boolean ended;
    private volatile boolean signalled;
    private volatile @Nullable Thread waiting;

    DisniEventChannel(SharedEventChannel shared) throws IOException {
        super(0);
        this.shared = shared;
    }

    SharedEventChannel shared() {
        return shared;
    }

    @Override
    public RdmaCmId createId(short portSpace) throws IOException {
        return shared.createId(portSpace, this);
    }

    @Override
    @Nullable
    public RdmaCmEvent getCmEvent(int timeoutMillis) {
        throw new UnsupportedOperationException("call VerbsExtensions.pollCmEvent for channels of event loops");
    }

    @Override
    public int destroyEventChannel() {
        throw new UnsupportedOperationException("call VerbsExtensions.closeEventChannel for channels of event loops");
    }

    /** Queues an event for the loop and wakes it up; {@code false} if the loop has ended. */
    boolean add(DisniCmEvent event) {
        synchronized (events) {
            if (ended) {
                return false;
            }
            events.add(event);
        }
        signal();
        return true;
    }

    /** Removes what waits for the loop about one id, in order. */
    List<DisniCmEvent> takeEventsOf(DisniCmId id) {
        List<DisniCmEvent> taken = new ArrayList<>(0);
        synchronized (events) {
            for (Iterator<DisniCmEvent> i = events.iterator(); i.hasNext(); ) {
                DisniCmEvent event = i.next();
                if (event.target() == id) {
                    i.remove();
                    taken.add(event);
                }
            }
        }
        return taken;
    }

    /**
     * The next event of an id of the loop, or {@code null} if there is none.
     *
     * @throws IOException if there will be none any more
     */
    @Nullable
    RdmaCmEvent poll() throws IOException {
        // Before the queue, or an event that came just before the end would be passed over.
        Throwable cause = shared.failure();
        RdmaCmEvent event;
        synchronized (events) {
            event = events.poll();
        }
        if (event == null && cause != null) {
            throw new IOException("the thread that waits for connection events has ended", cause);
        }
        return event;
    }

    private boolean hasEvents() {
        synchronized (events) {
            return !events.isEmpty();
        }
    }

    void signal() {
        signalled = true;
        LockSupport.unpark(waiting);
    }

    /** Waits until there is something to do; may return early. */
    void await(long timeoutNanos) {
        waiting = Thread.currentThread();
        if (!signalled && !hasEvents()) {
            if (timeoutNanos < 0) {
                LockSupport.park(this);
            } else if (timeoutNanos > 0) {
                LockSupport.parkNanos(this, timeoutNanos);
            }
        }
        signalled = false;
        waiting = null;
    }

    void attach(IbvCQ completions) {
        EventWaiter.Turn turn = () -> {
            boolean came = completions.getChannel().getCqEvent(completions, EventWaiter.TURN_MILLIS);
            if (came) {
                completions.ackEvents(1);
                signal();
            }
            return came;
        };
        completionWaiters.put(
                completions, new EventWaiter("rdma-cq-waiter", EventWaiter.TURN_MILLIS, turn, this::signal));
    }

    void checkAttached(IbvCQ completions) throws IOException {
        EventWaiter waiter = completionWaiters.get(completions);
        Throwable cause = waiter == null ? null : waiter.failure();
        if (cause != null) {
            throw new IOException("the thread that waits for completions has ended", cause);
        }
    }

    void detach(IbvCQ completions) {
        EventWaiter waiter = completionWaiters.remove(completions);
        if (waiter != null) {
            waiter.close();
        }
    }

    /** Ends the waiting threads and the events that are not fetched. */
    void end() throws IOException {
        completionWaiters.values().forEach(EventWaiter::close);
        completionWaiters.clear();
        List<DisniCmEvent> left;
        synchronized (events) {
            ended = true;
            left = new ArrayList<>(events);
            events.clear();
        }
        close();
        IOException failed = null;
        for (DisniCmEvent event : left) {
            try {
                event.drop();
            } catch (IOException e) {
                failed = failed == null ? e : failed; // the others have to go all the same
            }
        }
        if (failed != null) {
            throw failed;
        }
    }
}
