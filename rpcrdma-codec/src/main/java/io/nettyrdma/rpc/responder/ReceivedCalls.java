// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.engine.ReadPlan;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.engine.ResponderEngine.Reception;
import io.nettyrdma.rpc.error.CallOutcome;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.session.CallReceiver;
import io.nettyrdma.rpc.session.LinkTerms;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.trace.CallTrace;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one connection that are executed, in one of its directions: has their read chunks pulled, hands them up
 * when they are whole, answers what is no call with the error it deserves (RFC 8166, section 4.5), and has replies
 * written.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: calls handed up belong to the next handler;
 * releases the replies given to it.
 */
public abstract class ReceivedCalls implements CallReceiver, PulledCalls, AdmittedCalls {

    private final MessageLink link;
    private final ResponderEngine engine;
    private final ReductionRules rules;
    private final ChunkReader reader;
    private final ChunkWriter chunkWriter;
    private final PushBudget budget;
    private final ReadGate gate;
    private final ReplyWriter writer;
    private boolean closed;
    /** Whether Reads or errors were written since the last flush. */
    private boolean flushWanted;

    /**
     * @param credits  receives posted for calls, at least 1
     * @param maxCalls calls in progress beyond which there is no room, at least {@code credits}
     * @param alloc    provides the memory that RDMA Reads go to, best registered
     */
    ReceivedCalls(MessageLink link, ResponderLimits limits, int credits, int maxCalls, ByteBufAllocator alloc) {
        this.link = link;
        engine = new ResponderEngine(credits, maxCalls, limits.maxCallBytes());
        rules = new ReductionRules(limits.bindings());
        reader = new ChunkReader(limits, alloc, this);
        budget = new PushBudget(limits, this);
        gate = new ReadGate(link, engine, reader);
        chunkWriter = new ChunkWriter(link, limits.maxPushingWrites(), gate);
        writer = new ReplyWriter(link, engine, rules, chunkWriter, budget);
        setParameters(false);
    }

    /**
     * Takes over the terms of the link, from the next reply on: the defaults, and then what was agreed on.
     *
     * @param remoteInvalidation whether replies may invalidate
     */
    final void setParameters(boolean remoteInvalidation) {
        LinkTerms terms = link.terms();
        int singleReply = terms.thresholds().replyBytes();
        int longestReply = terms.mostWithoutChunks().replyBytes();
        engine.setParameters(terms.listsOffset(), singleReply, longestReply, terms.lastRoomBytes(), remoteInvalidation);
        int singleCall = terms.thresholds().callBytes();
        boolean continues = terms.mostWithoutChunks().callBytes() > singleCall;
        budget.setSingleCallBytes(continues ? singleCall : Integer.MAX_VALUE);
    }

    /** Returns the octets of the reply to a call that may have to be sent in fragments. */
    private int continuedBytes(ByteBuf call) {
        LinkTerms terms = link.terms();
        return terms.continuesReplies() ? terms.mostContinuedBytes(rules.replyBytes(call)) : 0;
    }

    final MessageLink link() {
        return link;
    }

    final ResponderEngine engine() {
        return engine;
    }

    final ReplyWriter writer() {
        return writer;
    }

    /** Replies that wait for RDMA Writes, those of others or their own. */
    final int repliesWaiting() {
        return chunkWriter.waiting();
    }

    final ReadGate gate() {
        return gate;
    }

    /** Whether another call may be looked at; if not, its answer has ended, or the connection is about to. */
    abstract boolean mayTake(ChannelHandlerContext ctx, int xid, OwedAnswer answer);

    /** Answers a call for which there is no room, so that replies and credits behind it are read. C44, C62 */
    final void refuseExcess(ChannelHandlerContext ctx, int xid, OwedAnswer answer) {
        if (isInProgress(xid)) {
            answer.drop(); // as if there were room
        } else {
            writer.writeError(ctx, xid, answer, null, ctx.newPromise());
            wantFlush();
        }
    }

