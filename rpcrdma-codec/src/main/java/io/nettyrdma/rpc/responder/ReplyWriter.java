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
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.RdmaSend;
import io.nettyrdma.rpc.engine.ReplyPlan;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.engine.ResponderEngine.Disposal;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.error.UnknownXidException;
import io.nettyrdma.rpc.message.RpcMessage;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.observe.RpcRdmaCallReport.Outcome;
import io.nettyrdma.rpc.session.RecordMark;
import io.nettyrdma.rpc.session.RpcRdmaConnection;
import io.nettyrdma.rpc.trace.CallTrace;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.RpcRdmaMessage.VersionRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends replies as the engine plans them: RDMA Writes first, then the Send that tells of them (RFC 8166, section 2.3.2),
 * and errors in place of replies that cannot be sent. What cannot be sent at all ends the connection, so that the
 * requester does not wait for it.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: releases the replies given to it.
 */
public final class ReplyWriter {

    private final RpcRdmaConnection connection;
    private final ResponderEngine engine;
    private final ReductionRules rules;
    private final @Nullable ChunkWriter chunks;
    private final @Nullable PushBudget budget;

    /**
     * @param chunks {@code null} where calls have none: in the reverse direction
     * @param budget likewise
     */
    public ReplyWriter(
            RpcRdmaConnection connection,
            ResponderEngine engine,
            ReductionRules rules,
            @Nullable ChunkWriter chunks,
            @Nullable PushBudget budget) {
        this.connection = connection;
        this.engine = engine;
        this.rules = rules;
        this.chunks = chunks;
        this.budget = budget;
    }

    /**
     * Writes a reply of at least 4 octets.
     *
     * @param named results that may be in write chunks, {@code null} if the binding is to find them
     */
    public void writeReply(
            ChannelHandlerContext ctx, ByteBuf reply, @Nullable List<XdrItem> named, ChannelPromise promise) {
        int bytes = reply.readableBytes();
        int xid = reply.getInt(reply.readerIndex());
        @Nullable ResponderCall call = engine.call(xid);
        if (call == null) {
            String hint = RecordMark.hint(reply);
            reply.release();
            connection.observer().replyUnmatched(ctx, xid, hint);
            promise.tryFailure(new UnknownXidException(xid, hint));
            return;
        }
        @Nullable CallTrace trace = CallTrace.of(call);
        if (trace != null) {
            trace.endsWith(promise, call);
        }
        if (!RpcMessage.isWhole(reply, RpcMessage.REPLY)) {
            reply.release();
            ended(ctx, call);
            refuse(ctx, xid, promise, "not an RPC reply of whole words, " + bytes + " octets");
            return;
        }
        final Disposal disposal;
        try {
            disposal = engine.replied(xid, bytes, rules.results(call, reply, named));
        } catch (IllegalArgumentException e) {
            reply.release();
            ended(ctx, call);
            refuse(ctx, xid, promise, String.valueOf(e.getMessage()));
            return;
        }
        if (disposal instanceof Disposal.Send send) {
            if (budget != null) {
                budget.replied(ctx, call, send.plan(), promise);
            }
            if (trace != null && !send.plan().pushes().isEmpty()) {
                trace.pushing(send.plan().returned());
            }
            send(ctx, xid, reply, send, promise);
            return;
        }
        reply.release();
        ended(ctx, call);
        if (disposal instanceof Disposal.SendErrChunk error) {
            writeError(ctx, xid, 1, null, ctx.newPromise()); // V1-117
            MessageTooLargeException cause =
                    MessageTooLargeException.ofReply(xid, error.bytes(), error.limitBytes(), error.where());
            connection.observer().limited(ctx, () -> "a reply is not sent, " + cause.getMessage());
            promise.tryFailure(cause);
        } else {
            promise.tryFailure(new UnknownXidException(xid));
        }
    }

    private void ended(ChannelHandlerContext ctx, ResponderCall call) {
        if (budget != null) {
            budget.ended(ctx, call);
        }
    }

    private void refuse(ChannelHandlerContext ctx, int xid, ChannelPromise promise, String why) {
        if (engine.abandoned(xid)) {
            writeError(ctx, xid, 1, null, ctx.newPromise());
        }
        promise.tryFailure(new MalformedRpcMessageException(xid, why));
    }

