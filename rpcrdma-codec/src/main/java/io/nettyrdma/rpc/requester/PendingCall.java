// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.rpc.engine.RequesterCall;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.trace.CallTrace;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call between its submission and its end.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: holds the message until it is sent, then the memory
 * that is exposed for it.
 */
final class PendingCall extends RequesterCall implements ChannelFutureListener {

    /** Completes with the Send. */
    final ChannelPromise written;

    /** Whether the channel has the Send, and with it the promise above. */
    boolean handedOver;

    /** Completes with the reply; {@code null} if the reply is to be fired into the pipeline. */
    final @Nullable Promise<ByteBuf> reply;

    /** What observes the call, if anybody does. */
    @Nullable
    CallTrace trace;

    private final OutstandingCalls calls;
    private final RpcRdmaCall call;
    private @Nullable PlannedCall planned;
    private @Nullable ByteBuf message;
    private CallChunks chunks = CallChunks.none();
    /** What errors have said, once there was one. */
    private @Nullable CallRecovery recovery;

    private boolean isRepeatable;
    private boolean isRepeated;

    PendingCall(
            OutstandingCalls calls,
            int xid,
            long deadlineNanos,
            long timeoutNanos,
            RpcRdmaCall call,
            @Nullable PlannedCall planned,
            ChannelPromise written,
            @Nullable Promise<ByteBuf> reply) {
        super(xid, deadlineNanos, timeoutNanos);
        this.calls = calls;
        this.call = call;
        message = call.content();
        this.planned = planned;
        this.written = written;
        this.reply = reply;
    }

    /** Of the Send; the call is its own listener to save an object. */
    @Override
    public void operationComplete(ChannelFuture future) {
        if (!future.isSuccess()) {
            calls.onNotSent(this, future.cause());
        }
    }

    /** As it was submitted; its message is {@link #takeMessage}. */
    RpcRdmaCall call() {
        return call;
    }

    /** Whether it is known how the call is conveyed. */
    boolean isPlanned() {
        return planned != null;
    }

    void plan(PlannedCall planned) {
        this.planned = planned;
    }

    /** Whether it may be executed twice, as {@link #setRepeatable} has said. */
    boolean isRepeatable() {
        return isRepeatable;
    }

    void setRepeatable(boolean repeatable) {
        isRepeatable = repeatable;
    }

    PlannedCall planned() {
        return Objects.requireNonNull(planned, "version of the connection is not known");
    }

    /** The message, now the caller's. */
    ByteBuf takeMessage() {
        ByteBuf taken = Objects.requireNonNull(message, "message was sent already");
        message = null;
        return taken;
    }

    /** Keeps a reference of the message that was taken, to send it once more. */
    void keepMessage(ByteBuf kept) {
        message = kept;
    }

    /** The message that is kept, {@code null} if none is. */
    @Nullable
    ByteBuf keptMessage() {
        return message;
    }

    @Nullable
    CallRecovery recovery() {
        return recovery;
    }

    /** The call is to be sent once more, without the memory that it has exposed before. */
    void repeat(CallRecovery known, PlannedCall again) {
        recovery = known;
        planned = again;
        chunks = CallChunks.none();
        isRepeated = true;
    }

    /** What completes with the next Send of the call. */
    ChannelPromise nextSend(ChannelHandlerContext ctx) {
        return (isRepeated ? ctx.newPromise() : written).addListener(this);
    }

    void releaseMessage() {
        if (message != null) {
            message.release();
            message = null;
        }
    }

    /** Takes over the memory that is exposed for this call. */
    void expose(CallChunks exposed) {
        chunks = exposed;
    }

    @Override
    public ChunkLists offered() {
        return chunks.lists();
    }

    @Override
    public String limits() {
        long readBytes = 0;
        for (ReadSegment entry : offered().readList()) {
            readBytes += entry.segment().lengthBytes();
        }
        return calls.limits(planned().plan(), readBytes);
    }

    CallChunks chunks() {
        return chunks;
    }

    boolean isCancelled() {
        return written.isCancelled() || reply != null && reply.isCancelled();
    }

    /** Marks the call as being sent, unless it was cancelled. After it returns true, only the wait can be cancelled. */
    boolean isWanted() {
        return written.setUncancellable() && (reply == null || !reply.isCancelled());
    }
}
