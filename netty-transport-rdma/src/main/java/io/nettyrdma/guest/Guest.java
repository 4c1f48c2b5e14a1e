// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.guest;

import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.StringUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The registration of a channel of NIO with an event loop of RDMA. As a task of the loop, it handles the readiness that
 * the selecting thread has found.
 *
 * <p>Threading: the loop's, but for methods that say otherwise; {@link #isValid()}, {@link #submit} and {@link
 * #cancel()} from any thread.
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

    private final ThreadAwareExecutor loop;
    private final NioIoHandle handle;
    private final Set<Guest> guestsOfLoop;
    private final GuestSelector selecting;
    private final SelectionKey shown = new ShownKey();
    private final Runnable adapting = this::adaptKey;
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private final AtomicBoolean updating = new AtomicBoolean();
    /** What the channel waits for. */
    private volatile int interest;
    /** Whether the loop has readiness to handle. The selecting thread sets it, and the loop takes it back. */
    private volatile boolean handed;

    private volatile int ready;
    /** Whether the key is to be cancelled, or is. */
    private volatile boolean ended;
    /** Whether the selecting thread cannot select for the channel. */
    private volatile boolean failed;

    /** The selecting thread's. */
    private @Nullable SelectionKey key;

    Guest(ThreadAwareExecutor loop, NioIoHandle handle, Set<Guest> guestsOfLoop, GuestSelector selecting) {
        this.loop = loop;
        this.handle = handle;
        this.guestsOfLoop = guestsOfLoop;
        this.selecting = selecting;
    }

    /** Handles what the channel is ready for; then the selecting thread looks at the channel again. */
    @Override
    public void run() {
        try {
            int ops = ready & interest; // the channel may have lost interest since
            if (ended) {
                return; // to another loop, or for good
            }
            if (failed) {
                close();
            } else if (!handle.selectableChannel().isOpen()) {
                closeHandle(); // as NioIoHandler does
            } else if (ops != 0) {
                handle.handle(this, READY[ops]);
            }
        } finally {
            handed = false;
            if (interest != 0 && shown.isValid()) {
                update();
            }
        }
    }

    /** Has the selecting thread adapt the key. Any thread. */
    void update() {
        if (updating.compareAndSet(false, true)) {
            selecting.update(adapting);
        }
    }

    private void adaptKey() {
        selecting.adapt(this);
    }

    /**
     * Adapts the key to what the channel wants now; the selecting thread calls this.
     *
     * @return whether the guest stays
     * @throws CancelledKeyException if the selector still has a cancelled key of the channel
     */
    boolean adapt(Selector selector) throws IOException {
        updating.set(false);
        if (ended) {
            if (key != null) {
                key.cancel();
            }
            return false;
        }
        int ops = handed ? 0 : interest;
        if (key == null || key.selector() != selector) {
            key = handle.selectableChannel().register(selector, ops, this);
        } else {
            key.interestOps(ops);
        }
        return true;
    }

    /**
     * Takes what the channel is ready for, for the loop; the selecting thread calls this.
     *
     * @return whether the loop has taken the task
     */
    boolean takeReady(SelectionKey selected) {
        try {
            ready = selected.readyOps();
            selected.interestOps(0);
        } catch (CancelledKeyException e) {
            return true; // closed; the loop knows
        }
        handed = true;
        return handOver();
    }

    /** Has the loop close the channel, for which the selecting thread cannot select; that thread calls this. */
    boolean fail(Throwable cause) {
        if (failed || ended) {
            return true;
        }
        logger.error("cannot wait for I/O of a channel; closing {}", handle.selectableChannel(), cause);
        failed = true;
        handed = true;
        return handOver();
    }

    /** Gives the loop its task; returns whether it needs no other try. The selecting thread calls this. */
    boolean handOver() {
        try {
            if (!ended) {
                loop.execute(this);
            }
            return true;
        } catch (Throwable e) {
            logger.debug("an event loop takes no task now; the I/O of {} waits", handle, e);
            return false;
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
        return (T) shown;
    }

    @Override
    public long submit(IoOps ops) {
        if (!isValid()) {
            return -1;
        }
        if (!(ops instanceof NioIoOps nioOps)) {
            throw new IllegalArgumentException("IoOps of type " + StringUtil.simpleClassName(ops) + " not supported");
        }
        shown.interestOps(nioOps.value());
        return nioOps.value();
    }

    @Override
    public boolean isValid() {
        return !cancelled.get() && shown.isValid();
    }

    @Override
    public boolean cancel() {
        if (!cancelled.compareAndSet(false, true)) {
            return false;
        }
        guestsOfLoop.remove(this);
        shown.cancel();
        handle.unregistered();
        return true;
    }

    /** The key that the channel sees. Its interest is what the channel has submitted, also while it is set aside. */
    private final class ShownKey extends SelectionKey {

        @Override
        public SelectableChannel channel() {
            return handle.selectableChannel();
        }

        @Override
        public Selector selector() {
            Selector selector = selecting.selector();
            if (selector == null) {
                throw new ClosedSelectorException();
            }
            return selector;
        }

        @Override
        public boolean isValid() {
            return !ended && channel().isOpen();
        }

        @Override
        public void cancel() {
            ended = true;
            update();
        }

        private void ensureValid() {
            if (!isValid()) {
                throw new CancelledKeyException();
            }
        }

        @Override
        public int interestOps() {
            ensureValid();
            return interest;
        }

        @Override
        public SelectionKey interestOps(int ops) {
            ensureValid();
            if ((ops & ~channel().validOps()) != 0) {
                throw new IllegalArgumentException(
                        "ops: " + ops + " (expected: some of " + channel().validOps() + ')');
            }
            if (interest != ops) {
                interest = ops;
                if (!handed) { // otherwise run() comes
                    update();
                }
            }
            return this;
        }

        @Override
        public int readyOps() {
            ensureValid();
            return ready;
        }
    }
}
