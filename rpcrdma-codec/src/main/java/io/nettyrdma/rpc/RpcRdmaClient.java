// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.internal.Ranges;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MessageNotAcceptedException;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.requester.CallMemory;
import java.net.SocketAddress;
import java.nio.channels.NotYetConnectedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls to one responder that survive the loss of a connection. The client connects when it has a call to send,
 * and reconnects if the connection is lost while calls are pending. It then sends them again, each with the same XID
 * and deadline (RFC 8166, section 4.5.5). Every connection starts with one credit and registers the memory of its calls
 * anew.
 *
 * <pre>{@code
 * RpcRdmaClient client = RpcRdmaClient.builder(new Bootstrap()
 *                 .group(group)
 *                 .channel(RdmaChannel.class)
 *                 .remoteAddress("server", 20049))
 *         .retransmission(RpcRdmaClient.Retransmission.ALL)
 *         .build();
 * Future<ByteBuf> reply = client.call(RpcHeaders.call(alloc, client.nextXid(), 100003, 3, 0));
 * }</pre>
 *
 * <p>Threading: usable from any thread; futures complete on the one event loop that all connections of the client use.
 * Ownership: as with {@link RpcRdmaRequester}; the message must not change before the future is done. {@link #close}
 * ends the connection and the calls, not the group.
 */
public final class RpcRdmaClient implements AutoCloseable {

    /** States of a client. */
    public enum State {
        /** It has no connection, and no call that needs one. */
        IDLE,
        /** It connects. */
        CONNECTING,
        /** It has a connection. */
        CONNECTED,
        /** It waits before it connects again; {@link #lastFailure} returns why. */
        WAITING,
        /** It was closed. */
        CLOSED
    }

    /** Which calls are sent again when their connection is lost. */
    public enum Retransmission {
        /** Calls that were not sent. The others fail: no call is executed twice. */
        UNSENT,
        /** All calls. They must be idempotent: a responder without a reply cache executes a call again. */
        ALL
    }

    /** The part of the direct memory that calls of {@link #callWhenRoom} may have. */
    private static final int MEMORY_PART = 4;

    /** How long {@link #close} waits at most. */
    private static final int CLOSE_SECONDS = 5;

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(RpcRdmaClient.class);

    /** Drops exceptions if the program has no handler: the calls receive them, and the client reconnects. */
    private static final ChannelHandler EXCEPTIONS = new UnheardExceptions();

    private final EventLoop loop;
    private final Bootstrap bootstrap;
    private final RpcRdmaConfig config;
    private final Retransmission retransmission;
    private final ReconnectDelay delay;
    private final AtomicInteger lastXid =
            new AtomicInteger(ThreadLocalRandom.current().nextInt());

    /**
     * What {@link #callWhenRoom} waits for: a permit for each {@link #bytesPerPermit} of a call, begun or whole. Blocks
     * its callers only: the loop never acquires.
     */
    private final Semaphore room;

    private final int permits;
    private final long bytesPerPermit;

    /** Calls whose future is not done, in order. */
    private final Set<ClientCall> pending = new LinkedHashSet<>();

    /** Complete when the client has closed. */
    private final List<Promise<Void>> closing = new ArrayList<>(1);

    /** Calls that a connection has. */
    private int attempts;

    private @Nullable ChannelFuture connection;
    private @Nullable ScheduledFuture<?> reconnect;
    private boolean connectedBefore;
    /** Whether the last connect failed. */
    private boolean failing;

    private boolean closed;

    /** Written by the loop, as what follows. */
    private volatile State state = State.IDLE;

    private volatile @Nullable Throwable lastFailure;

    private RpcRdmaClient(Builder builder, EventLoop loop) {
        this.loop = loop;
        config = builder.config;
        retransmission = builder.retransmission;
        permits = Math.max(1, config.requester().maxCallsWaiting());
        room = new Semaphore(permits, true);
        bytesPerPermit = Math.max(1, PlatformDependent.maxDirectMemory() / MEMORY_PART / permits);
        delay = new ReconnectDelay(
                builder.firstDelayNanos, builder.longestDelayNanos, ThreadLocalRandom.current()::nextDouble);
        ChannelHandler own = builder.bootstrap.config().handler();
        bootstrap = builder.bootstrap
                .clone(loop)
                .option(ChannelOption.AUTO_READ, true) // no handler reads the replies
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new RpcRdmaRequesterHandler(config, builder.memory));
                        channel.pipeline().addLast(own == null ? EXCEPTIONS : own);
                    }
                });
    }

    /**
     * Returns a builder for this bootstrap, which needs a group of {@link RdmaIoHandler}, the channel type {@code
     * RdmaChannel}, without which all calls fail, and a remote address. Its options but AUTO_READ apply to each
     * connection. So does its handler, if set: a {@code ChannelInitializer} or another sharable handler.
     */
    public static Builder builder(Bootstrap bootstrap) {
        return new Builder(bootstrap);
    }

    /** Returns an XID not returned by the last 2<sup>32</sup> calls of this method; the first is random. */
    public int nextXid() {
        return lastXid.incrementAndGet();
    }

    /** Sends a call as {@link #call(RpcRdmaCall, Duration)} does, without hints and with the configured timeout. */
    public Future<ByteBuf> call(ByteBuf call) {
        return call(RpcRdmaCall.of(call));
    }

    /** Sends a call as {@link #call(RpcRdmaCall, Duration)} does, without hints. */
    public Future<ByteBuf> call(ByteBuf call, Duration timeout) {
        return call(RpcRdmaCall.of(call), timeout);
    }

    /** Sends a call as {@link #call(RpcRdmaCall, Duration)} does, with the configured timeout. */
    public Future<ByteBuf> call(RpcRdmaCall call) {
        return call(call, config.requester().callTimeoutNanos());
    }

    /**
     * Sends a call as soon as the client has a connection and a credit.
     *
     * @param call    as for {@link RpcRdmaRequester#call(RpcRdmaCall, Duration)}
     * @param timeout from now until the future fails, over all connections
     * @return completes as with {@link RpcRdmaRequester#call(RpcRdmaCall, Duration)}; fails with {@link
     *         ConnectionLostException} only if the call may not be sent again or the client was closed; with {@link
     *         RemoteErrorException} if the responder speaks no version of {@link RpcRdmaConfig.Builder#versions}; and
     *         with {@link ConnectionFailedException} if it refuses the version it spoke before, has too many transport
     *         properties, refuses those of this side and version 1 is not allowed, or {@link
     *         RpcRdmaVersion2Settings#hostAuthentication} rejects it. The cause of a {@link CallTimeoutException}
     *         without a connection is a {@link ConnectTimeoutException} if a connect still waits for the peer, or else
     *         the last failure to connect, if any
     * @throws IllegalArgumentException if the timeout is not positive, or the message was released, as one that was
     *                                  passed to a call before
     */
    public Future<ByteBuf> call(RpcRdmaCall call, Duration timeout) {
        final long timeoutNanos;
        try {
            timeoutNanos = Ranges.requirePositive("timeout", timeout);
        } catch (RuntimeException e) {
            call.release();
            throw e;
        }
        return call(call, timeoutNanos);
    }

    private Future<ByteBuf> call(RpcRdmaCall call, long timeoutNanos) {
        RpcRdmaRequester.requireMessage(call);
        Promise<ByteBuf> reply = loop.newPromise();
        ClientCall pendingCall =
                new ClientCall(call, timeoutNanos, loop.ticker().nanoTime() + timeoutNanos, reply);
        try {
            // Even on the loop: the future never completes within the caller's call.
            loop.execute(() -> {
                try {
                    submit(pendingCall);
                } catch (RuntimeException e) { // else the call would have no end, nor closeAsync()
                    fail(pendingCall, e);
                }
            });
        } catch (RejectedExecutionException e) {
            call.release();
            reply.tryFailure(e);
        }
        return reply;
    }

    /**
     * Sends a call as {@link #callWhenRoom(RpcRdmaCall, Duration)} does, without hints and with the configured timeout.
     */
    public Future<ByteBuf> callWhenRoom(ByteBuf call) throws InterruptedException {
        return callWhenRoom(RpcRdmaCall.of(call), config.requester().callTimeoutNanos());
    }

    /**
     * Sends a call as {@link #call(RpcRdmaCall, Duration)} does, after it has waited for room: until fewer than {@link
     * RpcRdmaConfig.Builder#maxCallsWaiting} calls of this method have no reply yet, and all of them together have at
     * most a quarter of the direct memory ({@code -XX:MaxDirectMemorySize}), or this one is alone. For programs with
     * many threads, such as virtual ones; the message of a thread that waits comes on top. A client whose calls all
     * come by this method never fails one with {@link MessageNotAcceptedException.Reason#QUEUE_FULL}.
     *
     * @param call    as for {@link #call(RpcRdmaCall, Duration)}; released whatever happens
     * @param timeout for room and reply together
     * @return as for {@link #call(RpcRdmaCall, Duration)}; fails with {@link CallTimeoutException} if there is no room
     *         in time
     * @throws InterruptedException       if the thread is interrupted before there is room; the call is not sent
     * @throws BlockingOperationException on the event loop of the client, which alone can make room
     * @throws IllegalArgumentException   as for {@link #call(RpcRdmaCall, Duration)}
     */
    public Future<ByteBuf> callWhenRoom(RpcRdmaCall call, Duration timeout) throws InterruptedException {
        final long timeoutNanos;
        try {
            timeoutNanos = Ranges.requirePositive("timeout", timeout);
        } catch (RuntimeException e) {
            call.release();
            throw e;
        }
        return callWhenRoom(call, timeoutNanos);
    }

    private Future<ByteBuf> callWhenRoom(RpcRdmaCall call, long timeoutNanos) throws InterruptedException {
        RpcRdmaRequester.requireMessage(call);
        int bytes = call.content().readableBytes();
        int taken = (int) Math.max(1, Math.min(permits, (bytes + bytesPerPermit - 1) / bytesPerPermit));
        final long left;
        try {
            left = awaitRoom(taken, timeoutNanos);
        } catch (InterruptedException | RuntimeException e) {
            call.release();
            throw e;
        }
        if (left <= 0) {
            int xid = RpcHeaders.xidOrZero(call.content());
            call.release();
            return loop.newFailedFuture(new CallTimeoutException(xid, false, timeoutNanos, ""));
        }
        final Future<ByteBuf> reply;
        try {
            reply = call(call, left);
        } catch (RuntimeException e) { // the message was released meanwhile
            room.release(taken);
            throw e;
        }
        if (reply.isDone()) {
            room.release(taken); // at once, as the loop may have ended
        } else {
            reply.addListener(done -> room.release(taken));
        }
        return reply;
    }

    /** Takes permits in turn; returns the nanoseconds left, 0 if there were too few in time. */
    private long awaitRoom(int taken, long timeoutNanos) throws InterruptedException {
        if (loop.inEventLoop()) {
            throw new BlockingOperationException("the event loop of the client cannot wait for it: use call()");
        }
        long start = System.nanoTime();
        if (!room.tryAcquire(taken, timeoutNanos, TimeUnit.NANOSECONDS)) {
            return 0;
        }
        return Math.max(1, timeoutNanos - (System.nanoTime() - start));
    }

    /** Returns what the client is doing, as of a moment ago if the caller is not on its loop. */
    public State state() {
        return state;
    }

    /**
     * Returns why the last connection that failed could not be made or has ended, or {@code null} if none has failed.
     * This is the reason that its calls have as their cause, or a {@link ConnectionLostException} if a call was pending
     * and no reason is known. A responder that closes the connection while no call is pending is no failure, nor is
     * {@link #close}. The reason stays after the client has connected again. The log has the first failed connect of a
     * series at WARN, the others at DEBUG.
     */
    public @Nullable Throwable lastFailure() {
        return lastFailure;
    }

    /**
     * Closes as {@link #closeAsync} does. Waits until the client has closed, but no longer than 5 s, and on the loop of
     * the client not at all.
     */
    @Override
    public void close() {
        Future<Void> done = closeAsync();
        if (!loop.inEventLoop()) {
            done.awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Closes the connection. Pending calls and all later calls fail. Does not wait; closing again does no harm. */
    public Future<Void> closeAsync() {
        Promise<Void> done = loop.newPromise();
        try {
            loop.execute(() -> close(done));
        } catch (RejectedExecutionException e) {
            done.tryFailure(e); // the loop has ended, and the connection and the calls with it
        }
        return done;
    }

    private void close(Promise<Void> done) {
        closed = true;
        if (reconnect != null) {
            reconnect.cancel(false);
            reconnect = null;
        }
        updateState();
        for (ClientCall call : List.copyOf(pending)) {
            if (call.attempt == null) {
                fail(call, call.lost(closedByProgram()));
            }
        }
        closing.add(done);
        ChannelFuture present = connection;
        if (present == null) {
            endClosing();
        } else {
            present.channel().close(); // which ends the other calls, and knows whether they were sent
        }
    }

    private IllegalStateException closedByProgram() {
        return new IllegalStateException("the client was closed", lastFailure);
    }

    private void endClosing() {
        if (closed && connection == null && pending.isEmpty()) {
            List.copyOf(closing).forEach(done -> done.trySuccess(null));
            closing.clear();
        }
    }

    private void submit(ClientCall call) {
        pending.add(call); // first, so that it ends as all do
        call.reply.addListener(future -> {
            if (future.isCancelled()) {
                forget(call);
                endClosing();
            }
        });
        if (closed) {
            fail(call, call.lost(closedByProgram()));
        } else if (!isConnected()
                && pending.size() - attempts > Math.max(1, config.requester().maxCallsWaiting())) {
            fail(
                    call,
                    MessageNotAcceptedException.ofFullQueue(
                            call.xid, config.requester().maxCallsWaiting()));
        } else if (pending.contains(call)) {
            if (isConnected()) {
                send(call);
            } else {
                await(call);
                connectLater();
            }
        }
    }

    private boolean isConnected() {
        return connection != null
                && connection.isSuccess()
                && connection.channel().isActive();
    }

    private void connectLater() {
        if (connection != null || reconnect != null || closed || pending.isEmpty() || loop.isShuttingDown()) {
            return;
        }
        long nanos = delay.nextNanos();
        if (nanos == 0) {
            connect();
        } else {
            reconnect = loop.schedule(
                    () -> {
                        reconnect = null;
                        connect();
                    },
                    nanos,
                    TimeUnit.NANOSECONDS);
            updateState();
        }
    }

    private void connect() {
        ChannelFuture connecting = bootstrap.connect();
        connection = connecting;
        updateState();
        if (connectedBefore) {
            config.session().listeners().onEvent(connecting.channel(), RpcRdmaListener::onReconnecting);
        }
        connectedBefore = true;
        connecting.addListener(future -> {
            if (future.isSuccess()) {
                failing = false;
                updateState();
                loop.execute(this::sendPending); // later, when the peer's private data has been seen
            } else if (loop.inEventLoop()) {
                onConnectionEnded(connecting);
            } else {
                loop.execute(() -> onConnectionEnded(connecting)); // there is no channel that would have a loop
            }
        });
        connecting.channel().closeFuture().addListener(future -> {
            if (connecting.isDone() || loop.isShuttingDown()) {
                onConnectionEnded(connecting);
            } else {
                // A channel closes before its connect fails in the same task, and that says why.
                loop.execute(() -> onConnectionEnded(connecting));
            }
        });
    }

    private void sendPending() {
        for (ClientCall call : List.copyOf(pending)) {
            if (!isConnected()) {
                return; // the connection has ended while calls were sent on it
            }
            send(call); // V1-122, V2-076
        }
    }

    private void onConnectionEnded(ChannelFuture over) {
        if (connection == over) {
            connection = null;
            note(over.isSuccess() ? RpcRdmaRequester.of(over.channel()).failure() : over.cause());
            if (over.cause() instanceof IllegalStateException mistake) { // by the program: no other connect mends it
                updateState(); // first: listeners of the calls may ask
                failUnsent(mistake);
            } else {
                if (pending.stream().anyMatch(call -> call.attempt == null)) {
                    connectLater(); // calls that come back later ask for it themselves, if they may be sent again
                }
                if (over.cause() != null) {
                    tell(over.cause());
                }
            }
            updateState();
            endClosing();
        }
    }

    /** Logs a failed connect: at WARN the first of a series, as the calls say nothing until their time is over. */
    private void tell(Throwable failure) {
        if (closed || loop.isShuttingDown()) {
            return;
        }
        if (failing) {
            logger.debug("cannot connect to {}", server(), failure);
            return;
        }
        failing = true;
        String when =
                reconnect == null ? "for the next call" : "in " + reconnect.getDelay(TimeUnit.MILLISECONDS) + " ms";
        config.session()
                .log()
                .warn(
                        () -> "RpcRdmaClient cannot connect to " + server() + ", tries again " + when
                                + " (further failures at DEBUG until it connects)",
                        failure);
    }

    private void failUnsent(Throwable cause) {
        for (ClientCall call : List.copyOf(pending)) {
            if (call.attempt == null) {
                fail(call, call.lost(cause));
            }
        }
    }

    /** Before the state changes, for which other threads wait. */
    private void note(@Nullable Throwable failure) {
        if (failure != null && !closed) {
            lastFailure = failure;
        }
    }

    private void updateState() {
        ChannelFuture present = connection;
        if (closed) {
            state = State.CLOSED;
        } else if (present != null) {
            state = present.isSuccess() ? State.CONNECTED : State.CONNECTING;
        } else {
            state = reconnect == null ? State.IDLE : State.WAITING;
        }
    }

    private void send(ClientCall call) {
        ChannelFuture present = Objects.requireNonNull(connection);
        long left = call.deadlineNanos - loop.ticker().nanoTime();
        if (call.attempt != null || !pending.contains(call)) {
            return;
        }
        if (left <= 0) {
            if (call.timer == null) {
                fail(call, new CallTimeoutException(call.xid, false, call.timeoutNanos, ""));
            }
            return; // its timer is due and ends it
        }
        call.stopTimer();
        final Future<ByteBuf> attempt;
        try {
            RpcRdmaRequester.requireMessage(call.call);
            attempt =
                    RpcRdmaRequester.of(present.channel()).call(call.call.retainedDuplicate(), Duration.ofNanos(left));
        } catch (RuntimeException e) { // no other call may suffer
            fail(call, e);
            return;
        }
        call.attempt = attempt;
        attempts++;
        attempt.addListener(future -> onAttemptEnded(call, attempt));
    }

    private void onAttemptEnded(ClientCall call, Future<ByteBuf> attempt) {
        call.attempt = null;
        attempts--;
        Throwable cause = attempt.cause();
        if (cause instanceof ConnectionLostException lost) {
            call.mayHaveBeenSent |= lost.mayHaveBeenSent();
            note(lost.getCause() == null ? lost : lost.getCause());
        }
        if (cause == null) {
            delay.reset();
            ByteBuf reply = attempt.getNow();
            forget(call);
            if (!call.reply.trySuccess(reply)) {
                reply.release();
            }
            endClosing();
        } else if (!pending.contains(call)) {
            return; // its end is why the attempt was cancelled
        } else if (cause.getCause() instanceof RemoteErrorException refusal) { // of all versions of this side
            fail(call, refusal.forCall(call.xid));
        } else if (cause.getCause() instanceof ConnectionFailedException end && isFinal(end.reason())) {
            fail(call, end.forCall(call.xid));
        } else if (!closed && isWorthAnother(cause)) {
            await(call);
            connectLater();
        } else if (cause instanceof ConnectionLostException) {
            fail(call, call.lost(closed ? closedByProgram() : cause.getCause()));
        } else if (cause instanceof CallTimeoutException timeout) {
            fail( // not with what was left
                    call, new CallTimeoutException(call.xid, timeout.isSent(), call.timeoutNanos, timeout.rejected()));
        } else {
            fail(call, cause);
        }
    }

    /** Whether reconnecting cannot help. After refused properties it can if version 1 is allowed (C53). */
    private boolean isFinal(ConnectionFailedException.Reason reason) {
        return switch (reason) {
            case VERSION_REFUSED, TOO_MANY_PROPERTIES, NOT_AUTHENTICATED -> true;
            case PROPERTIES_REFUSED -> !config.session().versions().hasOne(); // C57
            case NOT_NEGOTIATED, TOO_SLOW, TOO_MANY_CALLS -> false;
        };
    }

    private boolean isWorthAnother(Throwable cause) {
        if (cause instanceof ConnectionLostException lost) {
            return retransmission == Retransmission.ALL || !lost.mayHaveBeenSent();
        }
        return cause instanceof NotYetConnectedException;
    }

    /** Bounds the time without a connection; the requester bounds the time on one. */
    private void await(ClientCall call) {
        if (loop.isShuttingDown()) {
            fail(call, call.lost(lastFailure));
            return;
        }
        long left = Math.max(0, call.deadlineNanos - loop.ticker().nanoTime());
        Future<?> timer = loop.schedule(
                () -> fail(call, new CallTimeoutException(call.xid, call.timeoutNanos, server(), whyUnconnected())),
                left,
                TimeUnit.NANOSECONDS);
        call.timer = timer;
        timer.addListener(future -> {
            if (future.isCancelled() && call.timer == timer) { // by the end of the loop
                fail(call, call.lost(lastFailure));
            }
        });
    }

    /** Why there is no connection: the last failure, unless a connect has neither failed nor succeeded yet. */
    private @Nullable Throwable whyUnconnected() {
        if (connection == null) {
            return lastFailure;
        }
        Throwable waits =
                new ConnectTimeoutException("the connect to " + server() + " still waits for the peer's answer;"
                        + " give calls more time than a connect may take, which then says why it failed");
        return lastFailure == null ? waits : waits.initCause(lastFailure);
    }

    private @Nullable SocketAddress server() {
        return bootstrap.config().remoteAddress();
    }

    private void fail(ClientCall call, Throwable cause) {
        forget(call);
        call.reply.tryFailure(cause);
        endClosing();
    }

    /** Removes a call whose future is done or about to be. */
    private void forget(ClientCall call) {
        if (!pending.remove(call)) {
            return;
        }
        call.stopTimer();
        Future<ByteBuf> attempt = call.attempt;
        if (attempt != null) {
            attempt.cancel(false);
        }
        ReferenceCountUtil.safeRelease(call.call); // the program may have released it, too, and the future must end
    }

    /** Collects settings. Not thread-safe. */
    public static final class Builder {

        private final Bootstrap bootstrap;
        private RpcRdmaConfig config = RpcRdmaConfig.defaults();
        private Retransmission retransmission = Retransmission.UNSENT;
        private long firstDelayNanos = Duration.ofMillis(100).toNanos();
        private long longestDelayNanos = Duration.ofSeconds(60).toNanos();
        private Function<ChannelHandlerContext, @Nullable CallMemory> memory = CallMemory::of;

        private Builder(Bootstrap bootstrap) {
            this.bootstrap = bootstrap;
        }

        /**
         * Sets sizes, limits, and the default timeout of a call. Up to {@link RpcRdmaConfig.Builder#maxCallsWaiting}
         * calls may wait for a credit; the next one fails with {@link MessageNotAcceptedException}, or waits for room
         * with {@link #callWhenRoom(RpcRdmaCall, Duration)}.
         */
        public Builder config(RpcRdmaConfig config) {
            this.config = Objects.requireNonNull(config, "config");
            return this;
        }

        /**
         * Sets the calls to send again after a reconnect; default {@link Retransmission#UNSENT}: calls that were sent
         * fail.
         */
        public Builder retransmission(Retransmission retransmission) {
            this.retransmission = Objects.requireNonNull(retransmission, "retransmission");
            return this;
        }

        /**
         * Sets the delays between attempts to connect. The client reconnects at once if the lost connection has
         * answered a call. Then it waits for the first delay, doubled each time up to the longest and shortened at
         * random by up to a half.
         *
         * @param first   more than zero, default 100 ms
         * @param longest at least {@code first}, default 60 s
         */
        public Builder reconnectDelay(Duration first, Duration longest) {
            long firstNanos = Ranges.requirePositive("first", first);
            long longestNanos = Ranges.requirePositive("longest", longest);
            if (longestNanos < firstNanos) {
                throw new IllegalArgumentException("longest delay " + longest + " is shorter than the first, " + first);
            }
            firstDelayNanos = firstNanos;
            longestDelayNanos = longestNanos;
            return this;
        }

        /** Sets the source of memory for chunks, for tests. */
        Builder memory(Function<ChannelHandlerContext, @Nullable CallMemory> memory) {
            this.memory = memory;
            return this;
        }

        /**
         * Returns the client. It connects for its first call.
         *
         * @throws IllegalStateException    if the bootstrap lacks a group, a channel type or a remote address, or
         *                                  its handler cannot be used for more than one connection
         * @throws IllegalArgumentException if the group is not of {@link RdmaIoHandler}
         */
        public RpcRdmaClient build() {
            var set = bootstrap.config(); // its own validation wants a handler, which the client brings
            if (set.group() == null || set.channelFactory() == null || set.remoteAddress() == null) {
                throw new IllegalStateException("needs a group, a channel type and a remote address: " + bootstrap);
            }
            if (set.handler() instanceof ChannelHandlerAdapter adapter && !adapter.isSharable()) {
                throw new IllegalStateException("the handler of the bootstrap cannot be used for a second connection: "
                        + adapter.getClass().getName() + "; let a ChannelInitializer make one for each, or mark it"
                        + " @Sharable");
            }
            EventLoop loop = set.group().next();
            if (!(loop instanceof IoEventLoop ioLoop) || !ioLoop.isIoType(RdmaIoHandler.class)) {
                throw new IllegalArgumentException(
                        "group: " + set.group().getClass().getName()
                                + " of another transport (expected: RdmaChannel.class, and a group of RdmaIoHandler,"
                                + " as in new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory()))");
            }
            return new RpcRdmaClient(this, loop);
        }
    }

    @Sharable
    private static final class UnheardExceptions extends ChannelInboundHandlerAdapter {

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            logger.debug("{} ends", ctx.channel(), cause);
        }
    }
}
