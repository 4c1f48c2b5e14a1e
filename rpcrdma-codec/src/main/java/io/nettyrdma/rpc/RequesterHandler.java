// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.internal.LimitsItself;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.requester.OutstandingCalls;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Passes the pipeline's calls and events to the calls of a requester, in either direction.
 *
 * <p>Threading: all state is confined to the executor of the handler, one instance per channel. Ownership: of the
 * calls.
 */
abstract class RequesterHandler extends ChannelDuplexHandler implements LimitsItself {

    /** Starts at random, because a peer must not mistake calls after a reconnect for those before it. */
    private final AtomicInteger lastXid =
            new AtomicInteger(ThreadLocalRandom.current().nextInt());

    private @Nullable OutstandingCalls calls;

    abstract RpcRdmaConfig config();

    /** Returns why calls are refused now, {@code null} if they are accepted. */
    @Nullable
    Exception refusal(ByteBuf call) {
        return null;
    }

    int nextXid() {
        return lastXid.incrementAndGet(); // V1-001
    }

    final void start(ChannelHandlerContext ctx, OutstandingCalls calls) {
        this.calls = calls;
        RpcRdmaRequester.add(ctx, this);
    }

    final OutstandingCalls calls() {
        return Objects.requireNonNull(calls, "add the handler to a pipeline first");
    }

    /** Returns why the connection has ended, {@code null} if it has not failed; on the executor of this handler. */
    final @Nullable Throwable failure() {
        return calls == null ? null : calls.failure();
    }

    /** A call through the future API, on the executor of this handler. */
    final void call(RpcRdmaCall call, long timeoutNanos, Promise<ByteBuf> reply) {
        OutstandingCalls calls = this.calls;
        Exception refusal = calls == null
                ? new IllegalStateException("add the handler to a pipeline first")
                : refusal(call.content());
        if (calls == null || refusal != null) {
            call.release();
            reply.tryFailure(refusal);
        } else {
            calls.call(call, timeoutNanos, reply);
        }
    }

    final void write(RpcRdmaCall call, ChannelPromise promise) {
        ChannelPromise written = promise.unvoid();
        @Nullable Exception refusal = refusal(call.content());
        if (refusal == null) {
            refusal = calls().write(call, written);
        } else {
            call.release();
        }
        if (refusal != null) {
            written.tryFailure(refusal);
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (calls != null) {
            calls.onConnectionLost(null);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        try {
            calls().onConnectionLost(null);
        } finally {
            ctx.fireChannelInactive();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        calls().onTransportFailed(cause);
        ctx.fireExceptionCaught(cause);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        calls().onReadCompleted();
        ctx.fireChannelReadComplete();
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        calls().onFlushed();
        ctx.flush();
    }
}
