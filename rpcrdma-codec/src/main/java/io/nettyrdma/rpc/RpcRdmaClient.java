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
package io.nettyrdma.rpc;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.rpc.error.CallQueueFullException;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.HostAuthenticationException;
import io.nettyrdma.rpc.error.RemoteVersionException;
import io.nettyrdma.rpc.error.VersionNegotiationException;
import io.nettyrdma.rpc.message.RpcCall;
import io.nettyrdma.rpc.requester.CallMemory;
import io.nettyrdma.rpc.wire.RpcRdmaMessage.VersionRange;
import java.nio.channels.NotYetConnectedException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls to one responder that outlive their connection. The client connects when there is something to call, and again
 * when the connection is lost and calls are pending; they are sent again then, each with the XID it has, within the
 * deadline it has (RFC 8166, section 4.5.5). Every connection starts with one credit, and memory that calls expose is
 * registered anew.
 *
 * <pre>{@code
 * RpcRdmaClient client = RpcRdmaClient.builder(new Bootstrap()
 *                 .group(group)
 *                 .channel(RdmaChannel.class)
 *                 .remoteAddress("server", 20049))
 *         .retransmission(RpcRdmaClient.Retransmission.ALL)
 *         .build();
 * Future<ByteBuf> reply = client.call(RpcMessage.call(alloc, client.nextXid(), 100003, 3, 0));
 * }</pre>
 *
 * <p>Threading: usable from any thread; futures complete on the one event loop that all connections of the client use.
 * Ownership: as with {@link RpcRdmaRequester}; the message must not change before the future is done. {@link #close}
 * ends the connection and the calls, not the group.
 */
public final class RpcRdmaClient {

    /** Which calls are sent again when their connection is lost. */
    public enum Retransmission {
        /** Those that had not been sent, so that no call is executed twice. The others fail. */
        UNSENT,
        /** All. A responder without a cache of replies executes a call again, so calls have to be idempotent. */
        ALL
    }

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(RpcRdmaClient.class);

    /** Where the program has no handler: what ends a connection its calls hear, and there is another connection. */
    private static final ChannelHandler EXCEPTIONS = new UnheardExceptions();

    private final EventLoop loop;
    private final Bootstrap bootstrap;
    private final RpcRdmaConfig config;
    private final Retransmission retransmission;
    private final ReconnectDelay delay;
    private final AtomicInteger lastXid =
            new AtomicInteger(ThreadLocalRandom.current().nextInt());

    /** Calls whose future is not done, in order. */
    private final Set<ClientCall> pending = new LinkedHashSet<>();

    private @Nullable ChannelFuture connection;
    private @Nullable Future<?> reconnect;
    private @Nullable Throwable lastFailure;
    private boolean closed;

    private RpcRdmaClient(Builder builder) {
        loop = builder.bootstrap.config().group().next();
        config = builder.config;
        retransmission = builder.retransmission;
        delay = new ReconnectDelay(
                builder.firstDelayNanos, builder.longestDelayNanos, ThreadLocalRandom.current()::nextDouble);
        ChannelHandler own = builder.bootstrap.config().handler();
        bootstrap = builder.bootstrap.clone(loop).handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new RpcRdmaRequesterHandler(config, builder.memory));
                channel.pipeline().addLast(own == null ? EXCEPTIONS : own);
            }
        });
    }

    /**
     * A client for this bootstrap, which has a group, a channel type and a remote address. Its options apply to
     * each connection, and so does its handler, if it has one: a {@code ChannelInitializer} or another sharable
     * handler.
     */
    public static Builder builder(Bootstrap bootstrap) {
        return new Builder(bootstrap);
    }

    /** An XID not given out during the last 2<sup>32</sup> times; the first is random. */
    public int nextXid() {
        return lastXid.incrementAndGet();
    }

    /** {@link #call(RpcCall, Duration)} with nothing known but the message, and the timeout of the configuration. */
    public Future<ByteBuf> call(ByteBuf call) {
        return call(RpcCall.of(call), config.callTimeoutNanos());
    }

    /**
     * Sends a call as soon as there is a connection and a credit.
     *
     * @param call    as for {@link RpcRdmaRequester#call(RpcCall, Duration)}
     * @param timeout from now until the future fails, over all connections
     * @return completes as with {@link RpcRdmaRequester#call(RpcCall, Duration)}; fails with
     *         {@link ConnectionLostException} only if the call is not to be sent again, or the client was closed, and
     *         with {@link RemoteVersionException} if the responder speaks no version of {@link
     *         RpcRdmaConfig.Builder#versions}, with {@link VersionNegotiationException} if it refuses the transport
     *         properties of this side and version 1 is not allowed, and with {@link HostAuthenticationException} if
     *         {@link RpcRdmaConfig.Builder#hostAuthentication} does not accept it. A {@link CallTimeoutException} has
     *         the last failure to connect as its cause, if there was one
     * @throws IllegalArgumentException if the timeout is not positive
     */
    public Future<ByteBuf> call(RpcCall call, Duration timeout) {
        final long timeoutNanos;
        try {
            timeoutNanos = RpcRdmaConfig.requirePositive(timeout);
        } catch (RuntimeException e) {
            call.release();
            throw e;
        }
        return call(call, timeoutNanos);
    }

    private Future<ByteBuf> call(RpcCall call, long timeoutNanos) {
        Promise<ByteBuf> reply = loop.newPromise();
        ClientCall pendingCall = new ClientCall(call, loop.ticker().nanoTime() + timeoutNanos, reply);
        try {
            // Also on the loop: what completes then never completes within the caller's call.
            loop.execute(() -> submit(pendingCall));
        } catch (RejectedExecutionException e) {
            call.release();
            reply.tryFailure(e);
        }
        return reply;
    }

    /** Closes the connection; calls that are pending fail, and so do all later ones. */
    public Future<Void> close() {
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
        ChannelFuture present = connection;
        if (present == null) {
            failAll();
            done.trySuccess(null);
            return;
        }
        present.channel().close().addListener(future -> {
            failAll();
            done.trySuccess(null);
        });
    }

    private void failAll() {
        for (ClientCall call : List.copyOf(pending)) {
            fail(call, new ConnectionLostException(call.xid(), lastFailure));
        }
    }

    private void submit(ClientCall call) {
        pending.add(call); // first, so that it ends as all do
        call.reply.addListener(future -> {
            if (future.isCancelled()) {
                forget(call);
            }
        });
        if (closed) {
            fail(call, new ConnectionLostException(call.xid(), lastFailure));
        } else if (pending.size() > config.maxCallsWaiting()) {
            fail(call, new CallQueueFullException(call.xid(), config.maxCallsWaiting()));
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
        }
    }

    private void connect() {
        ChannelFuture connecting = bootstrap.connect();
        connection = connecting;
        connecting.addListener(future -> {
            if (future.isSuccess()) {
                loop.execute(this::sendPending); // later, when the peer's private data has been seen
            } else if (loop.inEventLoop()) {
                onConnectFailed(connecting);
            } else {
                loop.execute(() -> onConnectFailed(connecting)); // there is no channel that would have a loop
            }
        });
        connecting.channel().closeFuture().addListener(future -> onConnectionEnded(connecting));
    }

    private void onConnectFailed(ChannelFuture connecting) {
        lastFailure = connecting.cause();
        onConnectionEnded(connecting);
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
            if (pending.stream().anyMatch(call -> call.attempt == null)) {
                connectLater(); // calls that come back later ask for it themselves, if they may be sent again
            }
        }
    }

    private void send(ClientCall call) {
        ChannelFuture present = Objects.requireNonNull(connection);
        long left = call.deadlineNanos - loop.ticker().nanoTime();
        if (call.attempt != null || left <= 0 || !pending.contains(call)) {
            return; // its timer, which is due, ends it
        }
        call.stopTimer();
        Future<ByteBuf> attempt =
                RpcRdmaRequester.of(present.channel()).call(call.call.retainedDuplicate(), Duration.ofNanos(left));
        call.attempt = attempt;
        attempt.addListener(future -> onAttemptEnded(call, attempt));
    }

    private void onAttemptEnded(ClientCall call, Future<ByteBuf> attempt) {
        call.attempt = null;
        Throwable cause = attempt.cause();
        if (cause == null) {
            delay.reset();
            ByteBuf reply = attempt.getNow();
            forget(call);
            if (!call.reply.trySuccess(reply)) {
                reply.release();
            }
        } else if (!pending.contains(call)) {
            return; // its end is why the attempt was cancelled
        } else if (cause.getCause() instanceof RemoteVersionException version) {
            fail(call, refused(call, version)); // another connection would be told the same
        } else if (cause.getCause() instanceof HostAuthenticationException refusal) {
            fail(call, new HostAuthenticationException(String.valueOf(refusal.getMessage()), refusal));
        } else if (cause.getCause() instanceof VersionNegotiationException refusal && isFinal(refusal)) {
            VersionNegotiationException failure = VersionNegotiationException.ofRefusedProperties(call.xid());
            failure.initCause(refusal);
            fail(call, failure);
        } else if (!closed && isWorthAnother(cause)) {
            lastFailure = cause;
            await(call);
            connectLater();
        } else {
            fail(call, cause);
        }
    }

    private static RemoteVersionException refused(ClientCall call, RemoteVersionException version) {
        VersionRange supported = new VersionRange(version.lowVersion(), version.highVersion());
        RemoteVersionException failure = new RemoteVersionException(call.xid(), supported);
        failure.initCause(version);
        return failure;
    }

    /** Where version 1 is allowed, another connection begins with it (C53). */
    private boolean isFinal(VersionNegotiationException cause) {
        return cause.isRefusal() && !config.session().versions().allowed().hasOne();
    }

    private boolean isWorthAnother(Throwable cause) {
        if (cause instanceof ConnectionLostException lost) {
            return retransmission == Retransmission.ALL || !lost.mayHaveBeenSent();
        }
        return cause instanceof NotYetConnectedException;
    }

    /** Bounds the time on no connection; on one, the requester does. */
    private void await(ClientCall call) {
        if (loop.isShuttingDown()) {
            fail(call, new ConnectionLostException(call.xid(), lastFailure));
            return;
        }
        long left = Math.max(0, call.deadlineNanos - loop.ticker().nanoTime());
        Future<?> timer = loop.schedule(
                () -> fail(call, new CallTimeoutException(call.xid(), lastFailure)), left, TimeUnit.NANOSECONDS);
        call.timer = timer;
        timer.addListener(future -> {
            if (future.isCancelled() && call.timer == timer) { // by the end of the loop
                fail(call, new ConnectionLostException(call.xid(), lastFailure));
            }
        });
    }

    private void fail(ClientCall call, Throwable cause) {
        forget(call);
        call.reply.tryFailure(cause);
    }

    /** Its future is done, or about to be. */
    private void forget(ClientCall call) {
        if (!pending.remove(call)) {
            return;
        }
        call.stopTimer();
        Future<ByteBuf> attempt = call.attempt;
        if (attempt != null) {
            attempt.cancel(false);
        }
        call.call.release();
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
         * Sizes, limits, and the default timeout of a call. {@link RpcRdmaConfig#maxCallsWaiting} is the number of
         * calls that may be pending, sent or not; one more fails with {@link CallQueueFullException}.
         */
        public Builder config(RpcRdmaConfig config) {
            this.config = Objects.requireNonNull(config, "config");
            return this;
        }

        /** What happens to calls that had been sent; default {@link Retransmission#UNSENT}: they fail. */
        public Builder retransmission(Retransmission retransmission) {
            this.retransmission = Objects.requireNonNull(retransmission, "retransmission");
            return this;
        }

        /**
         * Delays between attempts to connect. The first attempt after a connection that has answered a call is made at
         * once; then come the first delay, and its doubles up to the longest, shortened at random by up to a half.
         *
         * @param first   more than zero, default 100 ms
         * @param longest at least {@code first}, default 60 s
         */
        public Builder reconnectDelay(Duration first, Duration longest) {
            long firstNanos = RpcRdmaConfig.requirePositive(first);
            long longestNanos = RpcRdmaConfig.requirePositive(longest);
            if (longestNanos < firstNanos) {
                throw new IllegalArgumentException("longest delay " + longest + " is shorter than the first, " + first);
            }
            firstDelayNanos = firstNanos;
            longestDelayNanos = longestNanos;
            return this;
        }

        /** What chunks are made of. */
        Builder memory(Function<ChannelHandlerContext, @Nullable CallMemory> memory) {
            this.memory = memory;
            return this;
        }

        /**
         * The client; it connects with the first call.
         *
         * @throws IllegalStateException if the bootstrap lacks a group, a channel type or a remote address
         */
        public RpcRdmaClient build() {
            var set = bootstrap.config(); // its own validation wants a handler, which the client brings
            if (set.group() == null || set.channelFactory() == null || set.remoteAddress() == null) {
                throw new IllegalStateException("needs a group, a channel type and a remote address: " + bootstrap);
            }
            return new RpcRdmaClient(this);
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
