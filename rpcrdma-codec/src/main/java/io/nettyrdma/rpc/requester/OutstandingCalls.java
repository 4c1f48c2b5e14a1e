// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.channel.RdmaKeyInvalidatedEvent;
import io.nettyrdma.error.RdmaWorkRequestException;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.engine.CallCredits;
import io.nettyrdma.rpc.engine.CallPlan;
import io.nettyrdma.rpc.engine.CallPlanner;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.engine.RemoteRefusal;
import io.nettyrdma.rpc.engine.RequesterActions;
import io.nettyrdma.rpc.engine.RequesterEngine;
import io.nettyrdma.rpc.engine.SegmentLimits;
import io.nettyrdma.rpc.error.CallOutcome;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.message.RpcCallFailedEvent;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.message.XdrLengths;
import io.nettyrdma.rpc.session.LinkTerms;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.session.RecordMark;
import io.nettyrdma.rpc.session.ReplyReceiver;
import io.nettyrdma.rpc.trace.CallTrace;
import io.nettyrdma.rpc.trace.TransferTrace;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import java.io.IOException;
import java.nio.channels.NotYetConnectedException;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one connection: takes them, sends them when the engine says so, ends them. Where a call exposes memory,
 * its end is reported when the memory is fenced, whatever the end is (RFC 8166, sections 4.4.1 and 8.1).
 *
 * <p>Threading: confined to the executor of the handler. Ownership: of the calls' messages and memory.
 */
public final class OutstandingCalls implements RequesterActions<PendingCall>, ReplyReceiver {

    private final ChannelHandlerContext ctx;
    private final RequesterLimits limits;
    private final MessageLink link;
    private final @Nullable CallMemory memory;
    private final RequesterEngine<PendingCall> engine;
    private final CallTimer timer;
    private final CallRepeats repeats;
    private @Nullable CallPlanner planner;

    /** Why the connection ends. */
    private @Nullable Throwable failure;

    private boolean reading;
    private boolean flushWanted;
    /** What the message invalidates that comes next. */
    private @Nullable RdmaKeyInvalidatedEvent invalidated;

    /**
     * @param memory  what chunks are made of; {@code null} sends everything inline
     * @param credits to ask for
     */
    public OutstandingCalls(
            ChannelHandlerContext ctx,
            RequesterLimits limits,
            MessageLink link,
            @Nullable CallMemory memory,
            int credits) {
        this.ctx = ctx;
        this.limits = limits;
        this.link = link;
        this.memory = memory;
        repeats = new CallRepeats(link, limits, memory != null);
        engine = new RequesterEngine<>(link.requestCredits(credits), limits.maxCallsWaiting(), this);
        timer = new CallTimer(ctx.executor(), engine, this::flushIfWanted);
    }

    /** Takes over a call that was written; returns why it was not accepted, if it was not. The writer flushes. */
    @Nullable
    public Exception write(RpcRdmaCall call, ChannelPromise written) {
        boolean wanted = flushWanted;
        Exception refusal = submit(call, limits.callTimeoutNanos(), written, null);
        flushWanted = wanted;
        return refusal;
    }

    /** Takes over a call whose reply is a future. */
    public void call(RpcRdmaCall call, long timeoutNanos, Promise<ByteBuf> reply) {
        Exception refusal = submit(call, timeoutNanos, ctx.newPromise(), reply);
        if (refusal != null) {
            reply.tryFailure(refusal);
        }
        flushIfWanted();
    }

