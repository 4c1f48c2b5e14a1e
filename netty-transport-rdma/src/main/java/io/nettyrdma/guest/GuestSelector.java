// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.guest;

import io.netty.channel.ChannelException;
import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that selects for the guests of all event loops that do not wait with a selector. The first of these guests
 * starts it, and it ends with the last.
 *
 * <p>Threading: any for {@link #add}, {@link #update}, {@link #selector()} and {@link #awaitUpdates()}, otherwise its
 * own. A lock is held where the thread starts and ends, and while a guest is added: the thread cannot end in between.
 */
final class GuestSelector implements Runnable {

    static final GuestSelector OF_PROCESS = new GuestSelector();

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(GuestSelector.class);

    // How long it waits until it offers a task again that a loop has refused, or tries a broken selector again.
    private static final long RETRY_MILLIS = 1;

    private static final long UPDATE_SECONDS = 5;

    private final Queue<Runnable> updates = PlatformDependent.newMpscQueue();
    private final Set<GuestKey> keys = new HashSet<>();
    /** Keys whose loop has refused their task: its queue is full. */
    private final List<GuestKey> refused = new ArrayList<>();

    /** Whether the selector has selected once. */
    private boolean works;

    /** {@code null} while there is no thread. */
    private volatile @Nullable Selector selector;

    /**
     * Adds a guest.
     *
     * @throws IOException      if the system has no selector
     * @throws ChannelException if the system has no thread
     */
    synchronized void add(GuestKey key) throws IOException {
        if (selector == null) {
            Selector opened = Selector.open();
            Thread thread = new Thread(this, "rdma-guests");
            thread.setDaemon(true);
            selector = opened;
            works = false;
            try {
                thread.start();
            } catch (OutOfMemoryError e) {
                selector = null;
                opened.close();
                throw new ChannelException("failed to start the thread that selects for channels of NIO", e);
            }
        }
        key.update();
    }

    @Nullable
    Selector selector() {
        return selector;
    }

    /** Has the selecting thread run an update of a guest, or of all. */
    void update(Runnable update) {
        updates.add(update);
        Selector current = selector;
        if (current != null) {
            current.wakeup();
        }
    }

    /** Waits, with a bound, until all updates of this thread are done and the sockets of cancelled keys are closed. */
    void awaitUpdates() {
        CountDownLatch done = new CountDownLatch(1);
        synchronized (this) {
            if (selector == null) {
                return;
            }
            update(() -> {
                try {
                    selectNow();
                } finally {
                    done.countDown();
                }
            });
        }
        try {
            if (!done.await(UPDATE_SECONDS, TimeUnit.SECONDS)) {
                logger.warn("sockets of an event loop that ends are not closed after {} s", UPDATE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // they are closed a little later
        }
    }

    @Override
    public void run() {
        while (!hasEnded()) {
            try {
                current().select(this::onReady, refused.isEmpty() ? 0 : RETRY_MILLIS);
                works = true;
            } catch (CancelledKeyException e) {
                logger.debug("a selector has met a cancelled key", e);
            } catch (Throwable e) {
                onBroken(e);
            }
            refused.removeIf(GuestKey::handOver);
            Runnable update;
            while ((update = updates.poll()) != null) {
                run(update);
            }
        }
    }

    /** Runs an update. What it throws concerns no other guest. */
    private static void run(Runnable update) {
        try {
            update.run();
        } catch (Throwable e) {
            logger.error("internal error of the thread that selects for channels of NIO", e);
        }
    }

    private synchronized boolean hasEnded() {
        if (!keys.isEmpty() || !updates.isEmpty()) {
            return false;
        }
        close(current());
        selector = null;
        refused.clear();
        return true;
    }

    private Selector current() {
        return Objects.requireNonNull(selector);
    }

    private void selectNow() {
        try {
            current().selectNow(this::onReady);
        } catch (IOException | ClosedSelectorException e) {
            onBroken(e);
        }
    }

    private void onReady(SelectionKey selected) {
        GuestKey key = (GuestKey) selected.attachment();
        if (!key.takeReady(selected)) {
            refused.add(key);
        }
    }

    /** Adapts the key of a guest to what its channel wants now. */
    void adapt(GuestKey key) {
        try {
            boolean stays;
            try {
                stays = key.adapt(current());
            } catch (CancelledKeyException e) {
                // The channel was registered before, and a selector keeps a cancelled key until it selects.
                selectNow();
                stays = key.adapt(current());
            }
            if (stays) {
                keys.add(key);
            } else {
                keys.remove(key);
            }
        } catch (ClosedSelectorException e) {
            keys.add(key); // for the next selector
            onBroken(e);
        } catch (ClosedChannelException | CancelledKeyException e) {
            logger.debug("a channel was closed by other means than its event loop: {}", key.channel(), e);
        } catch (Throwable e) {
            fail(key, e);
        }
    }

    private void fail(GuestKey key, Throwable cause) {
        if (!key.fail(cause)) {
            refused.add(key);
        }
    }

    /** Replaces a selector that has failed. Closes the channels if there is no other, or if it never worked. */
    private void onBroken(Throwable cause) {
        Selector broken = current();
        close(broken);
        Throwable failed = cause;
        if (works) {
            works = false;
            logger.error("the selector for channels of NIO on event loops of RDMA has failed; opening another", cause);
            try {
                selector = Selector.open();
                keys.forEach(GuestKey::update);
                return;
            } catch (IOException e) {
                failed = e;
            }
        }
        for (GuestKey key : keys) {
            fail(key, failed);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS));
    }

    private static void close(Selector selector) {
        try {
            selector.close();
        } catch (IOException e) {
            logger.warn("failed to close a selector", e);
        }
    }
}
