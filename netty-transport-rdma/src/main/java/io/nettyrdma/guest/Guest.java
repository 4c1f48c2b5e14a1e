// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.guest;

import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import io.netty.util.internal.StringUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The registration of a channel of NIO with an event loop of RDMA. Its key is one of the loop's selector, to which it
 * is attached, or a {@link GuestKey}.
 *
 * <p>Threading: the loop's, but {@link #isValid()}, {@link #submit} and {@link #cancel()} from any thread.
 */
final class Guest implements IoRegistration, Runnable {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(Guest.class);

    private static final Ready[] READY = new Ready[2 * SelectionKey.OP_ACCEPT];

    static {
        for (int ops = 0; ops < READY.length; ops++) {
            READY[ops] = new Ready(NioIoOps.valueOf(ops));
        }
    }

    /** What a channel is ready for. */
    private record Ready(NioIoOps ops) implements NioIoEvent {}

    private final Guests guests;
    private final NioIoHandle handle;
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private volatile SelectionKey key;
    /** What the channel waits for. A closed selector has forgotten it. */
    private volatile int interest;

    /**
     * @throws CancelledKeyException if the selector still has a cancelled key of the channel
     * @throws IOException           if the channel is closed
     */
    Guest(Guests guests, NioIoHandle handle, Selector selector) throws IOException {
        this.guests = guests;
        this.handle = handle;
        key = channel().register(selector, 0); // a cancelled key, which it refuses, would take this guest
        key.attach(this);
    }

    /**
     * A guest for which the selecting thread selects.
     *
     * @throws IOException if the system has no selector
     */
    Guest(Guests guests, NioIoHandle handle) throws IOException {
        this.guests = guests;
        this.handle = handle;
        key = guests.newKey(this);
    }

    SelectableChannel channel() {
        return handle.selectableChannel();
    }

    /** The loop's selector has found the channel ready. */
    @Override
    public void run() {
        guests.addReady(this);
    }

    /** Handles what the loop's selector has found. */
    void onReady() {
        try {
            handle(readyOps());
        } catch (Throwable e) {
            logger.warn("failed to handle what {} is ready for", channel(), e);
        }
    }

    private int readyOps() {
        try {
            return key.readyOps() & key.interestOps(); // the channel may have lost interest since
        } catch (CancelledKeyException e) {
            return 0;
        }
    }

    /** Handles what the channel is ready for. */
    void handle(int ops) {
        if (cancelled.get()) {
            return; // to another loop, or for good
        }
        if (!channel().isOpen()) {
            closeHandle(); // as NioIoHandler does
        } else if (ops != 0) {
            handle.handle(this, READY[ops]);
        }
    }

    /** Has the selecting thread select for the channel, as the selector of the loop does not work any more. */
    void leaveSelector() {
        SelectionKey left = key;
        if (left instanceof GuestKey || cancelled.get()) {
            return;
        }
        try {
            int ops = left.isValid() ? left.interestOps() : interest; // a channel may have set it without submit()
            left.cancel();
            key = guests.newKey(this);
            key.interestOps(ops);
            if (cancelled.get()) {
                key.cancel(); // by another thread, which has cancelled the other key
            }
        } catch (Exception e) { // the other guests go on
            logger.error("cannot wait for I/O of a channel any more; closing {}", channel(), e);
            close();
        }
    }

    /** Ends the registration and closes the channel. */
    void close() {
        cancel();
        closeHandle();
    }

    private void closeHandle() {
        try {
            handle.close();
        } catch (Exception e) {
            logger.debug("failed to close {}", handle, e);
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T attachment() {
        return (T) key;
    }

    @Override
    public long submit(IoOps ops) {
        if (!isValid()) {
            return -1;
        }
        if (!(ops instanceof NioIoOps nioOps)) {
            throw new IllegalArgumentException("IoOps of type " + StringUtil.simpleClassName(ops) + " not supported");
        }
        key.interestOps(nioOps.value());
        interest = nioOps.value();
        return nioOps.value();
    }

    @Override
    public boolean isValid() {
        return !cancelled.get() && key.isValid();
    }

    @Override
    public boolean cancel() {
        if (!cancelled.compareAndSet(false, true)) {
            return false;
        }
        key.cancel();
        guests.remove(this);
        handle.unregistered();
        return true;
    }
}