    private @Nullable Exception submit(
            RpcRdmaCall call, long timeoutNanos, ChannelPromise written, @Nullable Promise<ByteBuf> reply) {
        ByteBuf message = call.content();
        Exception refusal;
        CallTrace trace = null;
        try {
            check(message);
            RpcCallHeader header = RpcCallHeader.parse(message);
            PlannedCall planned = null;
            if (link.isVersionKnown()) {
                planned = PlannedCall.of(call, header, planner(), limits);
            } else {
                PlannedCall.requireTargetEffect(call, header, limits);
            }
            int xid = RpcHeaders.xid(message);
            long deadline = ctx.executor().ticker().nanoTime() + timeoutNanos;
            PendingCall pending = new PendingCall(this, xid, deadline, timeoutNanos, call, planned, written, reply);
            pending.setRepeatable(repeats.isRepeatable(call, header)); // or when the version is known
            if (reply != null && (planned == null || !planned.plan().hasNoChunks())) {
                reply.addListener(future -> onReplyDone(pending, future.isCancelled()));
            }
            trace = link.observer().callStarted(xid);
            pending.trace = trace;
            if (trace != null) {
                trace.onCalled(header);
                if (engine.inFlight() >= engine.window()) {
                    trace.onWaiting();
                }
            }
            refusal = engine.submit(pending);
        } catch (RpcRdmaException | RuntimeException e) {
            refusal = e;
        }
        if (refusal == null) {
            timer.arm();
        } else {
            if (trace == null) {
                link.observer().onRefused(RpcHeaders.xidOrZero(message));
            } else {
                trace.onEnded(CallOutcome.REFUSED);
            }
            message.release();
        }
        return refusal;
    }

    /** Without memory to fence, the reply to a cancelled call is dropped when it comes. */
    private void onReplyDone(PendingCall call, boolean cancelled) {
        if (cancelled && call.isPlanned() && !call.planned().plan().hasNoChunks()) {
            engine.cancel(call);
        }
    }

    /** Plans a call that was taken before the version was known, or before the header of its plan was refused. */
    private void plan(PendingCall call, ByteBuf message) throws RpcRdmaException {
        RpcCallHeader header = RpcCallHeader.parse(message);
        CallRecovery refused = call.recovery();
        if (refused != null) {
            call.plan(repeats.plan(call, message, header, refused.limits()));
            return;
        }
        call.plan(PlannedCall.of(call.call(), header, planner(), limits));
        call.setRepeatable(repeats.isRepeatable(call.call(), header));
    }

    private void check(ByteBuf message) throws RpcRdmaException {
        int bytes = message.readableBytes();
        int xid = RpcHeaders.xidOrZero(message);
        if (!RpcHeaders.isWhole(message, RpcHeaders.CALL)) {
            String hint = RpcHeaders.isWhole(message, RpcHeaders.REPLY)
                    ? "; that is a reply, for which this side needs an RpcRdmaResponderHandler"
                    : RecordMark.hint(message);
            throw new MalformedRpcMessageException(xid, "not an RPC call of whole words, " + bytes + " bytes" + hint);
        }
        if (!ctx.channel().isActive() && !ctx.channel().closeFuture().isDone()) {
            throw new NotYetConnectedException();
        }
    }

    private CallPlanner planner() {
        LinkTerms terms = link.terms();
        CallPlanner present = planner;
        if (present == null) {
            boolean chunks =
                    memory != null && terms.mayHaveChunks() && terms.segments().allowChunks();
            InlineThresholds usual = chunks ? terms.usualWithoutChunks() : terms.mostWithoutChunks();
            present = new CallPlanner(
                    terms.listsOffset(),
                    repeats.isLongRefused()
                            ? new InlineThresholds(terms.mostWithoutChunks().callBytes(), usual.replyBytes())
                            : usual,
                    chunks ? limits.chunks() : CallPlanner.Limits.NO_CHUNKS,
                    !repeats.isLongRefused());
            if (link.isAgreed()) {
                planner = present; // before, a call can only rely on the defaults
            }
        }
        return present;
    }

    @Override
    public void send(PendingCall call, int creditsRequested) {
        ByteBuf message = call.takeMessage();
        if (!call.isWanted()) {
            message.release();
            traceEnd(call, CallOutcome.CANCELLED);
            engine.withdraw(call);
            return;
        }
        if (call.trace != null) {
            call.trace.onSending();
        }
        if (!call.isPlanned()
                || repeats.isLongRefused() && call.planned().plan().form() == CallPlan.Form.LONG) { // V2-140
            try {
                plan(call, message);
            } catch (RpcRdmaException | RuntimeException e) {
                message.release();
                onSendFailed(call, e);
                return;
            }
        }
        if (repeats.mayRepeat(call)) {
            call.keepMessage(message.retainedDuplicate());
        }
        final Object out;
        try {
            out = frame(call, creditsRequested, message); // V1-079
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            onSendFailed(call, e); // V1-119
            return;
        }
        flushWanted = true;
        call.handedOver = true;
        link.write(ctx, out, call.nextSend(ctx));
    }