    @Override
    public final void onInlineCall(ChannelHandlerContext ctx, int xid, ByteBuf payload, OwedAnswer answer) {
        if (!mayTake(ctx, xid, answer)) {
            payload.release();
            return;
        }
        @Nullable ResponderCall call = engine.receivedInline(xid, answer);
        if (call == null) {
            payload.release();
            answer.drop();
            return;
        }
        observe(ctx, call);
        link.deliveries().onHandedOn();
        if (!link.terms().continuesReplies() || budget.admit(ctx, call, continuedBytes(payload), payload)) {
            ctx.fireChannelRead(payload); // V1-105
        }
    }

    @Override
    public void onMessage(
            ChannelHandlerContext ctx, RpcRdmaMessage header, ByteBuf payload, int nominated, OwedAnswer answer) {
        if (!mayTake(ctx, header.xid(), answer)) {
            payload.release();
            return;
        }
        Reception reception = engine.received(header, payload.readableBytes(), nominated, answer);
        if (reception instanceof Reception.Deliver deliver) {
            observe(ctx, deliver.call());
            link.deliveries().onHandedOn();
            if (!deliver.call().chunks().writeList().isEmpty()) {
                deliver.call().setHeader(RpcCallHeader.parse(payload));
            }
            if (budget.admit(ctx, deliver.call(), continuedBytes(payload), payload)) {
                ctx.fireChannelRead(payload); // V1-105
            }
        } else if (reception instanceof Reception.Pull pull) {
            observe(ctx, pull.call());
            if (rules.mayPull(pull.call(), pull.plan(), payload)) {
                wantFlush();
                link.deliveries().onHandedOn();
                reader.pull(ctx, pull.call(), pull.plan(), payload);
            } else {
                payload.release();
                refuse(ctx, pull.call(), notReducible(pull.call().header())); // V1-132, V1-133, V2-167
            }
        } else {
            payload.release();
            if (reception instanceof Reception.Reject reject) {
                reject(ctx, reject.rejection(), answer);
            } else {
                answer.drop();
            }
        }
    }

    @Override
    public final boolean isInProgress(int xid) {
        return engine.isInProgress(xid);
    }

    @Override
    public final void onRejected(ChannelHandlerContext ctx, Rejection rejection) {
        reject(ctx, rejection, OwedAnswer.NOT_COUNTED); // V1-106
    }

    private static String notReducible(@Nullable RpcCallHeader header) {
        return "read chunk that is no reducible argument of "
                + (header == null ? "a call whose header cannot be read" : header.name())
                + " (RpcRdmaConfig.bindings, the same on both sides)";
    }

    private void refuse(ChannelHandlerContext ctx, ResponderCall call, String why) {
        refuse(ctx, call, Rejection.errChunk(call.xid(), link.terms().version(), why));
    }

    private void refuse(ChannelHandlerContext ctx, ResponderCall call, Rejection rejection) {
        if (writer.end(ctx, call)) {
            reject(ctx, rejection, call.answer());
            if (link.deliveries().readAgainForDropped(ctx.channel())) {
                gate.read(ctx);
            } else {
                gate.resume(ctx);
            }
        }
    }

    final void reject(ChannelHandlerContext ctx, Rejection rejection, OwedAnswer answer) {
        link.observer().onRejected(link.framing().reported(rejection));
        if (writer.writeAnswer(ctx, rejection, answer)) {
            wantFlush();
        }
    }

    @Override
    public final void onPulled(ChannelHandlerContext ctx, ResponderCall call, ReadPlan plan, ByteBuf message) {
        if (!engine.pulled(call)) {
            message.release();
            return;
        }
        if (!isCall(message, call.xid())) { // V1-115
            message.release();
            refuse(ctx, call, "payload stream of a long call");
        } else {
            if (plan.isLong()) {
                call.setHeader(RpcCallHeader.parse(message));
            }
            if (rules.allow(plan, message, call.header(), link.terms().paddedChunks())) {
                boolean admitted = budget.admit(ctx, call, continuedBytes(message), message);
                gate.resume(ctx);
                if (admitted) {
                    ctx.fireChannelRead(message);
                    ctx.fireChannelReadComplete();
                }
            } else {
                message.release();
                refuse(ctx, call, notReducible(call.header())); // V1-132, V1-133, V2-167
            }
        }
        flushIfWanted(ctx);
    }

