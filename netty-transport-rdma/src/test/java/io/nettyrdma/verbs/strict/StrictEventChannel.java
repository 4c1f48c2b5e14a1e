// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An event channel that delivers connection events when it likes, within what {@link Trait#EVENTS_SHUFFLED} says, and
 * lets other threads call what librdmacm lets any thread call.
 *
 * <p>Threading: that of the loop, but for {@link #locked} and {@link #takeOver}.
 */
final class StrictEventChannel extends RdmaEventChannel {

    private static final int LONGEST_HOLD = 8;
    private static final int LONGEST_HOLD_OF_ESTABLISHED = 64;

    private final StrictDevice device;
    private final RdmaEventChannel kind;
    private final Random random;
    private final List<StrictCmEvent> arrived = new ArrayList<>();
    private final List<StrictCq> queues = new ArrayList<>();
    private final ReentrantLock lock = new ReentrantLock(true);
    /** Threads that wait for the lock. */
    private final AtomicInteger wanted = new AtomicInteger();

    StrictEventChannel(StrictDevice device, RdmaEventChannel kind) throws IOException {
        super(-1);
        this.device = device;
        this.kind = kind;
        random = device.random();
    }

    RdmaEventChannel kind() {
        return kind;
    }

    Random random() {
        return random;
    }

    @Override
    public RdmaCmId createId(short portSpace) throws IOException {
        return device.calls().make(Verb.CREATE_ID, () -> new StrictCmId(device, this, kind.createId(portSpace)));
    }

    @Override
    public RdmaCmEvent getCmEvent(int timeoutMillis) throws IOException {
        throw new IOException("a confined event channel is polled by VerbsExtensions.pollCmEvent");
    }

    @Override
    public int destroyEventChannel() throws IOException {
        throw new IOException("a confined event channel is closed by VerbsExtensions.closeEventChannel");
    }

    void closeBelow() throws IOException {
        locked(() -> {
            device.kind().closeEventChannel(kind);
            close();
            return null;
        });
    }

    void attach(StrictCq queue) {
        queues.add(queue);
        queue.attachedTo(this);
    }

    void detach(StrictCq queue) {
        queues.remove(queue);
    }

    /** The next event that it is time for. */
    @Nullable
    StrictCmEvent poll() throws IOException {
        return locked(this::next);
    }

    private synchronized @Nullable StrictCmEvent next() throws IOException {
        fetch();
        Set<StrictCmId> earlier = new HashSet<>();
        for (int i = 0; i < arrived.size(); i++) {
            StrictCmEvent event = arrived.get(i);
            if (earlier.add(event.id()) && isDue(event)) {
                arrived.remove(i);
                event.id().taken(event);
                return event;
            }
        }
        arrived.forEach(event -> event.heldFor--);
        return null;
    }

    private static boolean isDue(StrictCmEvent event) {
        return event.heldFor <= 0
                || event.type() == EventType.RDMA_CM_EVENT_ESTABLISHED
                        && event.id().hasReceived();
    }

    /** Takes what the provider has, and decides when it is to come. */
    private void fetch() throws IOException {
        RdmaCmEvent event;
        while ((event = device.kind().pollCmEvent(kind)) != null) {
            StrictCmId id;
            StrictCmId listener = null;
            if (event.getListenIdPriv() != null) {
                listener = device.ids().get(event.getListenIdPriv());
                id = new StrictCmId(device, this, event.getConnIdPriv());
                id.bound();
            } else {
                id = device.ids().get(event.getConnIdPriv());
            }
            if (id == null) {
                event.ackEvent(); // it was destroyed
                continue;
            }
            StrictCmEvent strict = new StrictCmEvent(device, event, listener, id);
            strict.heldFor = hold(strict);
            arrived.add(strict);
        }
    }

    private int hold(StrictCmEvent event) {
        if (!device.has(Trait.EVENTS_SHUFFLED)) {
            return 0;
        }
        return switch (event.type()) {
            case RDMA_CM_EVENT_ESTABLISHED -> random.nextBoolean() ? 0 : random.nextInt(LONGEST_HOLD_OF_ESTABLISHED);
            case RDMA_CM_EVENT_DISCONNECTED -> random.nextBoolean() ? 0 : random.nextInt(LONGEST_HOLD);
            default -> random.nextInt(4) > 0 ? 0 : random.nextInt(LONGEST_HOLD);
        };
    }

    /** Whether the provider holds something back that comes without a cause of its own. */
    private synchronized boolean isHolding() {
        if (!arrived.isEmpty()) {
            return true;
        }
        for (StrictCq queue : queues) {
            if (queue.isHolding()) {
                return true;
            }
        }
        return false;
    }

    boolean progress() throws IOException {
        return locked(() -> device.kind().progress(kind));
    }

    void await(long timeoutNanos) throws IOException {
        locked(() -> {
            if (wanted.get() > 0 || isHolding()) {
                device.kind().progress(kind);
            } else {
                device.kind().await(kind, timeoutNanos);
            }
            return null;
        });
    }

    void wakeup() {
        device.kind().wakeup(kind);
    }

    /** Forgets the events of an id that is destroyed, and the requests to it. */
    synchronized void forget(StrictCmId id) throws IOException {
        for (StrictCmEvent event : List.copyOf(arrived)) {
            if (event.getListenIdPriv() == id) {
                event.id().destroyBelow();
            }
        }
        arrived.removeIf(event -> event.id() == id || event.getListenIdPriv() == id);
    }

    /** An id has moved here, with the events that nobody has seen yet. */
    void takeOver(StrictCmId id) {
        List<StrictCmEvent> moved;
        StrictEventChannel before = id.events();
        synchronized (before) {
            moved = before.arrived.stream().filter(event -> event.id() == id).toList();
            before.arrived.removeAll(moved);
            id.moveTo(this);
        }
        synchronized (this) {
            arrived.addAll(moved);
        }
    }

    /**
     * Makes a call that touches what one thread at a time may touch. Any thread; one that is not the loop's gets its
     * turn although the loop waits.
     */
    <T> T locked(Calls.Call<T> call) throws IOException {
        if (wanted.get() > 0 || !lock.tryLock()) {
            wanted.incrementAndGet();
            try {
                wakeup();
                lock.lock();
            } finally {
                wanted.decrementAndGet();
            }
        }
        try {
            return call.make();
        } finally {
            lock.unlock();
        }
    }
}
