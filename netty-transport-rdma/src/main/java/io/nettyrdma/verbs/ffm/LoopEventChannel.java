// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The event channel of one event loop, which waits for everything at once: connection events, completions on armed
 * queues, and being woken up.
 *
 * <p>Threading: the loop's, but for {@link #wakeup}.
 */
final class LoopEventChannel extends NativeEventChannel {

    private static final short POLLIN = 1;
    private static final int OWN_DESCRIPTORS = 2;

    /** Turns without a wait after which connection events are looked for all the same. */
    private static final int TURNS_WITHOUT_LOOKING = 64;

    private final SiwQuirks quirks = new SiwQuirks();
    private final List<NativeCompChannel> attached = new ArrayList<>(1);
    /** The devices whose asynchronous events wake up the loop. */
    private List<NativeContext> devices = List.of();

    private final NativeMemory timeout = new NativeMemory(2 * Long.BYTES);
    private final NativeMemory out = new NativeMemory(2 * Long.BYTES);
    // The own two, one of each completion channel, one of each device.
    private NativeMemory descriptors = new NativeMemory(OWN_DESCRIPTORS * VerbsLayout.POLLFD_BYTES);
    private int firstDevice = OWN_DESCRIPTORS;
    private int count = OWN_DESCRIPTORS;

    /** Whether there may be connection events: looking for them is a system call. */
    private boolean eventsExpected = true;

    private int turns;

    LoopEventChannel(NativeContexts contexts) throws IOException {
        super(contexts);
        describe();
    }

    /** Over a channel of C that there is. */
    LoopEventChannel(NativeContexts contexts, long pointer) throws IOException {
        super(contexts, pointer);
        describe();
    }

    void attach(NativeCompChannel completions) {
        attached.add(completions);
        completions.waiter(this::wakeup);
        describe();
    }

    /** Idempotent. */
    void detach(NativeCompChannel completions) {
        attached.remove(completions);
        completions.waiter(() -> {});
        describe();
    }

    private void describe() {
        devices = attached.stream()
                .map(NativeCompChannel::device)
                .distinct()
                .filter(device -> !device.asyncEvents().isOver())
                .toList();
        quirks.polls(devices.stream().anyMatch(NativeContext::isSiw));
        firstDevice = OWN_DESCRIPTORS + attached.size();
        count = firstDevice + devices.size();
        descriptors = new NativeMemory(count * VerbsLayout.POLLFD_BYTES);
        describe(0, fd());
        describe(1, wake().fd());
        for (int i = 0; i < attached.size(); i++) {
            describe(OWN_DESCRIPTORS + i, attached.get(i).fd());
        }
        for (int i = 0; i < devices.size(); i++) {
            describe(firstDevice + i, devices.get(i).asyncEvents().fd());
        }
    }

    private void describe(int index, int descriptor) {
        int at = index * VerbsLayout.POLLFD_BYTES;
        descriptors.octets().putInt(at + VerbsLayout.POLLFD_FD, descriptor);
        descriptors.octets().putShort(at + VerbsLayout.POLLFD_EVENTS, POLLIN);
    }

    /** The next connection event; {@code null} if there is none. */
    @Nullable
    NativeCmEvent next() throws IOException {
        if (!eventsExpected && !hasRaised()) {
            return null;
        }
        NativeCmEvent event = take();
        eventsExpected = event != null;
        if (event != null) {
            NativeCmId id = (NativeCmId) event.getConnIdPriv();
            switch (event.getEvent()) {
                case VerbsConstants.CM_ESTABLISHED -> onEstablished(id);
                case VerbsConstants.CM_DISCONNECTED -> onDisconnected(id);
                default -> {}
            }
        }
        return event;
    }

    /**
     * Makes siw report what has failed before the channel hears that the connection is over. When siw ends a
     * connection itself, it says DISCONNECTED first, then completes the request that has failed; a change of the queue
     * pair's state waits for that thread to finish. The caller looks for completions before it handles the event.
     */
    private static void onDisconnected(NativeCmId id) {
        NativeQp qp = id.queuePair();
        if (qp != null && qp.device().isSiw()) {
            qp.device().asyncEvents().take();
            id.flush();
        }
    }

    private void onEstablished(NativeCmId id) {
        NativeQp qp = id.queuePair();
        if (id.isInitiator() && qp != null && qp.device().isIwarp()) {
            qp.awaitFirstMessage();
            quirks.add(new Peer(id, qp, this), System.nanoTime());
        }
    }

    private record Peer(NativeCmId id, NativeQp qp, NativeEventChannel events) implements SiwQuirks.Responder {

        @Override
        public boolean isSilent() {
            return qp.awaitsFirstMessage() && id.events() == events;
        }

        @Override
        public boolean announce() {
            return id.announce(qp);
        }

        @Override
        public void forget() {
            qp.forgetFirstMessage();
        }
    }

    /** A turn of a loop that has no time to wait: it looks at the descriptors now and then. */
    void turn() throws IOException {
        if (++turns >= TURNS_WITHOUT_LOOKING) {
            await(0);
        }
    }

    /** Waits until something is there or the time is over; may return early. */
    void await(long timeoutNanos) throws IOException {
        turns = 0;
        if (quirks.hasResponders()) {
            quirks.onTurn(System.nanoTime());
        }
        long timeoutAddress = 0;
        long nanos = quirks.waitNanos(timeoutNanos);
        if (nanos >= 0) {
            timeout.octets().putLong(0, TimeUnit.NANOSECONDS.toSeconds(nanos));
            timeout.octets().putLong(Long.BYTES, nanos % TimeUnit.SECONDS.toNanos(1));
            timeoutAddress = timeout.address();
        }
        int ready;
        try {
            ready = (int) VerbsLibrary.PPOLL.invokeExact(descriptors.address(), (long) count, timeoutAddress, 0L);
        } catch (Throwable e) {
            throw VerbsLibrary.unexpected(e);
        }
        if (ready < 0) {
            int errno = Foreign.get().errno();
            if (errno != VerbsLibrary.EINTR) {
                throw VerbsLibrary.failure("ppoll", errno);
            }
        } else if (ready > 0) {
            onReady();
        }
    }

    private void onReady() throws IOException {
        if (isReady(0)) {
            eventsExpected = true;
        }
        if (isReady(1)) {
            wake().drain();
        }
        boolean over = false;
        for (int i = 0; i < devices.size(); i++) {
            if (isReady(firstDevice + i)) {
                AsyncEvents events = devices.get(i).asyncEvents();
                events.take();
                over |= events.isOver();
            }
        }
        for (int i = attached.size() - 1; i >= 0; i--) {
            if (isReady(OWN_DESCRIPTORS + i) && !takeEvents(attached.get(i))) {
                attached.remove(i);
                over = true;
            }
        }
        if (over) {
            describe(); // what is over would be ready for ever
        }
    }

    /** Takes all: the loop looks at its queues whatever they say. Returns whether there may be others later. */
    private boolean takeEvents(NativeCompChannel completions) {
        try {
            while (completions.takeEvent(out)) {
                // the next
            }
            return true;
        } catch (IOException e) {
            completions.fail(String.valueOf(e.getMessage())); // of one device; the others go on
            return false;
        }
    }

    private boolean isReady(int index) {
        ByteBuffer octets = descriptors.octets();
        return octets.getShort(index * VerbsLayout.POLLFD_BYTES + VerbsLayout.POLLFD_REVENTS) != 0;
    }

    /** Ends a present or the next wait. Any thread. */
    void wakeup() {
        wake().wakeup();
    }
}