    @Override
    public final void onAdmitted(ChannelHandlerContext ctx, ByteBuf message) {
        ctx.fireChannelRead(message);
    }

    @Override
    public final void onNoRoom(
            ChannelHandlerContext ctx,
            ResponderCall call,
            String why,
            long bytes,
            long limitBytes,
            @Nullable String option) {
        int version = link.terms().version();
        refuse(ctx, call, Rejection.errChunk(call.xid(), version, why, bytes, limitBytes, option)); // C64
    }

    @Override
    public final void onAdmissionEnded(ChannelHandlerContext ctx) {
        gate.resume(ctx);
        ctx.fireChannelReadComplete();
        flushIfWanted(ctx);
    }

    @Override
    public final void onNoMemory(ChannelHandlerContext ctx, ResponderCall call) {
        long bytes = 0;
        for (ReadSegment entry : call.chunks().readList()) {
            bytes += entry.segment().lengthBytes();
        }
        String why = "no memory for " + bytes + " bytes of read chunks: raise -XX:MaxDirectMemorySize, or lower"
                + " RpcRdmaConfig.maxPullingBytes";
        refuse(ctx, call, Rejection.noMemory(call.xid(), link.terms().version(), why)); // V2-157
    }

    /** What the decoder checks of an inline call. */
    private static boolean isCall(ByteBuf message, int xid) {
        return RpcHeaders.isOfType(message, RpcHeaders.CALL) && RpcHeaders.xid(message) == xid;
    }

    private void observe(ChannelHandlerContext ctx, ResponderCall call) {
        call.attach(link.observer().callStarted(call.xid()));
    }

    /**
     * Takes over a reply.
     *
     * @param named results that may be in write chunks, {@code null} if the binding is to find them
     */
    public final void reply(
            ChannelHandlerContext ctx, ByteBuf reply, @Nullable List<XdrItem> named, ChannelPromise promise) {
        int bytes = reply.readableBytes();
        if (bytes < 4) {
            reply.release();
            promise.tryFailure(new MalformedRpcMessageException(0, "reply of " + bytes + " bytes has no XID"));
        } else if (closed) {
            int xid = RpcHeaders.xid(reply);
            reply.release();
            promise.tryFailure(new ConnectionLostException(xid, null));
        } else {
            writer.writeReply(ctx, reply, named, promise);
            gate.resume(ctx);
        }
    }

    /** Ends a call without a reply. */
    public final void refuse(ChannelHandlerContext ctx, int xid, ChannelPromise promise) {
        writer.writeRefusal(ctx, xid, promise);
        gate.resume(ctx);
    }

    final boolean isClosed() {
        return closed;
    }

    /** Takes no more calls and no more replies. */
    final void close() {
        closed = true;
    }

    /** Ends all calls. Idempotent. */
    public final void onConnectionLost() {
        close();
        for (ResponderCall call : engine.endAll()) {
            CallTrace.onEndedWithoutReply(call, CallOutcome.CONNECTION_LOST);
            call.answer().drop(); // as the connection may outlive the handler
        }
        reader.onConnectionLost();
        chunkWriter.onConnectionLost();
        budget.onConnectionLost();
    }

    final void wantFlush() {
        flushWanted = true;
    }

    /** Flushes what this object has written, and no handler above. */
    public final void flushIfWanted(ChannelHandlerContext ctx) {
        if (flushWanted) {
            flushWanted = false;
            ctx.flush();
        }
    }

    /** Another handler has flushed. */
    public final void onFlushed() {
        flushWanted = false;
    }
}
