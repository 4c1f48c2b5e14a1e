// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.guest;

import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The channels of Netty's NIO transport on one event loop.
 *
 * <p>Threading: the loop's. Ownership: closes its channels when the loop ends.
 */
public final class Guests {

    private final ThreadAwareExecutor loop;
    /** Concurrent, as registrations may be cancelled from any thread. */
    private final Set<Guest> guests = ConcurrentHashMap.newKeySet();

    private boolean wereAny;

    public Guests(ThreadAwareExecutor loop) {
        this.loop = loop;
    }

    /**
     * Registers a channel, with no interest at first.
     *
     * @throws IOException if the channel is closed, or the system has no selector for it
     */
    public IoRegistration register(NioIoHandle handle) throws IOException {
        // The selecting thread would find these errors too late to throw them.
        SelectableChannel channel = handle.selectableChannel();
        if (!channel.isOpen()) {
            throw new ClosedChannelException();
        }
        if (channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        if (channel.provider() != SelectorProvider.provider()) {
            throw new IllegalSelectorException();
        }
        Guest guest = new Guest(loop, handle, guests, GuestSelector.OF_PROCESS);
        GuestSelector.OF_PROCESS.add(guest);
        wereAny = true;
        guests.add(guest);
        handle.registered();
        return guest;
    }

    /** Cancels all registrations and closes their channels. */
    public void closeAll() {
        guests.forEach(Guest::close);
    }

    /** Waits, with a bound, until the system has closed the sockets of closed channels. Their ports are free then. */
    public void awaitClosed() {
        if (wereAny) {
            GuestSelector.OF_PROCESS.awaitUpdates();
        }
    }
}