    /**
     * What an {@code ERR_CHUNK} may be due to.
     *
     * @param readBytes octets of its read chunks
     */
    String limits(CallPlan plan, long readBytes) {
        StringBuilder text = new StringBuilder();
        StringBuilder remedy = new StringBuilder("To mend it: ");
        if (readBytes > 0) {
            text.append("the call had ").append(readBytes).append(" bytes in read chunks; ");
            remedy.append("let RpcRdmaConfig.bindings of the responder allow these read chunks, and its"
                    + " RpcRdmaConfig.maxCallBytes so many bytes; ");
        }
        text.append("its reply had room for ");
        if (plan.replyChunkBytes() > 0) {
            text.append(plan.replyChunkBytes()).append(" bytes in the reply chunk");
        } else {
            LinkTerms terms = link.terms();
            text.append(terms.thresholds().replyBytes() - terms.headerBytes()).append(" bytes inline");
        }
        if (!plan.writeChunkBytes().isEmpty()) {
            text.append(" and ").append(plan.writeChunkBytes()).append(" in write chunks");
            remedy.append("set the same RpcRdmaConfig.bindings at the responder, which needs them for write chunks; ");
        }
        text.append(". ").append(remedy).append("for a longer reply, set RpcRdmaCall.maxReplyBytes");
        return text.toString();
    }

    /** A Send has failed; on any thread, since the application's promise may belong to another executor. */
    void onNotSent(PendingCall call, Throwable cause) {
        if (ctx.executor().inEventLoop()) {
            onSendFailed(call, cause);
        } else {
            ctx.executor().execute(() -> onSendFailed(call, cause));
        }
    }

    /** Takes over the message. */
    private Object frame(PendingCall call, int credits, ByteBuf message) throws IOException {
        CallPlan plan = call.planned().plan();
        if (plan.hasNoChunks()) {
            return link.framing()
                    .frame(ctx.alloc(), call.xid(), credits, ChunkLists.ABSENT, message, 0, OwedAnswer.NOT_COUNTED);
        }
        final ByteBuf inline;
        try {
            assert memory != null : "chunks planned without memory";
            requireSegments(call.xid(), plan, message);
            call.expose(CallChunks.register(
                    memory,
                    ctx.alloc(),
                    plan,
                    message,
                    call.planned().target(),
                    link.terms().segments()));
            if (call.trace != null) {
                call.trace.onExposed(
                        call.chunks().registrations(), call.chunks().exposedBytes());
            }
            if (plan.form() == CallPlan.Form.LONG) {
                return link.framing()
                        .frameLong(ctx.alloc(), call.xid(), credits, call.offered(), 0, OwedAnswer.NOT_COUNTED);
            }
            inline = withoutItems(message, plan);
        } finally {
            message.release();
        }
        return link.framing()
                .frame(ctx.alloc(), call.xid(), credits, call.offered(), inline, 0, OwedAnswer.NOT_COUNTED);
    }

    private void requireSegments(int xid, CallPlan plan, ByteBuf message) throws MessageTooLargeException {
        SegmentLimits limits = link.terms().segments();
        long segments = limits.count(plan, message.readableBytes());
        if (segments > limits.maxPerHeader()) {
            throw new MessageTooLargeException(
                    xid,
                    "needs " + segments + " segments for its chunks, the responder takes " + limits.maxPerHeader());
        }
    }

    /** The payload stream without what is in read chunks, and without its padding. */
    private ByteBuf withoutItems(ByteBuf message, CallPlan plan) {
        if (plan.readChunks().isEmpty()) {
            return message.retain();
        }
        CompositeByteBuf inline = ctx.alloc().compositeBuffer(plan.readChunks().size() + 1);
        int start = message.readerIndex();
        int done = 0;
        for (XdrItem item : plan.readChunks()) {
            inline.addComponent(
                    true, message.retainedSlice(start + done, item.offset() - done)); // V1-032, V1-033, V1-034
            done = item.offset() + XdrLengths.padded(item.lengthBytes()); // V1-037
        }
        if (done < message.readableBytes()) {
            inline.addComponent(true, message.retainedSlice(start + done, message.readableBytes() - done));
        }
        return inline;
    }

