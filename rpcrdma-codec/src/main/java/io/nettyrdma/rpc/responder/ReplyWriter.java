// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.engine.ReplyPlan;
import io.nettyrdma.rpc.engine.ReplyShortage;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.engine.ResponderEngine.Disposal;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.MessageNotAcceptedException;
import io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.session.RecordMark;
import io.nettyrdma.rpc.trace.CallTrace;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.Rejection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends replies as the engine plans them: RDMA Writes first, then the Send that tells of them (RFC 8166, section
 * 2.3.2), and errors in place of replies that cannot be sent. What cannot be sent at all ends the connection, so that
 * the requester does not wait for it.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: releases the replies given to it.
 */
final class ReplyWriter {

    private final MessageLink link;
    private final ResponderEngine engine;
    private final ReductionRules rules;
    private final ChunkWriter chunks;
    private final PushBudget budget;

    ReplyWriter(MessageLink link, ResponderEngine engine, ReductionRules rules, ChunkWriter chunks, PushBudget budget) {
        this.link = link;
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
    void writeReply(ChannelHandlerContext ctx, ByteBuf reply, @Nullable List<XdrItem> named, ChannelPromise promise) {
        int bytes = reply.readableBytes();
        int xid = RpcHeaders.xid(reply);
        @Nullable ResponderCall call = engine.call(xid);
        if (call == null) {
            String hint = RpcHeaders.isWhole(reply, RpcHeaders.CALL)
                    ? "; that is a call, for which this side needs an RpcRdmaRequesterHandler"
                    : RecordMark.hint(reply);
            reply.release();
            link.observer().onReplyUnmatched(xid, hint);
            promise.tryFailure(unknown(xid, hint)); // V1-019
            return;
        }
        @Nullable CallTrace trace = CallTrace.of(call);
        if (trace != null) {
            trace.endsWith(promise, call, link.terms().errorOutcome());
        }
        if (!RpcHeaders.isWhole(reply, RpcHeaders.REPLY)) {
            reply.release();
            refuse(ctx, call, promise, "not an RPC reply of whole words, " + bytes + " bytes");
            return;
        }
        final Disposal disposal;
        final boolean unnamed;
        try {
            List<XdrItem> results = rules.results(call, reply, named);
            unnamed = results.isEmpty() && !call.chunks().writeList().isEmpty();
            disposal = engine.plan(call, bytes, results);
        } catch (IllegalArgumentException e) {
            reply.release();
            refuse(ctx, call, promise, String.valueOf(e.getMessage()));
            return;
        }
        if (disposal instanceof ReplyPlan plan) {
            long continued = continuedBytes(plan, bytes);
            @Nullable MessageTooLargeException shortage = budget.shortage(call, plan, continued);
            if (shortage != null) {
                reply.release();
                drop(ctx, call, null, shortage, promise);
                return;
            }
            engine.ended(call);
            budget.onReply(ctx, call, plan, continued, promise);
            if (trace != null && !plan.pushes().isEmpty()) {
                trace.onPushing(plan.returned());
            }
            send(ctx, call, reply, plan, promise);
        } else {
            reply.release();
            Disposal.SendErrChunk error = (Disposal.SendErrChunk) disposal;
            drop(ctx, call, error.shortage(), new MessageTooLargeException(xid, tooLarge(error, unnamed)), promise);
        }
    }

    /** @param unnamed whether the call offers write chunks, and no binding of this side names a result for them */
    private static String tooLarge(Disposal.SendErrChunk error, boolean unnamed) {
        final String remedy;
        if (unnamed) {
            remedy = "; the call offers write chunks, for which RpcRdmaConfig.bindings of this side names no result. To"
                    + " mend it: set these bindings, the same on both sides";
        } else if (error.where().equals("inline threshold")) {
            remedy = ". To mend it: let the requester offer a reply chunk, by RpcRdmaCall.maxReplyBytes or an"
                    + " upper-layer binding, or raise both RpcRdmaConfig.inlineSendBytes and inlineReceiveBytes of the"
                    + " requester, of which the smaller is the threshold";
        } else {
            remedy = ". To mend it: raise the requester's RpcRdmaCall.maxReplyBytes, or correct its upper-layer"
                    + " binding";
        }
        return error.bytes() + " bytes, the " + error.where() + " is " + error.limitBytes() + remedy;
    }

    /** The payload that does not go to chunks, if it takes more than one Send. */
    private long continuedBytes(ReplyPlan plan, int bytes) {
        if (plan.isLong()) {
            return 0;
        }
        int remaining = bytes;
        for (ReplyPlan.Range range : plan.removed()) {
            remaining -= range.lengthBytes();
        }
        return link.terms().continuedBytes(remaining);
    }

    private void drop(
            ChannelHandlerContext ctx,
            ResponderCall call,
            @Nullable ReplyShortage shortage,
            MessageTooLargeException cause,
            ChannelPromise promise) {
        link.observer().onLimited(() -> "a reply is not sent, " + cause.getMessage());
        endWithError(ctx, call, shortage, cause, promise);
    }

    private void refuse(ChannelHandlerContext ctx, ResponderCall call, ChannelPromise promise, String why) {
        endWithError(ctx, call, null, new MalformedRpcMessageException(call.xid(), why), promise);
    }

    /** Ends a call with an error in place of its reply, which fails. V1-117 */
    private void endWithError(
            ChannelHandlerContext ctx,
            ResponderCall call,
            @Nullable ReplyShortage shortage,
            RpcRdmaException cause,
            ChannelPromise promise) {
        engine.ended(call);
        budget.onEnded(ctx, call);
        writeError(ctx, call.xid(), call.answer(), shortage, ctx.newPromise()); // V1-117
        promise.tryFailure(cause);
    }

    /** Ends a call that gets no reply, but an error next; returns whether it was in progress. */
    boolean end(ChannelHandlerContext ctx, ResponderCall call) {
        if (!engine.ended(call)) {
            return false;
        }
        budget.onEnded(ctx, call);
        CallTrace.onEndedWithoutReply(call, link.terms().errorOutcome());
        return true;
    }

    private void send(
            ChannelHandlerContext ctx, ResponderCall call, ByteBuf reply, ReplyPlan plan, ChannelPromise promise) {
        if (plan.pushes().isEmpty()) {
            // Nothing was taken out, so the reply goes as it is, and its reference with it.
            @Nullable Object message = frame(ctx, call, plan, reply, promise);
            if (message != null) {
                send(ctx, message, promise); // PD-015
            }
            return;
        }
        @Nullable Object message = frame(ctx, call, plan, plan.isLong() ? null : remaining(ctx, reply, plan), promise);
        if (message == null) {
            reply.release();
        } else {
            // V2-059
            chunks.write(ctx, call.xid(), reply, plan.pushes(), message, closingOnFailure(ctx, promise));
        }
    }

    /** The message for the Send, or {@code null} if there was no memory for it. */
    private @Nullable Object frame(
            ChannelHandlerContext ctx,
            ResponderCall call,
            ReplyPlan plan,
            @Nullable ByteBuf payload,
            ChannelPromise promise) {
        ChunkLists returned = plan.returned();
        int credits = engine.credits();
        int invalidated = engine.handleToInvalidate(call);
        try {
            return payload == null
                    ? link.framing().frameLong(ctx.alloc(), call.xid(), credits, returned, invalidated, call.answer())
                    : link.framing() // V1-079
                            .frame(ctx.alloc(), call.xid(), credits, returned, payload, invalidated, call.answer());
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

    private void send(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        link.write(ctx, message, closingOnFailure(ctx, promise));
    }

    private static ChannelPromise closingOnFailure(ChannelHandlerContext ctx, ChannelPromise promise) {
        return promise.addListener(future -> {
            if (!future.isSuccess()) {
                FailedTransfer.close(ctx, future.cause()); // V1-121, V2-156
            }
        });
    }

    /** Ends a call without a reply. */
    void writeRefusal(ChannelHandlerContext ctx, int xid, ChannelPromise promise) {
        @Nullable ResponderCall call = engine.call(xid);
        if (call != null && end(ctx, call)) {
            writeError(ctx, xid, call.answer(), null, promise);
        } else {
            promise.tryFailure(unknown(xid, ""));
        }
    }

    private static MessageNotAcceptedException unknown(int xid, String hint) {
        return new MessageNotAcceptedException(xid, Reason.UNKNOWN_XID, "no call in progress" + hint);
    }

    /** Writes the error that ends a call, which never invalidates anything. */
    void writeError(
            ChannelHandlerContext ctx,
            int xid,
            OwedAnswer answer,
            @Nullable ReplyShortage shortage,
            ChannelPromise promise) {
        final Object message;
        try {
            message = link.framing().frameError(ctx.alloc(), xid, engine.credits(), shortage, answer);
        } catch (RuntimeException | OutOfMemoryError e) {
            fail(ctx, promise, e);
            return;
        }
        send(ctx, message, promise);
    }

    /** Answers what is no call; returns whether there was an answer. */
    boolean writeAnswer(ChannelHandlerContext ctx, Rejection rejection, OwedAnswer answer) {
        final @Nullable Object message;
        try {
            message = link.framing().frameAnswer(ctx.alloc(), rejection, engine.credits(), answer);
        } catch (RuntimeException | OutOfMemoryError e) {
            fail(ctx, ctx.newPromise(), e);
            return false;
        }
        if (message != null) {
            send(ctx, message, ctx.newPromise());
        }
        return message != null;
    }

    /** The requester must not wait for what could not be made on this side. */
    private static void fail(ChannelHandlerContext ctx, ChannelPromise promise, Throwable cause) {
        promise.tryFailure(cause);
        ctx.close(); // V1-121, V2-156
    }
}
