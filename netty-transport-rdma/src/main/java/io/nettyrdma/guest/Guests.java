// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.guest;

import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The channels of Netty's NIO transport on one event loop.
 *
 * <p>Threading: the loop's. Ownership: closes its channels when the loop ends.
 */
public final class Guests {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(Guests.class);

    private final ThreadAwareExecutor loop;
    /** Concurrent, as registrations may be cancelled from any thread. */
    private final Set<Guest> guests = ConcurrentHashMap.newKeySet();
    /** Those that the loop's selector has found ready. */
    private final ArrayDeque<Guest> ready = new ArrayDeque<>();
    /** The loop's selector; {@code null} if it has none, or none that works. Other threads only wake it up. */
    private volatile @Nullable Selector selector;
    /** Whether the selecting thread has selected for any. */
    private boolean wereAny;

    /**
     * @param selector what the loop waits with; it runs the attachments of ready keys. {@code null}: the loop waits in
     *                 another way, and the selecting thread selects
     */
    public Guests(ThreadAwareExecutor loop, @Nullable Selector selector) {
        this.loop = loop;
        this.selector = selector;
    }

    /**
     * Registers a channel, with no interest at first.
     *
     * @throws IOException if the channel is closed, or the system has no selector for it
     */
    public IoRegistration register(NioIoHandle handle) throws IOException {
        Selector present = selector;
        Guest guest = present == null ? new Guest(this, handle) : register(handle, present);
        guests.add(guest);
        handle.registered();
        return guest;
    }

    private Guest register(NioIoHandle handle, Selector present) throws IOException {
        try {
            return new Guest(this, handle, present);
        } catch (CancelledKeyException e) {
            // The channel was registered before, and a selector keeps a cancelled key until it selects.
            forgetCancelledKeys(present);
            return new Guest(this, handle, present);
        }
    }

    /** Lets the selector forget cancelled keys. What is ready stays so, and the loop finds it again. */
    private static void forgetCancelledKeys(Selector selector) throws IOException {
        selector.selectNow(key -> {});
    }

    /**
     * Returns a new key of a guest, of the selecting thread.
     *
     * @throws IOException if the channel is closed, or the system has no selector
     */
    SelectionKey newKey(Guest guest) throws IOException {
        // The selecting thread would find these errors too late to throw them.
        SelectableChannel channel = guest.channel();
        if (!channel.isOpen()) {
            throw new ClosedChannelException();
        }
        if (channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        if (channel.provider() != SelectorProvider.provider()) {
            throw new IllegalSelectorException();
        }
        GuestKey key = new GuestKey(loop, guest, GuestSelector.OF_PROCESS);
        GuestSelector.OF_PROCESS.add(key);
        wereAny = true;
        return key;
    }

    void addReady(Guest guest) {
        ready.add(guest);
    }

    /** Handles the I/O that the loop's selector has found; returns the number of channels. */
    public int handleReady() {
        int handled = 0;
        Guest guest;
        while ((guest = ready.poll()) != null) {
            guest.onReady();
            handled++;
        }
        return handled;
    }

    /** Forgets a guest that has cancelled its key. Any thread. */
    void remove(Guest guest) {
        guests.remove(guest);
        Selector present = selector;
        if (present != null && !loop.isExecutorThread(Thread.currentThread())) {
            present.wakeup(); // a socket stays open until the selector has forgotten its key
        }
    }

    /** Has the selecting thread select from now on, as the loop's selector does not work any more. */
    public void leaveSelector() {
        Selector left = selector;
        if (left == null) {
            return;
        }
        selector = null;
        guests.forEach(Guest::leaveSelector);
        try {
            forgetCancelledKeys(left);
        } catch (Exception e) {
            logger.debug("sockets of channels that close now stay open until their event loop ends", e);
        }
    }

    /** Cancels all registrations and closes their channels. */
    public void closeAll() {
        guests.forEach(Guest::close);
    }

    /**
     * Waits, with a bound, until the selecting thread has closed the sockets of closed channels. Their ports are free
     * then. The end of the loop's own selector closes those of the others.
     */
    public void awaitClosed() {
        if (wereAny) {
            GuestSelector.OF_PROCESS.awaitUpdates();
        }
    }
}
