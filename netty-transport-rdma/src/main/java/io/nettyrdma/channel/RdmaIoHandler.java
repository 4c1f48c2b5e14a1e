/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.channel;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.netty.channel.ChannelException;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.VerbsExtensions;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Drives RDMA channels on a Netty event loop:
 *
 * <pre>{@code
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
 * new ServerBootstrap().group(group).channel(RdmaServerChannel.class)...
 * }</pre>
 *
 * <p>Each turn of the loop lets the provider make progress, handles completions before connection events (so that what
 * a peer sent before it disconnected is seen first), and posts again what receives came back. Without work it looks for
 * completions for {@link RdmaIoHandlerConfig#spin()}, arms the completion queues, looks once more because a completion
 * may have come in between, and blocks.
 *
 * <p>Threading: as {@link IoHandler} says; {@link #wakeup()} from any thread. Ownership: one event channel, and per
 * device one {@link LoopDevice}; all are closed by {@link #destroy()}.
 */
public final class RdmaIoHandler implements IoHandler {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(RdmaIoHandler.class);

    // How long destroy() waits for the completions of requests that were flushed.
    private static final long FLUSH_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final ThreadAwareExecutor executor;
    private final RdmaIoHandlerConfig config;
    private final VerbsExtensions verbs;
    private final RdmaEventChannel events;
    private final long spinNanos;
    private final IntObjectMap<RdmaRegistration> registrations = new IntObjectHashMap<>();
    private final Map<RdmaCmId, RdmaRegistration> watched = new IdentityHashMap<>();
    private final List<LoopDevice> devices = new ArrayList<>(1);
    private final ArrayList<RdmaRegistration> touched = new ArrayList<>();
    private final ArrayDeque<Runnable> beforeWaiting = new ArrayDeque<>();
    private final RdmaCompletion completion = new RdmaCompletion();
    private final AtomicBoolean wakenUp = new AtomicBoolean();
    private int lastId;
    private boolean destroyed;

    private RdmaIoHandler(ThreadAwareExecutor executor, RdmaIoHandlerConfig config, VerbsExtensions verbs) {
        this.executor = executor;
        this.config = config;
        spinNanos = config.spin().toNanos();
        this.verbs = verbs;
        try {
            events = verbs.openConfinedEventChannel();
        } catch (IOException e) {
            throw new ChannelException("failed to open an RDMA event channel", e);
        }
    }

    /** A factory of handlers with the default settings. */
    public static IoHandlerFactory newFactory() {
        return newFactory(RdmaIoHandlerConfig.DEFAULT);
    }

    /**
     * A factory of handlers.
     *
     * @throws UnsatisfiedLinkError if RDMA is not available, see {@link Rdma#unavailabilityCause()}
     */
    public static IoHandlerFactory newFactory(RdmaIoHandlerConfig config) {
        return newFactory(config, Rdma.provider().extensions());
    }

    /** A factory of handlers over a provider's extensions, which tests make fail. */
    static IoHandlerFactory newFactory(RdmaIoHandlerConfig config, VerbsExtensions verbs) {
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new RdmaIoHandler(executor, config, verbs);
            }

            @Override
            public boolean isChangingThreadSupported() {
                return true; // a loop without channels may be suspended, and resumed on another thread
            }
        };
    }

    @Override
    public void initialize() {
        // Also called when a suspended loop resumes, then on another thread.
        for (LoopDevice device : devices) {
            device.memory().owner(Thread.currentThread());
        }
        if (!devices.isEmpty()) {
            RdmaByteBufAllocator.loopPool(devices.get(0).memory());
        }
    }

    VerbsExtensions verbs() {
        return verbs;
    }

    RdmaEventChannel events() {
        return events;
    }

    /** This loop's share of a device, made when the first connection of the loop names it. */
    LoopDevice device(IbvContext context) throws IOException {
        for (LoopDevice device : devices) {
            if (device.context() == context) {
                return device;
            }
        }
        LoopDevice device = new LoopDevice(verbs, events, context, config.completionQueueDepth(), this::interrupt);
        devices.add(device);
        if (devices.size() == 1) {
            RdmaByteBufAllocator.loopPool(device.memory());
        }
        return device;
    }

    /** Runs {@code task} in the next turn of the loop, before it waits. */
    void beforeWaiting(Runnable task) {
        beforeWaiting.add(task);
    }

    /** Runs {@code task} on this loop; here and now if the loop has ended. */
    void runOrExecute(Runnable task) {
        if (executor.isExecutorThread(Thread.currentThread())) {
            task.run();
        } else {
            try {
                executor.execute(task);
            } catch (RejectedExecutionException e) {
                task.run();
            }
        }
    }

    @Override
    public int run(IoHandlerContext context) {
        boolean report = context.shouldReportActiveIoTime();
        long activeSince = report ? System.nanoTime() : 0;
        int handled = 0;
        try {
            if (context.canBlock()) {
                handled = waitForWork(context);
                activeSince = report ? System.nanoTime() : 0;
                handled += handleEvents();
            } else {
                handled = poll();
            }
        } catch (IOException | RuntimeException e) {
            // A provider that fails here fails for all channels of the loop; they cannot be told apart.
            logger.error("RDMA event loop I/O failed; closing its {} channels", registrations.size(), e);
            closeAll();
        }
        if (report) {
            context.reportActiveIoTime(System.nanoTime() - activeSince);
        }
        return handled;
    }

    /** Waits, unless there is something to do first; either way the provider makes progress once. */
    private int waitForWork(IoHandlerContext context) throws IOException {
        int handled = spin(context);
        if (handled > 0 || !context.canBlock()) {
            return handled;
        }
        // From here on other threads wake the loop up. What they left before is found by handleEvents() or canBlock().
        wakenUp.set(false);
        for (int i = 0; i < devices.size(); i++) {
            devices.get(i).arm();
        }
        // What completed before the queues were armed raises no event: look once more.
        handled = handleEvents();
        long delay = 0;
        if (handled == 0 && context.canBlock()) {
            delay = context.deadlineNanos() == -1 ? -1 : Math.max(0, context.delayNanos(System.nanoTime()));
        }
        if (delay == 0) {
            verbs.progress(events);
        } else {
            verbs.await(events, delay);
        }
        // While the loop works, nobody needs to wake it: it looks at everything before it blocks again.
        wakenUp.set(true);
        return handled;
    }

    private int spin(IoHandlerContext context) throws IOException {
        if (spinNanos == 0 || registrations.isEmpty()) {
            return 0;
        }
        long now = System.nanoTime();
        long end = now + spinNanos;
        do {
            Thread.yield(); // the peer, or whoever has work, may share this core
            int handled = poll();
            if (handled > 0) {
                return handled;
            }
            now = System.nanoTime();
        } while (now - end < 0 && context.canBlock() && context.delayNanos(now) > 0);
        return 0;
    }

    /** One turn: progress, and what comes of it. */
    private int poll() throws IOException {
        verbs.progress(events);
        return handleEvents();
    }

    /** What is there already: completions, connection events, and what channels want done before the loop waits. */
    private int handleEvents() throws IOException {
        int handled = pollAllCompletions();
        handled += pollCmEvents();
        Runnable task;
        while ((task = beforeWaiting.poll()) != null) {
            task.run();
        }
        return handled;
    }

    private int pollAllCompletions() throws IOException {
        int handled = 0;
        int before;
        do {
            before = handled;
            for (int i = 0; i < devices.size(); i++) {
                LoopDevice device = devices.get(i);
                device.memory().drainReturned();
                handled += pollCompletions(device);
            }
            endBatch();
            // Again, because what a software provider is given to send has mostly completed when the post returns.
        } while (handled > before && handled < config.maxCompletionsPerRun());
        return handled;
    }

    private int pollCompletions(LoopDevice device) throws IOException {
        int handled = 0;
        int count;
        do {
            count = device.poll();
            for (int i = 0; i < count; i++) {
                dispatch(completion.set(device.completion(i)));
            }
            handled += count;
        } while (count == device.pollBatch() && handled < config.maxCompletionsPerRun());
        return handled;
    }

    private void dispatch(RdmaCompletion event) {
        RdmaRegistration registration = registrations.get(WorkRequestId.registration(event.workRequestId()));
        if (registration == null) {
            logger.error("completion 0x{} belongs to no channel", Long.toHexString(event.workRequestId()));
            return;
        }
        if (registration.touch()) {
            touched.add(registration);
        }
        registration.handle().handle(registration, event);
        removeIfDone(registration);
    }

    private void endBatch() {
        for (int i = 0; i < touched.size(); i++) {
            RdmaRegistration registration = touched.get(i);
            registration.untouch();
            registration.handle().handle(registration, RdmaBatchEnd.INSTANCE);
        }
        touched.clear();
    }

    private int pollCmEvents() throws IOException {
        int handled = 0;
        RdmaCmEvent event;
        while (handled < config.maxCmEventsPerRun() && (event = verbs.pollCmEvent(events)) != null) {
            handled++;
            boolean request = event.getEvent() == RdmaCmIoEvent.CONNECT_REQUEST;
            RdmaCmId id = request ? event.getListenIdPriv() : event.getConnIdPriv();
            RdmaRegistration registration = watched.get(id);
            try {
                if (registration != null) {
                    registration.handle().handle(registration, new RdmaCmIoEvent(event));
                } else if (request) {
                    verbs.reject(event.getConnIdPriv(), new byte[0]); // its listener was closed in the meantime
                    event.getConnIdPriv().destroyId();
                }
            } finally {
                event.ackEvent();
            }
        }
        return handled;
    }

    void watch(RdmaCmId id, RdmaRegistration registration) {
        watched.put(id, registration);
    }

    void unwatch(RdmaCmId id) {
        watched.remove(id);
    }

    @Override
    public void wakeup() {
        if (!executor.isExecutorThread(Thread.currentThread())) {
            interrupt();
        }
    }

    private void interrupt() {
        if (wakenUp.compareAndSet(false, true)) {
            verbs.wakeup(events);
        }
    }

    @Override
    public IoRegistration register(IoHandle handle) {
        if (!(handle instanceof RdmaIoHandle rdmaHandle)) {
            throw new IllegalArgumentException("not an RDMA channel: " + handle);
        }
        if (destroyed) {
            throw new IllegalStateException("the event loop has ended");
        }
        int id = nextId();
        RdmaRegistration registration = new RdmaRegistration(this, rdmaHandle, id);
        registrations.put(id, registration);
        rdmaHandle.registered();
        return registration;
    }

    private int nextId() {
        do {
            lastId++; // wraps; a number is free again when its last completion is in
        } while (registrations.containsKey(lastId));
        return lastId;
    }

    void cancelled(RdmaRegistration registration) {
        if (executor.isExecutorThread(Thread.currentThread())) {
            removeIfDone(registration);
        } else {
            executor.execute(() -> removeIfDone(registration));
        }
    }

    private void removeIfDone(RdmaRegistration registration) {
        if (!registration.isValid() && !registration.handle().hasOutstanding()) {
            remove(registration);
        }
    }

    /** Takes a registration out, whatever is outstanding. */
    void remove(RdmaRegistration registration) {
        if (registrations.remove(registration.id()) != null) {
            registration.handle().unregistered();
        }
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return RdmaIoHandle.class.isAssignableFrom(handleType);
    }

    @Override
    public void prepareToDestroy() {
        closeAll();
    }

    private void closeAll() {
        for (RdmaRegistration registration : new ArrayList<>(registrations.values())) {
            registration.handle().close();
        }
    }

    @Override
    public void destroy() {
        if (destroyed) {
            return;
        }
        destroyed = true;
        try {
            closeAll();
            awaitOutstanding();
            for (RdmaRegistration registration : new ArrayList<>(registrations.values())) {
                registration.end();
            }
            for (LoopDevice device : devices) {
                device.close();
            }
            verbs.closeEventChannel(events);
        } catch (IOException | RuntimeException e) {
            logger.error("failed to end an RDMA event loop; some of its resources stay until the JVM ends", e);
        }
        RdmaByteBufAllocator.loopPool(null);
    }

    /**
     * Waits, with a bound, until every request that channels had posted has completed. Connection events are of no
     * interest any more.
     */
    private void awaitOutstanding() throws IOException {
        long end = System.nanoTime() + FLUSH_TIMEOUT_NANOS;
        verbs.progress(events);
        pollAllCompletions();
        while (anyOutstanding()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                logger.warn("{} channels still wait for completions; going on without", registrations.size());
                return;
            }
            verbs.await(events, Math.min(left, TimeUnit.MILLISECONDS.toNanos(10)));
            pollAllCompletions();
        }
    }

    private boolean anyOutstanding() {
        for (RdmaRegistration registration : registrations.values()) {
            if (registration.handle().hasOutstanding()) {
                return true;
            }
        }
        return false;
    }
}
