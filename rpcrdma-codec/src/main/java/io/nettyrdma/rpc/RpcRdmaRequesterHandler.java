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

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.channel.RdmaPrivateDataEvent;
import io.nettyrdma.rpc.engine.ConnectionLostException;
import io.nettyrdma.rpc.engine.MalformedRpcMessageException;
import io.nettyrdma.rpc.engine.MessageTooLargeException;
import io.nettyrdma.rpc.engine.RequesterActions;
import io.nettyrdma.rpc.engine.RequesterEngine;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.Decoded;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.RpcRdmaEncoder;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import java.io.IOException;
import java.nio.channels.NotYetConnectedException;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes a channel of messages the client side of RPC-over-RDMA. Add it first, in the initializer of the channel: it
 * sets the options the queue pair is made from, and the private data of the connection request.
 *
 * <p><b>Outbound</b> each call is written as one {@code ByteBuf}: the RPC message from its XID on, no record mark; the
 * XID is the application's and has to differ from those of all outstanding calls. Empty buffers and other objects pass
 * through unchanged. <b>Inbound</b> each reply is fired as one {@code ByteBuf} of the same form: reader index 0,
 * reference count 1. Programs that prefer futures use {@link RpcRdmaRequester}; replies to its calls are not fired.
 *
 * <p>How a written call ends:
 *
 * <ul>
 *   <li>Not accepted: its promise fails, and nothing else happens. The cause is
 *       {@link MalformedRpcMessageException} (not a call of whole 4-octet words),
 *       {@link MessageTooLargeException} (exceeds the call threshold; there are no read chunks yet),
 *       {@link io.nettyrdma.rpc.engine.DuplicateXidException},
 *       {@link io.nettyrdma.rpc.engine.CallQueueFullException}, {@link ConnectionLostException} (or, once Netty has
 *       taken the pipeline of a closed channel apart, {@link java.nio.channels.ClosedChannelException}) or
 *       {@link NotYetConnectedException}.
 *   <li>Accepted: exactly one of its reply or a {@link RpcCallFailedEvent} with its XID is fired, whatever becomes of
 *       the promise. The promise completes when the Send does, and fails if there never is one. A promise cancelled
 *       before the Send withdraws the call: nothing is fired.
 * </ul>
 *
 * <p>Threading: all state is confined to the executor of the handler, one instance per channel; writes and calls may
 * come from any thread. Ownership: calls written down belong to this handler, replies fired upwards to the next.
 */
public final class RpcRdmaRequesterHandler extends ChannelDuplexHandler {

    private static final int RPC_CALL = 0;

    private final RpcRdmaConfig config;
    private final RpcRdmaConnection connection;
    private final RpcRdmaDecoder decoder;
    private final RequesterEngine<PendingCall> engine;

    /** Random, so that the calls of a reconnect are not taken for those of the connection before. */
    private final AtomicInteger lastXid =
            new AtomicInteger(ThreadLocalRandom.current().nextInt());

    private @Nullable ChannelHandlerContext ctx;
    private @Nullable ScheduledFuture<?> timer;
    private long timerDeadlineNanos;
    private @Nullable Throwable transportFailure;
    private boolean reading;
    private boolean flushWanted;

    /** A requester with all defaults. */
    public RpcRdmaRequesterHandler() {
        this(RpcRdmaConfig.defaults());
    }

    /** A requester that asks for {@link RpcRdmaConfig#creditsRequested}. */
    public RpcRdmaRequesterHandler(RpcRdmaConfig config) {
        this.config = config;
        connection = new RpcRdmaConnection(RpcRdmaConnection.Role.REQUESTER, config);
        decoder = new RpcRdmaDecoder(config.decodeLimits());
        engine = new RequesterEngine<>(config.creditsRequested(), config.maxCallsWaiting(), new Actions());
    }

    RpcRdmaConfig config() {
        return config;
    }

