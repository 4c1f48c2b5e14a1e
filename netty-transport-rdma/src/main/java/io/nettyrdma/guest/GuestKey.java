// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.guest;

import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The key of a guest for which the selecting thread selects, as its channel sees it. Its interest is what the channel
 * has submitted, also while it is set aside. As a task of the loop, it handles the readiness that the thread has found.
 *
 * <p>Threading: the loop's, but for methods that say otherwise; the public ones, but {@link #run()}, from any thread.
 */
final class GuestKey extends SelectionKey implements Runnable {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(GuestKey.class);

    private final ThreadAwareExecutor loop;
    private final Guest guest;
    private final GuestSelector selecting;
    private final Runnable adapting = this::adaptKey;
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

    GuestKey(ThreadAwareExecutor loop, Guest guest, GuestSelector selecting) {
        this.loop = loop;
        this.guest = guest;
        this.selecting = selecting;
    }

    /** Handles what the channel is ready for; then the selecting thread looks at the channel again. */
    @Override
    public void run() {
        try {
            if (ended) {
                return;
            }
            if (failed) {
                guest.close();
            } else {
                guest.handle(ready & interest); // the channel may have lost interest since
            }
        } finally {
            handed = false;
            if (interest != 0 && isValid()) {
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
            key = channel().register(selector, ops, this);
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
        logger.error("cannot wait for I/O of a channel; closing {}", channel(), cause);
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
            logger.debug("an event loop takes no task now; the I/O of {} waits", channel(), e);
            return false;
        }
    }

    @Override
    public SelectableChannel channel() {
        return guest.channel();
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
