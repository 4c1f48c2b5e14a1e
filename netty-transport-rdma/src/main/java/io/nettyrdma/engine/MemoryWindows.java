// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.nettyrdma.memory.Exposure;
import io.nettyrdma.verbs.spi.MemoryWindow;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;

/**
 * The memory windows of one queue pair: keys for parts of registered memory that the peer can invalidate, on devices
 * where it can invalidate nothing else. A window that the peer has ended is bound again. A window that this side ends
 * is freed: that call is complete when it returns, a work request is not.
 *
 * <p>Threading: the loop's. Ownership: owns all windows; {@link #close} frees them, before the queue pair goes.
 */
public final class MemoryWindows {

    private static final int REMOTE_ACCESS = IbvMr.IBV_ACCESS_REMOTE_READ | IbvMr.IBV_ACCESS_REMOTE_WRITE;

    private final VerbsExtensions verbs;
    private final IbvPd pd;
    private final Runnable postLater;
    private final Deque<Binding> unposted = new ArrayDeque<>();
    private final Deque<MemoryWindow> free = new ArrayDeque<>();
    private final IntObjectMap<Binding> bindings = new IntObjectHashMap<>();
    private boolean closed;

    /** @param postLater sees to it that {@link #addTo} is called before the loop waits */
    MemoryWindows(VerbsExtensions verbs, IbvPd pd, Runnable postLater) {
        this.verbs = verbs;
        this.pd = pd;
        this.postLater = postLater;
    }

    /** Whether memory with these rights, {@code IbvMr.IBV_ACCESS_*}, is exposed at all. */
    public static boolean isExposed(int access) {
        return (access & REMOTE_ACCESS) != 0;
    }

    /**
     * A window over part of a region. The request that binds it is posted with the next message, before that, or else
     * before the loop waits.
     *
     * @param access {@code IbvMr.IBV_ACCESS_*}; only the peer's rights apply
     * @throws ClosedChannelException if the queue pair has ended
     * @throws IOException            if the device has no more windows
     */
    public Binding bind(IbvMr region, long address, int lengthBytes, int access) throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        MemoryWindow window = free.poll();
        if (window == null) {
            window = verbs.allocateWindow(pd);
        }
        Binding made = new Binding(window, window.nextKey(), region, address, lengthBytes, access & REMOTE_ACCESS);
        bindings.put(made.key, made);
        if (unposted.isEmpty()) {
            postLater.run();
        }
        unposted.add(made);
        return made;
    }

    boolean haveUnposted() {
        return !unposted.isEmpty();
    }

    /** Adds the requests for what was bound to a batch, as far as there is room. */
    void addTo(SendQueue sends, WorkRequestBatch batch) {
        while (!unposted.isEmpty() && !sends.isFull() && !batch.isFull()) {
            sends.addBinding(unposted.remove(), batch);
        }
    }

    void onInvalidated(int key) {
        Binding binding = bindings.get(key);
        if (binding != null) {
            binding.invalidatedByPeer = true;
        }
    }

    /** Ends all bindings, and frees all windows, even if a step fails. */
    void close() throws IOException {
        closed = true;
        EndSteps steps = new EndSteps();
        for (Binding binding : new ArrayList<>(bindings.values())) {
            steps.then(binding::end);
        }
        MemoryWindow window;
        while ((window = free.poll()) != null) {
            steps.then(window::free);
        }
        steps.end();
    }

    /** One use of a window. */
    final class Binding implements Exposure {

        private final MemoryWindow window;
        private final int key;
        private final IbvMr region;
        private final long address;
        private final int lengthBytes;
        private final int access;
        private boolean invalidatedByPeer;
        private boolean ended;

        private Binding(MemoryWindow window, int key, IbvMr region, long address, int lengthBytes, int access) {
            this.window = window;
            this.key = key;
            this.region = region;
            this.address = address;
            this.lengthBytes = lengthBytes;
            this.access = access;
        }

        @Override
        public int key() {
            return key;
        }

        MemoryWindow window() {
            return window;
        }

        IbvMr region() {
            return region;
        }

        long address() {
            return address;
        }

        int lengthBytes() {
            return lengthBytes;
        }

        /** {@code IbvMr.IBV_ACCESS_REMOTE_*}. */
        int access() {
            return access;
        }

        @Override
        public void end() throws IOException {
            if (ended) {
                return;
            }
            if (invalidatedByPeer) {
                free.add(window);
            } else {
                window.free();
            }
            ended = true;
            unposted.remove(this);
            bindings.remove(key);
        }
    }
}