    private void onSendFailed(PendingCall call, Throwable cause) {
        // A work request that fails takes its queue pair along, whether the channel has heard of that yet or not.
        if (!ctx.channel().isActive() || cause instanceof RdmaWorkRequestException) {
            onConnectionLost(cause); // what waits for its credit cannot be sent either
            return;
        }
        engine.onSendFailed(call, cause instanceof Exception exception ? exception : new IOException(cause));
        flushIfWanted();
    }

    /** The responder has invalidated a handle, by the message that comes next. */
    public void onHandleInvalidated(RdmaKeyInvalidatedEvent event) {
        invalidated = event;
    }

    /** No message is handled any more: what it has invalidated means nothing for the next one. */
    public void onMessageHandled() {
        invalidated = null;
    }

    @Override
    public void onMessage(RpcRdmaMessage message, @Nullable ByteBuf inline) {
        if (!engine.received(message, inline)) {
            onUnmatched(message.xid(), inline);
        }
    }

    @Override
    public void onInlineReply(int xid, long credits, ByteBuf inline) {
        if (!engine.receivedReply(xid, credits, ChunkLists.ABSENT, inline)) {
            onUnmatched(xid, inline);
        }
    }

    @Override
    public void onError(RpcRdmaException error) {
        if (!engine.receivedError(error.xid(), error)) {
            onUnmatched(error.xid(), null);
        }
    }

    @Override
    public void onRefused(RemoteRefusal refusal) {
        int xid = refusal.failure().xid();
        @Nullable PendingCall call = engine.inFlight(xid);
        if (call == null || call.keptMessage() == null || !repeat(call, refusal)) {
            boolean isHeader = refusal.error() == Rdma2ErrorCode.INVAL_HTYPE;
            if (!isHeader || !endsWithHeader(xid, refusal.failure())) {
                onError(refusal.failure());
            }
        }
    }

    /**
     * The header of a call, which may have been given up, is not sent any more on this connection. V2-140
     *
     * @return whether there is no other header, so that all calls have ended
     */
    private boolean endsWithHeader(int xid, RpcRdmaException failure) {
        @Nullable PendingCall call = engine.unanswered(xid);
        if (call == null) {
            return false;
        }
        if (call.planned().plan().form() == CallPlan.Form.LONG) {
            repeats.onLongRefused();
            planner = null;
            return false;
        }
        timer.stop();
        this.failure = new IOException("the peer does not take the header that calls have");
        engine.endWithError(xid, failure, this.failure);
        if (!link.isReverse()) { // a server's calls have ended, and those of its client have another header
            ctx.close();
        }
        return true;
    }

    /** Sends a call once more if that helps; returns whether its end is no longer the caller's business. */
    private boolean repeat(PendingCall call, RemoteRefusal refusal) {
        CallRecovery recovery = call.recovery() == null ? repeats.recovery() : call.recovery();
        @Nullable PlannedCall again = repeats.replan(call, recovery, refusal);
        if (again == null) {
            return false;
        }
        try {
            call.chunks().fence();
        } catch (IOException e) {
            return false; // the failure of the call looks after that
        }
        call.chunks().release();
        if (call.trace != null) {
            call.trace.onWithdrawn();
        }
        call.repeat(recovery, again);
        engine.repeat(call);
        return true;
    }

    @Override
    public void useCredits(CallCredits credits) {
        engine.useCredits(credits);
    }

    @Override
    public void onCreditsChanged() {
        engine.sendWaiting();
    }

    private void onUnmatched(int xid, @Nullable ByteBuf reply) {
        String hint = "";
        if (reply != null) {
            hint = RecordMark.hint(reply);
            reply.release();
        }
        link.observer().onReplyUnmatched(xid, hint);
    }