    private void send(ChannelHandlerContext ctx, int xid, ByteBuf reply, Disposal.Send send, ChannelPromise promise) {
        ReplyPlan plan = send.plan();
        if (chunks == null || plan.pushes().isEmpty()) {
            // Nothing was taken out, so the reply goes as it is, and its reference with it.
            @Nullable ByteBuf message = frame(ctx, xid, plan, reply, promise);
            if (message != null) {
                send(ctx, message, send.invalidateHandle(), promise);
            }
            return;
        }
        @Nullable ByteBuf message = frame(ctx, xid, plan, plan.isLong() ? null : remaining(ctx, reply, plan), promise);
        if (message == null) {
            reply.release();
        } else {
            Object told = sendOf(message, send.invalidateHandle());
            chunks.write(ctx, xid, reply, plan.pushes(), told, closingOnFailure(ctx, promise));
        }
    }

    /** The message for the Send, or {@code null} if there was no memory for it. */
    private @Nullable ByteBuf frame(
            ChannelHandlerContext ctx, int xid, ReplyPlan plan, @Nullable ByteBuf payload, ChannelPromise promise) {
        try {
            return payload == null
                    ? connection.frame(
                            ctx, new RpcRdmaMessage.NoMsg(xid, 1, engine.credits(), plan.returned())) // V1-062
                    : connection.frame(ctx, xid, engine.credits(), plan.returned(), payload); // V1-079
        } catch (RuntimeException | OutOfMemoryError e) {
            fail(ctx, promise, e);
            return null;
        }
    }

    /** The reply without the results that are in write chunks. */
    private static ByteBuf remaining(ChannelHandlerContext ctx, ByteBuf reply, ReplyPlan plan) {
        int start = reply.readerIndex();
        CompositeByteBuf remaining =
                ctx.alloc().compositeDirectBuffer(plan.removed().size() + 1);
        int from = 0;
        for (ReplyPlan.Range range : plan.removed()) {
            // V1-032, V1-033, V1-034, V1-037
            remaining.addComponent(true, reply.retainedSlice(start + from, range.offset() - from));
            from = range.offset() + range.lengthBytes();
        }
        return remaining.addComponent(true, reply.retainedSlice(start + from, reply.readableBytes() - from));
    }

    private void send(ChannelHandlerContext ctx, ByteBuf message, int invalidateHandle, ChannelPromise promise) {
        connection.write(ctx, sendOf(message, invalidateHandle), closingOnFailure(ctx, promise)); // PD-015
    }

    private static Object sendOf(ByteBuf message, int invalidateHandle) {
        return invalidateHandle == 0 ? message : RdmaSend.invalidating(message, invalidateHandle); // PD-014
    }

    private static ChannelPromise closingOnFailure(ChannelHandlerContext ctx, ChannelPromise promise) {
        return promise.addListener(future -> {
            if (!future.isSuccess()) {
                FailedTransfer.close(ctx, future.cause()); // V1-121
            }
        });
    }

    /** Ends a call without a reply. */
    public void writeRefusal(ChannelHandlerContext ctx, int xid, ChannelPromise promise) {
        @Nullable ResponderCall call = engine.call(xid);
        if (call != null && engine.refused(call)) {
            ended(ctx, call);
            CallTrace.endedWithoutReply(call, Outcome.ERR_CHUNK);
            writeError(ctx, xid, 1, null, promise);
        } else {
            promise.tryFailure(new UnknownXidException(xid));
        }
    }

    /**
     * Writes an error, which never invalidates anything.
     *
     * @param supported for {@code ERR_VERS}; {@code null} for {@code ERR_CHUNK}
     */
    void writeError(
            ChannelHandlerContext ctx, int xid, int version, @Nullable VersionRange supported, ChannelPromise promise) {
        final ByteBuf message;
        try {
            message = connection.frame(ctx, new RpcRdmaMessage.ErrorMsg(xid, version, engine.credits(), supported));
        } catch (RuntimeException | OutOfMemoryError e) {
            fail(ctx, promise, e);
            return;
        }
        send(ctx, message, 0, promise);
    }

    /** The requester must not wait for what could not be made on this side. */
    private static void fail(ChannelHandlerContext ctx, ChannelPromise promise, Throwable cause) {
        promise.tryFailure(cause);
        ctx.close(); // V1-121
    }
}