    int nextXid() {
        return lastXid.incrementAndGet(); // V1-001
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        this.ctx = ctx;
        connection.configure(ctx.channel(), config.creditsRequested(), false);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        connectionLost(transportFailure);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        ctx.fireUserEventTriggered(event);
        if (event instanceof RdmaPrivateDataEvent privateData) {
            announce(ctx, connection.agree(privateData));
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        announce(ctx, connection.agreeOnDefaults());
        ctx.fireChannelActive();
    }

    private static void announce(ChannelHandlerContext ctx, @Nullable RpcRdmaParametersEvent parameters) {
        if (parameters != null) {
            ctx.fireUserEventTriggered(parameters);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        connectionLost(transportFailure);
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        transportFailure = cause; // if it ends the connection, it is what the calls should hear
        ctx.fireExceptionCaught(cause);
    }

    private void connectionLost(@Nullable Throwable cause) {
        engine.connectionLost(cause);
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (!(msg instanceof ByteBuf message)) {
            ctx.fireChannelRead(msg);
            return;
        }
        reading = true;
        final Decoded decoded;
        @Nullable ByteBuf reply = null;
        try {
            decoded = decoder.decode(message, Direction.REPLY);
            if (decoded instanceof RpcRdmaMessage.Msg inline) {
                int headerBytes = inline.headerBytes();
                reply = message.retainedSlice(
                        message.readerIndex() + headerBytes, message.readableBytes() - headerBytes);
            }
        } finally {
            message.release();
        }
        if (decoded instanceof RpcRdmaMessage valid) {
            connection.observeReceived(ctx, valid, reply == null ? 0 : reply.readableBytes());
            engine.received(valid, reply);
        } else {
            // Whatever is wrong with it: no answer, no effect on any call. V1-085, V1-107, BIS-016
            connection.observeRejected(ctx, (Rejection) decoded);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        reading = false;
        flushIfWanted(ctx);
        ctx.fireChannelReadComplete();
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        flushWanted = false;
        ctx.flush();
    }

    /** Sends in the course of a read loop share its flush at the end. */
    private void flushIfWanted(ChannelHandlerContext ctx) {
        if (flushWanted && !reading) {
            flushWanted = false;
            ctx.flush();
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
        if (msg instanceof ByteBuf message && message.isReadable()) {
            ChannelPromise written = promise.unvoid();
            long deadline = ctx.executor().ticker().nanoTime() + config.callTimeoutNanos();
            boolean wanted = flushWanted;
            @Nullable Exception refusal = submit(ctx, message, deadline, written, null);
            flushWanted = wanted; // the writer flushes
            if (refusal != null) {
                written.tryFailure(refusal);
            }
        } else {
            ctx.write(msg, promise);
        }
    }

    /** A call through the future API, on the executor of this handler. */
    void call(ByteBuf message, long timeoutNanos, Promise<ByteBuf> reply) {
        ChannelHandlerContext ctx = this.ctx;
        if (ctx == null) {
            message.release();
            reply.tryFailure(new IllegalStateException("handler was never in a pipeline"));
            return;
        }
        long deadline = ctx.executor().ticker().nanoTime() + timeoutNanos;
        @Nullable Exception refusal = submit(ctx, message, deadline, ctx.newPromise(), reply);
        if (refusal != null) {
            reply.tryFailure(refusal);
        }
        flushIfWanted(ctx);
    }

    /** Takes over the message; returns why it was not accepted, if it was not. */
    private @Nullable Exception submit(
            ChannelHandlerContext ctx,
            ByteBuf message,
            long deadlineNanos,
            ChannelPromise written,
            @Nullable Promise<ByteBuf> reply) {
        @Nullable Exception refusal = check(ctx, message);
        if (refusal == null) {
            int xid = message.getInt(message.readerIndex());
            refusal = engine.submit(new PendingCall(xid, deadlineNanos, message, written, reply));
        }
        if (refusal == null) {
            armTimer(ctx);
        } else {
            message.release();
        }
        return refusal;
    }

    private @Nullable Exception check(ChannelHandlerContext ctx, ByteBuf message) {
        int start = message.readerIndex();
        int bytes = message.readableBytes();
        int xid = bytes < 4 ? 0 : message.getInt(start);
        if (bytes < 8 || (bytes & 3) != 0 || message.getInt(start + 4) != RPC_CALL) {
            return new MalformedRpcMessageException(xid, "not an RPC call of whole words, " + bytes + " octets");
        }
        if (!ctx.channel().isActive() && !ctx.channel().closeFuture().isDone()) {
            return new NotYetConnectedException();
        }
        int threshold = connection.thresholds().callBytes();
        int withHeader = RpcRdmaEncoder.headerBytes(ChunkLists.ABSENT) + bytes;
        return withHeader > threshold || withHeader < 0
                ? new MessageTooLargeException(xid, withHeader, threshold) // V1-087
                : null;
    }

    private void armTimer(ChannelHandlerContext ctx) {
        if (!engine.hasDeadline()) {
            return;
        }
        long deadline = engine.nextDeadlineNanos();
        if (timer != null) {
            if (timerDeadlineNanos - deadline <= 0) {
                return; // it looks again when it fires
            }
            timer.cancel(false);
        }
        timerDeadlineNanos = deadline;
        long delay = Math.max(0, deadline - ctx.executor().ticker().nanoTime());
        timer = ctx.executor().schedule(this::expire, delay, TimeUnit.NANOSECONDS);
    }

    private void expire() {
        ChannelHandlerContext ctx = this.ctx;
        timer = null;
        if (ctx == null || ctx.isRemoved()) {
            return;
        }
        engine.expire(ctx.executor().ticker().nanoTime());
        armTimer(ctx);
        flushIfWanted(ctx);
    }

    private void sendNow(PendingCall call, int credits) {
        ChannelHandlerContext ctx = Objects.requireNonNull(this.ctx);
        ByteBuf message = call.takeMessage();
        if (!call.isWanted()) {
            message.release();
            engine.withdraw(call);
            return;
        }
        final ByteBuf out;
        try {
            out = connection.frame(ctx, call.xid(), credits, ChunkLists.ABSENT, message); // V1-079
        } catch (RuntimeException | OutOfMemoryError e) {
            sendFailed(ctx, call, e); // V1-119
            return;
        }
        flushWanted = true;
        ctx.write(out, call.written.addListener(future -> {
            if (future.isSuccess()) {
                return;
            }
            if (ctx.executor().inEventLoop()) {
                sendFailed(ctx, call, future.cause());
            } else {
                // The application's promise belongs to the channel, this handler to an executor of its own.
                ctx.executor().execute(() -> sendFailed(ctx, call, future.cause()));
            }
        }));
    }

    private void sendFailed(ChannelHandlerContext ctx, PendingCall call, Throwable cause) {
        engine.sendFailed(call, cause instanceof Exception exception ? exception : new IOException(cause));
        flushIfWanted(ctx);
    }

    /** Where the engine's decisions become effects. */
    private final class Actions implements RequesterActions<PendingCall> {

        @Override
        public void send(PendingCall call, int creditsRequested) {
            sendNow(call, creditsRequested);
        }

        @Override
        public void completed(PendingCall call, ByteBuf reply) {
            if (call.reply == null) {
                Objects.requireNonNull(ctx).fireChannelRead(reply);
            } else if (!call.reply.trySuccess(reply)) {
                reply.release();
            }
        }

        @Override
        public void failed(PendingCall call, Exception cause) {
            call.releaseMessage();
            call.written.tryFailure(cause); // no effect on what was sent
            if (call.reply != null) {
                call.reply.tryFailure(cause);
            } else if (!call.written.isCancelled()) {
                Objects.requireNonNull(ctx).fireUserEventTriggered(new RpcCallFailedEvent(call.xid(), cause));
            }
        }

        @Override
        public void close(String reason) {
            connectionLost(new IOException(reason));
            Objects.requireNonNull(ctx).close();
        }
    }
}
