// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.RdmaEventChannel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.internal.CallThreads;
import io.nettyrdma.verbs.soft.ring.SharedFile;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Event channel: one selector, and everything that happens on its sockets. Nothing moves by itself; {@link #progress}
 * and {@link #await} do all the work, in the thread that calls them.
 *
 * <p>Threading: one thread at a time, and always the same one in practice; entering from two at once throws. Only
 * {@link #wakeup} may be called by any thread. Ownership: owns the selector, the buffers and, until they are
 * migrated, the sockets of its ids.
 */
final class SoftEventChannel extends RdmaEventChannel {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(SoftEventChannel.class);

    private static final long DRAIN_POLL_MILLIS = 10;

    /**
     * Sockets handled before the completions of their queue pairs are: what a connection needs is in the cache from its
     * read to its write, however many connections are ready.
     */
    static final int READY_AT_ONCE = 16;

    private final SoftContext context;
    private final SoftDevice device;

    private final Selector selector;
    /** Sockets that the selector has found ready and that are not handled. It is asked again when there are none. */
    private final ArrayDeque<SelectionKey> ready = new ArrayDeque<>();

    private final Consumer<SelectionKey> found = ready::add;
    private final CmEventQueue cmEvents = new CmEventQueue();
    private final ArrayDeque<SelectorHandler> turns = new ArrayDeque<>();
    private final BusyConnection busy = new BusyConnection();
    private final AwakeRings rings = new AwakeRings();
    /** Memory of connections that have ended, which callers up the stack may still look at. */
    private final ArrayDeque<SharedFile> released = new ArrayDeque<>();

    private int sharedConnections;

    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final BufferPool buffers;
    private final List<SoftCq> completionQueues = new ArrayList<>(1);
    private final List<SelectorHandler> listeners = new ArrayList<>(1);
    private final AtomicBoolean wakeup = new AtomicBoolean();
    private final AtomicReference<@Nullable Thread> driver = new AtomicReference<>();
    private volatile boolean resumeListeners;
    /**
     * When the selector was last asked, after which what it found was read. Waits end by this time: a peer is not to
     * blame for octets that came while this thread was busy, or did not run.
     */
    private long lookedNanos;

    /**
     * An event channel with a selector of its own.
     *
     * @param context of the objects that hang on it
     */
    SoftEventChannel(SoftContext context) throws IOException {
        super(-1);
        this.context = context;
        this.device = context.device();
        buffers = new BufferPool();
        selector = Selector.open();
        lookedNanos = device.nanoTime();
        device.eventChannels.incrementAndGet();
    }

    SoftContext context() {
        return context;
    }

    SoftDevice device() {
        return device;
    }

    /** Throws if DiSNI's call is to wait: nothing would come while the one thread of an event channel sleeps in it. */
    static void refuseToWait(int timeoutMillis) throws IOException {
        if (timeoutMillis != 0) {
            throw new IOException("call VerbsExtensions.await for a confined event channel");
        }
    }

    BufferPool buffers() {
        return buffers;
    }

    Selector selector() {
        return selector;
    }

    SelectionKey register(SelectableChannel channel, int operations, SelectorHandler handler) throws IOException {
        if (!isOpen()) {
            throw new IOException("event channel is destroyed");
        }
        return channel.register(selector, operations, handler);
    }

    DeadlineQueue.Deadline deadline(long delayNanos, Runnable action) {
        return deadlines.add(device.nanoTime(), delayNanos, action);
    }

    /** Gives {@code handler} a turn in the next progress. */
    void queueTurn(SelectorHandler handler) {
        turns.add(handler);
    }

    /** Connections that have moved to shared memory. */
    int sharedConnections() {
        return sharedConnections;
    }

    void addSharedConnections(int more) {
        sharedConnections += more;
    }

    AwakeRings rings() {
        return rings;
    }

    /** Gives memory back when nothing of a connection is on the stack any more. */
    void release(SharedFile file) {
        released.add(file);
    }

    CmEventQueue cmEvents() {
        return cmEvents;
    }

    void addListener(SelectorHandler listener) {
        listeners.add(listener);
    }

    void removeListener(SelectorHandler listener) {
        listeners.remove(listener);
    }

    /** Gives listeners a turn in the next progress, so that they accept again. Any thread. */
    void resumeListeners() {
        resumeListeners = true;
        wakeup();
    }

    void attach(SoftCq cq) throws IOException {
        if (cq.attachedTo() == this) {
            return;
        }
        if (cq.attachedTo() != null) {
            throw new IOException("completion queue is attached to another event channel");
        }
        completionQueues.add(cq);
        cq.attachTo(this);
    }

    void detach(SoftCq cq) {
        if (completionQueues.remove(cq)) {
            cq.attachTo(null);
        }
    }

    void wakeup() {
        // The selector's own wake-up is used up by any selectNow, so the wish is remembered here.
        if (wakeup.compareAndSet(false, true)) {
            selector.wakeup();
        }
    }

    /** Wakes the thread of this event channel so that its selector lets go of cancelled keys. Any thread. */
    void flushCancelledKeys() {
        selector.wakeup();
    }

    /** Lets go of closed sockets now; the system keeps them open until the selector has forgotten their keys. */
    void releaseClosed() {
        if (isOpen() && driver.get() == null) {
            try {
                // What is ready stays so, and is dispatched by the next progress.
                selector.selectNow(key -> {});
            } catch (IOException e) {
                logger.debug("releasing closed sockets failed", e);
            }
        }
    }

    boolean progress() throws IOException {
        enter();
        try {
            if (!ready.isEmpty()) {
                return handleReady();
            }
            boolean any = runTurns();
            if (busy.poll()) {
                return busy.hasFound() || any;
            }
            boolean enough = rings.poll();
            any |= rings.hasFound();
            if (enough) {
                return any;
            }
            looksNow();
            selector.selectNow(found);
            return handleReady() || any;
        } finally {
            driver.set(null);
        }
    }

    void await(long timeoutNanos) throws IOException {
        enter();
        try {
            if (ready.isEmpty()) {
                awaitReady(timeoutNanos);
            }
            handleReady();
            takeCompletionEvents();
        } finally {
            driver.set(null);
        }
    }

    private void awaitReady(long timeoutNanos) throws IOException {
        boolean any = runTurns();
        any |= takeCompletionEvents();
        any |= wakeup.getAndSet(false);
        boolean enough = rings.poll();
        any |= rings.hasFound();
        if (any && enough) {
            return;
        }
        long nanos = timeoutNanos < 0 ? Long.MAX_VALUE : timeoutNanos;
        looksNow();
        if (any || nanos == 0 || !cmEvents.isEmpty() || !turns.isEmpty()) {
            selector.selectNow(found);
        } else {
            busy.forget();
            select(rings.sleep(nanos));
            wakeup.set(false);
        }
    }

    private void select(long timeoutNanos) throws IOException {
        long nanos = timeoutNanos;
        if (!deadlines.isEmpty()) {
            nanos = Math.min(nanos, deadlines.delayNanos(lookedNanos));
        }
        if (nanos == Long.MAX_VALUE) {
            selector.select(found);
            return;
        }
        // Rounded down, so as not to sleep beyond a deadline; the last fraction of a millisecond is polled away.
        long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
        if (millis == 0) {
            selector.selectNow(found);
        } else {
            selector.select(found, millis);
        }
    }

    private boolean runTurns() {
        boolean any = false;
        if (resumeListeners) {
            resumeListeners = false;
            for (SelectorHandler listener : listeners) {
                turn(listener);
            }
            any = true;
        }
        // Each connection once: those that are ready again afterwards wait for the next progress.
        for (int n = turns.size(); n > 0; n--) {
            any = true;
            turn(turns.remove());
        }
        return any;
    }

    private static void turn(SelectorHandler handler) {
        try {
            handler.turn();
        } catch (Throwable e) {
            handler.onFailure(e);
        }
    }

    /** Handles some of the ready sockets; returns whether anything was done. */
    private boolean handleReady() {
        boolean any = !ready.isEmpty();
        for (int n = Math.min(ready.size(), READY_AT_ONCE); n > 0; n--) {
            dispatch(ready.remove());
        }
        if (ready.isEmpty()) {
            busy.onSelected();
            any |= deadlines.run(lookedNanos);
        }
        return any;
    }

    private void looksNow() {
        if (!deadlines.isEmpty()) {
            lookedNanos = device.nanoTime();
        }
    }

    private boolean takeCompletionEvents() {
        boolean any = false;
        for (int i = 0; i < completionQueues.size(); i++) {
            any |= completionQueues.get(i).acknowledgeEvents();
        }
        return any;
    }

    private void dispatch(SelectionKey key) {
        Object attachment = key.attachment();
        if (attachment instanceof SelectorHandler handler) {
            if (key.isValid()) {
                dispatch(key, handler);
            }
        } else if (attachment instanceof Runnable other) { // a channel of the event loop
            busy.onReady(null);
            other.run();
        }
    }

    private void dispatch(SelectionKey key, SelectorHandler handler) {
        try {
            handler.onReady(key.readyOps());
            busy.onReady(handler);
        } catch (Throwable e) {
            handler.onFailure(e);
        }
    }

    private void enter() throws IOException {
        if (!isOpen()) {
            throw new IOException("event channel is destroyed");
        }
        Thread current = Thread.currentThread();
        if (!driver.compareAndSet(null, current)) {
            throw new IllegalStateException("event channel is driven by " + driver.get() + " and by " + current);
        }
        closeReleased();
    }

    private void closeReleased() {
        while (!released.isEmpty()) {
            released.remove().close();
            device.sharedFiles.decrementAndGet();
        }
    }

    /**
     * As {@link #destroy()}, but first gives connections that have ended time to see the peer's FIN. What a peer sends
     * to a socket that is closed already resets it, and octets under way are lost. A peer that goes on sending for long
     * is left to a thread of its own; each connection bounds that. Not for a thread that drives the peers as well.
     */
    void lingerAndDestroy() throws IOException {
        awaitNone(SoftEventChannel::isEnding);
        if (!hasAny(SoftEventChannel::isEnding)) {
            destroy();
            return;
        }
        CallThreads.start("rdma-lingering-sockets", () -> {
            try {
                while (hasAny(SoftEventChannel::isEnding)) {
                    await(TimeUnit.MILLISECONDS.toNanos(DRAIN_POLL_MILLIS));
                }
                destroy();
            } catch (IOException e) {
                logger.warn("failed to end an event channel", e);
            }
        });
    }

    private static boolean isEnding(SelectorHandler handler) {
        return handler.isDraining() || handler.isLingering();
    }

    /** Gives octets that TCP has not taken yet a bounded chance to go out, then closes all sockets. Idempotent. */
    void destroy() throws IOException {
        if (!isOpen()) {
            return;
        }
        awaitNone(SelectorHandler::isDraining);
        for (SelectionKey key : new ArrayList<>(selector.keys())) {
            if (key.attachment() instanceof SelectorHandler handler) {
                handler.shutdown();
            }
        }
        for (SoftCq cq : new ArrayList<>(completionQueues)) {
            detach(cq);
        }
        close();
        device.eventChannels.decrementAndGet();
        cmEvents.clear();
        turns.clear();
        ready.clear();
        deadlines.clear();
        closeReleased();
        buffers.endStaging();
        if (buffers.taken() != 0) {
            logger.warn("{} buffers of an event channel were not given back", buffers.taken());
        }
        selector.close();
    }

    private void awaitNone(Predicate<SelectorHandler> which) throws IOException {
        long end = System.nanoTime() + device.config.lingerTimeoutNanos();
        while (hasAny(which) && System.nanoTime() - end < 0) {
            await(TimeUnit.MILLISECONDS.toNanos(DRAIN_POLL_MILLIS));
        }
    }

    private boolean hasAny(Predicate<SelectorHandler> which) {
        if (!isOpen()) {
            return false;
        }
        for (SelectionKey key : selector.keys()) {
            if (key.isValid() && key.attachment() instanceof SelectorHandler handler && which.test(handler)) {
                return true;
            }
        }
        return false;
    }
}
