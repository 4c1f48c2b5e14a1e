// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.internal.Ranges;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Calls over one connection as futures. Needs a {@link RpcRdmaRequesterHandler} in the channel's pipeline, or a {@link
 * RpcRdmaReverseRequesterHandler} if the calls are those of a server to its client; it may serve pipeline writes at the
 * same time.
 *
 * <p>Threading: usable from any thread; futures complete on the executor of the handler. Ownership: a call's buffer
 * belongs to this class from {@link #call} on, whatever happens; a reply belongs to the caller, which must release it;
 * its reader index 0 is at the XID.
 */
public final class RpcRdmaRequester {

    /** An attribute, because the pipeline of a closed channel has no handlers left. */
    private static final AttributeKey<RpcRdmaRequester> KEY = AttributeKey.valueOf(RpcRdmaRequester.class, "requester");

    private final RequesterHandler handler;
    private final EventExecutor executor;

    private RpcRdmaRequester(RequesterHandler handler, EventExecutor executor) {
        this.handler = handler;
        this.executor = executor;
    }

    /**
     * Returns the requester of this channel, even after the channel has closed: its calls then fail with {@link
     * io.nettyrdma.rpc.error.ConnectionLostException}.
     *
     * @throws IllegalStateException if neither handler was ever added to the channel's pipeline
     */
    public static RpcRdmaRequester of(Channel channel) {
        RpcRdmaRequester requester = channel.attr(KEY).get();
        if (requester == null) {
            throw new IllegalStateException("no requester handler in the pipeline of " + channel);
        }
        return requester;
    }

    /** Makes {@link #of} return the requester of this handler. */
    static void add(ChannelHandlerContext context, RequesterHandler handler) {
        context.channel().attr(KEY).set(new RpcRdmaRequester(handler, context.executor()));
    }

    /**
     * Returns an XID not returned by the last 2<sup>32</sup> calls of this method on this connection; the first is
     * random.
     */
    public int nextXid() {
        return handler.nextXid();
    }

    /** Returns why the connection has ended, {@code null} if it has not failed; on the executor of the handler. */
    @Nullable
    Throwable failure() {
        return handler.failure();
    }

    /** Sends a call as {@link #call(ByteBuf, Duration)} does, with the timeout of the handler's configuration. */
    public Future<ByteBuf> call(ByteBuf call) {
        return call(RpcRdmaCall.of(call), handler.config().requester().callTimeoutNanos());
    }

    /** Sends a call as {@link #call(RpcRdmaCall, Duration)} does, without hints. */
    public Future<ByteBuf> call(ByteBuf call, Duration timeout) {
        return call(RpcRdmaCall.of(call), timeout);
    }

    /** Sends a call as {@link #call(RpcRdmaCall, Duration)} does, with the timeout of the handler's configuration. */
    public Future<ByteBuf> call(RpcRdmaCall call) {
        return call(call, handler.config().requester().callTimeoutNanos());
    }

    /**
     * Sends a call, as soon as credits allow.
     *
     * @param call    RPC message from its XID on, no record mark; the XID must differ from those of all outstanding
     *                calls of the connection, see {@link #nextXid}
     * @param timeout from now until the future fails
     * @return completes with the reply, or fails as described at the handler, or with {@link
     *         io.nettyrdma.rpc.error.CallTimeoutException}, {@link io.nettyrdma.rpc.error.RemoteErrorException}, {@link
     *         io.nettyrdma.rpc.error.MalformedRpcMessageException} or {@link
     *         io.nettyrdma.rpc.error.ConnectionLostException}. Cancelling it drops a call that waits for a credit. If
     *         the call was sent, the responder loses access to its memory, and the credit is free again when a reply
     *         arrives
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

    /** Refuses a message that was released, in the caller's thread. */
    static void requireMessage(RpcRdmaCall call) {
        if (call.refCnt() == 0) {
            throw new IllegalArgumentException("the message of the call was released (expected: one reference, which"
                    + " passes to the call and is released with it; make a new message for each call)");
        }
    }

    private Future<ByteBuf> call(RpcRdmaCall call, long timeoutNanos) {
        requireMessage(call);
        Promise<ByteBuf> reply = executor.newPromise();
        if (executor.inEventLoop()) {
            handler.call(call, timeoutNanos, reply);
            return reply;
        }
        try {
            executor.execute(() -> handler.call(call, timeoutNanos, reply));
        } catch (RejectedExecutionException e) {
            call.release();
            reply.tryFailure(e);
        }
        return reply;
    }
}