    @Override
    public void onCompleted(PendingCall call, ChunkLists returned, @Nullable ByteBuf inline) {
        if (invalidated != null) {
            call.chunks().onInvalidatedByPeer(invalidated.key());
            invalidated = null; // the handlers of this reply may hear of others
        }
        try {
            call.chunks().fence();
        } catch (IOException e) {
            if (inline != null) {
                inline.release();
            }
            failAfterClose(call, e, e);
            return;
        }
        String claim = call.chunks().unwritten(returned);
        if (claim != null) {
            if (inline != null) {
                inline.release();
            }
            endBecause(call, new MalformedRpcMessageException(call.xid(), claim));
            return;
        }
        call.releaseMessage();
        final ByteBuf reply;
        try {
            reply = ReplyAssembly.assemble(
                    ctx.alloc(), call, returned, inline, link.terms().paddedChunks());
        } catch (RpcRdmaException | RuntimeException e) {
            fail(call, e);
            return;
        }
        call.chunks().release();
        if (call.trace != null) {
            TransferTrace.onReplied(call.trace, call.offered(), returned);
            traceEnd(call, CallOutcome.REPLIED);
        }
        if (call.reply == null) {
            link.deliveries().onHandedOn();
            ctx.fireChannelRead(reply);
        } else if (!call.reply.trySuccess(reply)) {
            reply.release();
        }
    }

    /** The responder breaks the rules: nothing it says can be relied on, so the connection ends. */
    private void endBecause(PendingCall call, RpcRdmaException violation) {
        onTransportFailed(violation); // for the other calls
        ctx.close();
        fail(call, violation);
    }

    @Override
    public void onFailed(PendingCall call, Exception cause) {
        try {
            call.chunks().fence();
        } catch (IOException e) {
            cause.addSuppressed(e);
            failAfterClose(call, cause, e);
            return;
        }
        fail(call, cause);
    }

    @Override
    public String rejected() {
        return link.observer().rejected();
    }

    /** With the connection goes its queue pair, and so everybody who could reach the memory. */
    private void failAfterClose(PendingCall call, Exception cause, IOException exposed) {
        failure = failure == null ? exposed : failure; // for the other calls
        ctx.close();
        ctx.channel().closeFuture().addListener(future -> fail(call, cause)); // V1-120, V2-155
    }

    private void fail(PendingCall call, Exception cause) {
        call.chunks().release();
        call.releaseMessage();
        traceEnd(call, call.isCancelled() ? CallOutcome.CANCELLED : CallTrace.callOutcome(cause));
        if (!call.handedOver) {
            call.written.tryFailure(cause); // else it is the channel's, which says what became of the Send
        }
        if (call.reply != null) {
            call.reply.tryFailure(cause);
        } else if (!call.written.isCancelled()) {
            ctx.fireUserEventTriggered(new RpcCallFailedEvent(call.xid(), cause));
        }
    }

    private static void traceEnd(PendingCall call, CallOutcome outcome) {
        if (call.trace != null) {
            call.trace.onEnded(outcome);
        }
    }

    @Override
    public void close(String reason) {
        if (link.isReverse()) {
            return; // forward calls do not depend on it, and what waits has its deadline
        }
        onConnectionLost(new IOException(reason));
        ctx.close();
    }

    /** Takes what may end the connection, and then is what the calls should hear. */
    public void onTransportFailed(Throwable cause) {
        failure = cause;
    }

    /** Returns why the connection has ended, or ends; {@code null} if it has not failed. */
    public @Nullable Throwable failure() {
        return failure;
    }

    /**
     * Fails everything that is outstanding, and every later call.
     *
     * @param cause why, if the transport has not said so itself
     */
    public void onConnectionLost(@Nullable Throwable cause) {
        failure = failure == null ? cause : failure;
        try {
            engine.onConnectionLost(failure);
        } finally {
            timer.stop();
        }
    }

    @Override
    public boolean expects(int xid) {
        return engine.expects(xid);
    }

    /** From here to {@link #onReadCompleted} sends share the flush at the end. */
    @Override
    public void onReadStarted() {
        reading = true;
    }

    /** The messages that were received together are handled. */
    public void onReadCompleted() {
        reading = false;
        flushIfWanted();
    }

    /** Something else has flushed. */
    public void onFlushed() {
        flushWanted = false;
    }

    private void flushIfWanted() {
        if (flushWanted && !reading) {
            flushWanted = false;
            ctx.flush();
        }
    }
}
