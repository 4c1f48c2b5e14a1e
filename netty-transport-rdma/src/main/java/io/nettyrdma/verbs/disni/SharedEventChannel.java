// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The one event channel of a provider that all event loops share, with a thread that waits for its events and hands
 * each to the loop that owns the id. So a connection moves to another loop by a change of its owner, of which the
 * provider, which cannot move ids, hears nothing.
 *
 * <p>libdisni keeps the ids of an event channel in a table that two threads must not use at a time, and looks there for
 * an event's id only after it has waited. Therefore ids are created, and listeners destroyed, between two waits only:
 * either costs its caller up to {@value #TURN_MILLIS} ms.
 *
 * <p>Threading: any. Ownership: owns the provider's event channel; loops own their ids.
 */
final class SharedEventChannel {

    /** Longest wait for an event in milliseconds, after which a thread that creates an id has its turn. */
    static final int TURN_MILLIS = 5;

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(SharedEventChannel.class);

    private final RdmaEventChannel channel;
    private final Map<IbvQP, DisniCmId> queuePairs;
    /** By the provider's ids. */
    private final Map<RdmaCmId, DisniCmId> ids = Collections.synchronizedMap(new IdentityHashMap<>());

    /** Ids that are not destroyed. */
    private final AtomicInteger alive = new AtomicInteger();

    private final Set<DisniEventChannel> loops = ConcurrentHashMap.newKeySet();
    /** Held while the provider's table of ids is in use; fair, so that the waiting thread lets others in. */
    private final ReentrantLock table = new ReentrantLock(true);

    private final EventWaiter waiter;

    /**
     * @param queuePairs where connections leave their queue pairs while they have one
     */
    SharedEventChannel(RdmaEventChannel channel, Map<IbvQP, DisniCmId> queuePairs) {
        this.channel = channel;
        this.queuePairs = queuePairs;
        waiter = new EventWaiter("rdma-cm-waiter", TURN_MILLIS, this::waitOnce, this::onWaiterDied);
    }

    private void onWaiterDied() {
        loops.forEach(DisniEventChannel::signal);
    }

    /** Why no events will come any more, or {@code null} if they will. */
    @Nullable
    Throwable failure() {
        return waiter.failure();
    }

    Map<IbvQP, DisniCmId> queuePairs() {
        return queuePairs;
    }

    DisniEventChannel open() throws IOException {
        DisniEventChannel loop = new DisniEventChannel(this);
        loops.add(loop);
        return loop;
    }

    /** Ends a loop's share. */
    void close(DisniEventChannel loop) throws IOException {
        loops.remove(loop);
        loop.end();
    }

    boolean isUnused() {
        return loops.isEmpty();
    }

    /**
     * Ends the provider's event channel, of which no loop has a share any more. It stays while ids are left, as after a
     * call that has not returned: they go on using it.
     */
    void destroy() throws IOException {
        waiter.close();
        int left = alive.get();
        if (left > 0) {
            logger.debug("keeping the event channel: {} connections are not freed", left);
            return;
        }
        NativeErrors.freed(channel.destroyEventChannel(), "event channel");
    }

    DisniCmId createId(short portSpace, DisniEventChannel owner) throws IOException {
        table.lock();
        try {
            RdmaCmId id = channel.createId(portSpace);
            if (id == null) {
                throw new IOException("the provider could not create an id");
            }
            return known(id, owner);
        } finally {
            table.unlock();
        }
    }

    private DisniCmId known(RdmaCmId id, DisniEventChannel owner) throws IOException {
        DisniCmId known = new DisniCmId(this, id, owner);
        alive.incrementAndGet();
        ids.put(id, known);
        return known;
    }

    /** Destroys an id of the provider. A listener's is looked at for each request, so none must be on its way. */
    int destroy(RdmaCmId id, boolean listener) throws IOException {
        ids.remove(id);
        if (!listener) {
            return destroyed(id.destroyId());
        }
        table.lock();
        try {
            return destroyed(id.destroyId());
        } finally {
            table.unlock();
        }
    }

    private int destroyed(int result) {
        if (result == 0) {
            alive.decrementAndGet();
        }
        return result;
    }

    private boolean waitOnce() throws IOException {
        table.lock();
        try {
            RdmaCmEvent event = channel.getCmEvent(TURN_MILLIS);
            if (event == null) {
                return false;
            }
            try {
                dispatch(event);
            } catch (IOException | RuntimeException e) {
                logger.warn("a connection event is lost", e); // one connection's matter, not that of all loops
            }
            return true;
        } finally {
            table.unlock();
        }
    }

    private void dispatch(RdmaCmEvent event) throws IOException {
        if (!DisniCmEvent.isRequest(event)) {
            DisniCmId id = ids.get(event.getConnIdPriv());
            if (id != null) {
                id.deliver(new DisniCmEvent(event, null, id));
            } else {
                event.ackEvent(); // of an id that was destroyed in the meantime
            }
            return;
        }
        DisniCmId listener = ids.get(event.getListenIdPriv());
        if (listener != null) {
            DisniCmId requested = known(event.getConnIdPriv(), listener.owner());
            listener.deliver(new DisniCmEvent(event, listener, requested));
        } else {
            event.ackEvent();
            event.getConnIdPriv().destroyId();
        }
    }
}
