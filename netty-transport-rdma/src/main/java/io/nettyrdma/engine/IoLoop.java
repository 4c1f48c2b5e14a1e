// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.netty.channel.ChannelException;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.error.RdmaDeviceException;
import io.nettyrdma.guest.Guests;
import io.nettyrdma.internal.CallThreads;
import io.nettyrdma.memory.LoopAllocator;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The input and output of an event loop. Each turn lets the provider make progress and handles completions. Before each
 * connection event it polls for completions again: messages that a peer sent before it disconnected come first. Then it
 * posts returned receives again. Without work it polls for completions for a while, unless others need the processor,
 * arms the completion queues, polls once more because a completion may have arrived in between, and blocks. Channels of
 * NIO are guests: the loop handles their I/O after its own, or as tasks.
 *
 * <p>Threading: as for {@link IoHandler}; {@link #wakeup()} from any thread. Ownership: one event channel, and per
 * device one {@link LoopDevice}; all are closed by {@link #destroy()}.
 */
public class IoLoop implements IoHandler {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(IoLoop.class);

    // Completions and connection events that are handled before the loop runs its tasks.
    private static final int MAX_COMPLETIONS_PER_RUN = 1024;
    private static final int MAX_CM_EVENTS_PER_RUN = 128;

    private static final int SAMPLE_SECONDS = 1;

    // How long the peer of a closed channel may take no byte before another thread waits for it.
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    // How long that thread waits for the next byte. A peer whose host is gone ends its connection long before.
    private static final long STUCK_NANOS = TimeUnit.HOURS.toNanos(1);

    // How long destroy() waits for the next byte of what channels have posted, if no promise has succeeded for it.
    private static final long SEND_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

    // How long destroy() waits until all of it is sent.
    private static final long ALL_SENDS_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

    // How long destroy() waits for the completions of requests that were flushed.
    private static final long FLUSH_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

    // How long the end of a loop waits before it looks at everything again.
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ThreadAwareExecutor executor;
    private final VerbsExtensions verbs;
    private final LoopAllocator allocator;
    private final RdmaEventChannel events;
    private final long spinNanos;
    private final Spinning spinning = new Spinning();
    private final Registrations registrations = new Registrations();
    private final List<LoopDevice> devices = new ArrayList<>(1);
    private final CompletionDispatch completions;
    private final CmEventDispatch cmEvents;
    private final LoopCalls calls;
    private final Guests guests;
    private final ArrayDeque<Runnable> beforeWaiting = new ArrayDeque<>();
    private final AtomicBoolean wakenUp = new AtomicBoolean();
    private final Runnable closingHook = this::prepareToDestroy;
    /** Whether the loop is about to end, so that what it took on now would only be closed again. */
    private boolean ending;

    private boolean destroyed;
    private boolean measured;
    private @Nullable Future<?> sampling;
    /** Failures, which belong to no device. */
    private final LoopSample failures = new LoopSample();

    private volatile LoopSample sample = new LoopSample();
    /** The thread that runs the loop; it changes when a suspended loop resumes. */
    private volatile @Nullable Thread thread;

    /** Why the loop has no provider any more. It goes on running tasks. */
    private volatile @Nullable RdmaDeviceException failure;

    /**
     * @param allocator what the memory of the loop names as its allocator
     * @param spin      how long the loop polls before it blocks; 0 blocks at once
     */
    public IoLoop(ThreadAwareExecutor executor, VerbsExtensions verbs, LoopAllocator allocator, Duration spin) {
        this.executor = executor;
        this.verbs = verbs;
        this.allocator = allocator;
        spinNanos = spin.toNanos();
        completions = new CompletionDispatch(devices, registrations, MAX_COMPLETIONS_PER_RUN, this::runBeforeWaiting);
        calls = new LoopCalls(executor, verbs, this::interrupt);
        try {
            events = verbs.openConfinedEventChannel();
        } catch (IOException e) {
            throw new ChannelException("failed to open an RDMA event channel", e);
        }
        guests = new Guests(executor, verbs.selector(events));
        cmEvents = new CmEventDispatch(verbs, events, registrations, completions, MAX_CM_EVENTS_PER_RUN);
    }

    @Override
    public void initialize() {
        // Also called when a suspended loop resumes, then on another thread.
        thread = Thread.currentThread();
        RunningLoops.add(this);
        JvmEnd.add(this);
        if (executor instanceof SingleThreadEventExecutor loop) {
            // With a quiet period of 0, Netty may end the loop without prepareToDestroy(), and destroy() is too late to
            // tell pipelines: their tasks are refused by then. Hooks run before; adding one again changes nothing.
            loop.addShutdownHook(closingHook);
        }
        for (LoopDevice device : devices) {
            device.memory().owner(Thread.currentThread());
        }
        if (!devices.isEmpty()) {
            LoopAllocator.pool(devices.get(0).memory());
        }
    }

    /** Has the loop take a sample of its values each second that it has channels, until it ends. Any thread. */
    public void takeSamples() {
        try {
            executor.execute(() -> {
                measured = true;
                startSampling();
            });
        } catch (RejectedExecutionException e) {
            logger.debug("an RDMA event loop that ends takes no samples", e);
        }
    }

    private void startSampling() {
        if (measured && sampling == null && executor instanceof ScheduledExecutorService loop) {
            sampling = loop.scheduleAtFixedRate(this::takeSample, 0, SAMPLE_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Without channels, the sample is the last one, so that a timer wakes no loop that is suspended. */
    private void takeSample() {
        if (registrations.isEmpty() && sampling != null) {
            sampling.cancel(false);
            sampling = null;
        }
        LoopSample taken = new LoopSample();
        taken.addAll(failures);
        registrations.addTo(taken);
        taken.add(LoopMeter.SHARED, verbs.sharedConnections(events));
        for (LoopDevice device : devices) {
            device.addTo(taken);
        }
        sample = taken;
    }

    void count(LoopMeter failure) {
        failures.add(failure, 1);
    }

    /** Returns a value as it was when the last sample was taken; 0 before the first. Any thread. */
    public long value(LoopMeter meter) {
        return sample.value(meter);
    }

    VerbsExtensions verbs() {
        return verbs;
    }

    RdmaEventChannel events() {
        return events;
    }

    /** The calls that may hold their caller. */
    LoopCalls calls() {
        return calls;
    }

    /** This loop's share of a device, made when the first connection of the loop names it. */
    LoopDevice device(IbvContext context) throws IOException {
        for (LoopDevice device : devices) {
            if (device.isOf(context)) {
                RdmaDeviceException failed = device.failure();
                if (failed != null) {
                    throw new RdmaDeviceException("the RDMA device of this event loop has failed", failed);
                }
                return device;
            }
        }
        LoopDevice device = new LoopDevice(verbs, events, context, allocator, this::interrupt, this::onDeviceFailed);
        devices.add(device);
        if (devices.size() == 1) {
            LoopAllocator.pool(device.memory());
        }
        return device;
    }

    /** Handles all completions that there are now; not from where one is handled. */
    void handleCompletions() {
        completions.pollQueue();
    }

    /** Runs {@code task} when the completions at hand are handled, before the loop looks for others or waits. */
    void beforeWaiting(Runnable task) {
        beforeWaiting.add(task);
    }

    /** Runs {@code task} on this loop; here and now if the loop has ended. */
    void runOrExecute(Runnable task) {
        if (!runUnlessEnded(task)) {
            task.run();
        }
    }

    /**
     * Runs {@code task} on this loop, or on the thread that still sends for it when it has ended; returns whether it
     * does.
     */
    boolean runUnlessEnded(Runnable task) {
        if (executor.isExecutorThread(Thread.currentThread()) || Thread.currentThread() == thread) {
            task.run();
            return true;
        }
        try {
            executor.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Closes the channels on a device that does not work any more; no completion of theirs will come. */
    private void onDeviceFailed(LoopDevice device) {
        RdmaDeviceException failed = Objects.requireNonNull(device.failure());
        logger.error("an RDMA device has failed; closing the channels of this event loop on it", failed);
        registrations.fail(handle -> handle.isOn(device), failed);
    }

    /** Closes all channels, as the provider does not work any more. From now on the loop only runs tasks. */
    private void onProviderFailed(Throwable cause) {
        RdmaDeviceException failed = new RdmaDeviceException("the RDMA provider of an event loop has failed", cause);
        failure = failed;
        logger.error("RDMA I/O of an event loop has failed; closing its {} channels", registrations.size(), failed);
        registrations.fail(handle -> true, failed);
        guests.leaveSelector();
    }

    private int waitForTasks(IoHandlerContext context) {
        calls.runReturned();
        for (LoopDevice device : devices) {
            device.memory().drainReturned(); // handlers may still hold messages, and release them elsewhere
        }
        if (context.canBlock()) {
            long delay = context.deadlineNanos() == -1 ? Long.MAX_VALUE : context.delayNanos(System.nanoTime());
            if (delay > 0) {
                park(delay);
            }
        }
        return 0;
    }

    @Override
    public int run(IoHandlerContext context) {
        if (failure != null) {
            return waitForTasks(context);
        }
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
        } catch (Throwable e) {
            onProviderFailed(e); // for all channels of the loop; they cannot be told apart
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
            awaitProvider(delay);
        }
        // While the loop works, no thread needs to wake it: it looks at everything before it blocks again.
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
            if (!spinning.isAllowed(now)) {
                return 0;
            }
            Thread.yield(); // the peer, or another thread that has work, may share this core
            spinning.onYielded(now, System.nanoTime());
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

    /** Handles completions, connection events and ready guests, and returns their number; runs what must not wait. */
    private int handleEvents() throws IOException {
        calls.runReturned();
        int handled = completions.pollAll();
        handled += cmEvents.pollAll();
        handled += guests.handleReady();
        runBeforeWaiting();
        return handled;
    }

    private void runBeforeWaiting() {
        Runnable task;
        while ((task = beforeWaiting.poll()) != null) {
            LoopCalls.contain(task);
        }
    }

    void watch(RdmaCmId id, RdmaRegistration registration) {
        registrations.watch(id, registration);
    }

    void unwatch(RdmaCmId id) {
        registrations.unwatch(id);
    }

    @Override
    public void wakeup() {
        if (!executor.isExecutorThread(Thread.currentThread())) {
            interrupt();
        }
    }

    private void interrupt() {
        if (failure != null) {
            LockSupport.unpark(thread);
        } else if (wakenUp.compareAndSet(false, true)) {
            verbs.wakeup(events);
        }
    }

    @Override
    public IoRegistration register(IoHandle handle) throws IOException {
        if (handle instanceof NioIoHandle guest) {
            return guests.register(guest);
        }
        if (!(handle instanceof RdmaIoHandle rdmaHandle)) {
            throw new IllegalArgumentException("neither a channel of RDMA nor one of NIO: " + handle);
        }
        if (ending) {
            throw new IllegalStateException("the event loop is shutting down; use another");
        }
        RdmaDeviceException failed = failure;
        if (failed != null) {
            throw new IllegalStateException("the RDMA provider of the event loop has failed", failed);
        }
        RdmaRegistration registration = registrations.add(this, rdmaHandle);
        startSampling();
        rdmaHandle.registered();
        return registration;
    }

    void onCancelled(RdmaRegistration registration) {
        if (executor.isExecutorThread(Thread.currentThread())) {
            registrations.removeIfDone(registration);
        } else {
            executor.execute(() -> registrations.removeIfDone(registration));
        }
    }

    /** Takes a registration out, whatever is outstanding. */
    void remove(RdmaRegistration registration) {
        registrations.remove(registration);
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return RdmaIoHandle.class.isAssignableFrom(handleType) || NioIoHandle.class.isAssignableFrom(handleType);
    }

    @Override
    public void prepareToDestroy() {
        ending = true;
        registrations.closeAll();
        guests.closeAll();
    }

    /**
     * Ends the loop. What closed channels have taken goes on to their peers, as it would from a kernel's sockets: if a
     * peer pauses, on a thread of its own, so that the end of a group does not wait for its peers.
     */
    @Override
    public void destroy() {
        if (destroyed) {
            return;
        }
        destroyed = true;
        RunningLoops.remove(this);
        EndSteps steps = new EndSteps().then(this::prepareToDestroy).then(guests::awaitClosed);
        LoopAllocator.pool(null);
        steps.then(() -> awaitSends(PAUSE_NANOS));
        if (failure != null || !registrations.anyUnsent()) {
            end(steps);
            return;
        }
        logger.debug("{} closed channels still have bytes for peers that pause", registrations.size());
        thread = CallThreads.start("rdma-closed-connections", () -> end(steps.then(this::sendOn)));
    }

    /** Goes on until the peers of closed channels have taken all bytes. */
    private void sendOn() throws IOException {
        for (LoopDevice device : devices) {
            device.memory().owner(Thread.currentThread());
        }
        long moved = registrations.moved();
        long since = System.nanoTime();
        while (registrations.anyUnsent() && System.nanoTime() - since < STUCK_NANOS) {
            awaitCompletions(PAUSE_NANOS);
            if (registrations.moved() != moved) {
                moved = registrations.moved();
                since = System.nanoTime();
            }
        }
    }

    private void end(EndSteps steps) {
        steps.then(() -> awaitSends(SEND_TIMEOUT_NANOS)).then(this::flush);
        for (RdmaRegistration registration : registrations.all()) {
            steps.then(registration::end);
        }
        steps.then(() -> calls.awaitAll(failure == null ? this::awaitProvider : this::park, this::park));
        for (LoopDevice device : devices) {
            steps.then(device::close);
        }
        Throwable failed = steps.then(() -> verbs.closeEventChannel(events)).failure();
        if (failed != null) {
            logger.error("failed to end an RDMA event loop; some of its resources stay until the JVM ends", failed);
        }
        JvmEnd.remove(this);
    }

    /** Asks from another thread whether bytes whose promise has succeeded are not sent; completed by the loop. */
    CompletableFuture<Boolean> askForUnsent() {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        try {
            executor.execute(() -> answer.complete(registrations.anyUnsent()));
        } catch (RejectedExecutionException e) {
            answer.complete(true); // until its end is over
        }
        return answer;
    }

    /**
     * Gives channels that have closed time to send what they had posted, as long as bytes move within the time.
     */
    private void awaitSends(long timeoutNanos) throws IOException {
        if (failure != null) {
            return;
        }
        verbs.progress(events);
        long end = System.nanoTime() + ALL_SENDS_TIMEOUT_NANOS;
        long moved;
        do {
            moved = registrations.moved();
            if (awaitCompletions(timeoutNanos)) {
                return;
            }
        } while (registrations.moved() != moved && System.nanoTime() - end < 0);
    }

    /** Flushes the requests that were not sent in time, and waits for their completions with a bound. */
    private void flush() throws IOException {
        // A provider that has failed completes nothing.
        if (failure == null && registrations.anyOutstanding()) {
            registrations.flushAll();
            if (!awaitCompletions(FLUSH_TIMEOUT_NANOS)) {
                logger.warn("{} channels still wait for completions; closing without them", registrations.size());
            }
        }
    }

    /** Waits for the completions that are owed to channels; returns whether all have come in time. */
    private boolean awaitCompletions(long nanos) throws IOException {
        long end = System.nanoTime() + nanos;
        while (true) {
            handleEvents(); // also that a peer has gone
            if (!registrations.anyOutstanding()) {
                return true;
            }
            long left = end - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            awaitProvider(Math.min(left, TURN_NANOS));
        }
    }

    private void awaitProvider(long nanos) throws IOException {
        clearInterrupt();
        verbs.await(events, nanos);
    }

    private void park(long nanos) {
        clearInterrupt();
        LockSupport.parkNanos(this, nanos);
    }

    /** No wait of an interrupted thread lasts, and nothing else would clear what a handler has left. */
    private static void clearInterrupt() {
        if (Thread.interrupted()) {
            logger.debug("an RDMA event loop ignores that its thread was interrupted; to end it, shut its group down");
        }
    }
}
