// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.rpc.engine.ReplyPlan;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.session.ProcessMemory;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory that a responder holds for replies that the peer does not take, though it keeps to its credits:
 * those in chunks, and those of version 2 in fragments. A call counts with the bytes that its chunks offer room for, or
 * with the longest reply that its binding knows of, but with no more than the bound, until the application has replied.
 * Its reply counts with the bytes that are written to chunks or sent in fragments, until the last Send has completed.
 *
 * <p>A call beyond the bound of its connection waits for the calls and replies before it. {@link ProcessMemory} bounds
 * all connections of the process together; a call without room there waits {@linkplain RoomInTurn in turn}, and is
 * refused only if that takes too long. A call that came in fragments also counts with its own bytes while it waits: for
 * the same two bounds, apart from replies. Without room it is refused: a peer that takes no replies could make any
 * number wait.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: owns the messages of calls that wait.
 */
final class PushBudget {

    private record Waiting(ResponderCall call, long offered, ByteBuf message, int countedBytes) {}

    private final long limitBytes;
    private final long processLimitBytes;
    private final AdmittedCalls up;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final ProcessMemory replies;
    private final ProcessMemory waitingCalls;
    private final RoomInTurn room;
    private final long timeoutNanos;
    /** Replies that are sent, and that the peer has not taken. */
    private int untaken;
    /** Longest call in one Send; there are no fragments until it is set. */
    private int singleCallBytes = Integer.MAX_VALUE;

    /** Whether a task is scheduled that admits calls that wait. */
    private boolean scheduled;

    /**
     * @param limits bounds the bytes of this connection and of the process, and the time to wait for them
     * @param up     takes the calls that had to wait
     */
    PushBudget(ResponderLimits limits, AdmittedCalls up) {
        limitBytes = limits.maxPushingBytes();
        processLimitBytes = limits.maxWaitingBytes();
        timeoutNanos = limits.peerTimeoutNanos();
        this.up = up;
        replies = ProcessMemory.ofMessages(processLimitBytes);
        waitingCalls = ProcessMemory.ofWaitingCalls(processLimitBytes);
        room = new RoomInTurn(replies, timeoutNanos, this::admitWaiting, this::refuseFirst);
    }

    /** @param bytes of the longest call in one Send; longer ones have come in fragments */
    void setSingleCallBytes(int bytes) {
        singleCallBytes = bytes;
    }

    /**
     * Takes a complete call into account.
     *
     * @param replyBytes the longest reply that is not sent in one Send, 0 if there is none
     * @param message    becomes this object's if the call has to wait, or is refused
     * @return whether it may be handed up now
     */
    boolean admit(ChannelHandlerContext ctx, ResponderCall call, long replyBytes, ByteBuf message) {
        ChunkLists chunks = call.chunks();
        @Nullable WriteChunk replyChunk = chunks.replyChunk();
        boolean continues =
                chunks.writeList().isEmpty() && (replyChunk == null || replyChunk.lengthBytes() < replyBytes);
        // What a peer only claims keeps no other connection from its room.
        long offered = Math.min(limitBytes, offeredBytes(chunks) + (continues ? replyBytes : 0));
        if (offered == 0) {
            return true;
        }
        if (waiting.isEmpty() && hasRoomFor(offered)) {
            take(call, offered);
            return true;
        }
        keep(ctx, call, offered, message);
        return false;
    }

    /** The first call has waited too long for room in the process. */
    private void refuseFirst(ChannelHandlerContext ctx) {
        Waiting first = removeFirst();
        first.message().release();
        up.onNoRoom(
                ctx,
                first.call(),
                "call with a long reply that has waited " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                        + " ms, which is RpcRdmaConfig.peerTimeout, for room beside the replies to other peers of this"
                        + " process; raise -XX:MaxDirectMemorySize, a quarter of which these may hold",
                replies.processBytes() + first.offered(),
                processLimitBytes,
                null);
        up.onAdmissionEnded(ctx);
        admitWaiting(ctx);
    }

    private void keep(ChannelHandlerContext ctx, ResponderCall call, long offered, ByteBuf message) {
        int messageBytes = message.readableBytes();
        boolean counts =
                messageBytes > singleCallBytes && call.chunks().readList().isEmpty();
        if (counts) {
            long own = waitingCalls.bytes() + messageBytes;
            boolean hasRoomHere = waitingCalls.bytes() == 0 || own <= limitBytes;
            if (!hasRoomHere || !waitingCalls.hasRoomFor(messageBytes)) {
                message.release();
                up.onNoRoom(
                        ctx,
                        call,
                        "call in fragments without room to wait for that of its reply"
                                + (hasRoomHere
                                        ? ", beside the calls of other peers of this process; raise"
                                                + " -XX:MaxDirectMemorySize, a quarter of which these may hold"
                                        : ""),
                        hasRoomHere ? waitingCalls.processBytes() + messageBytes : own,
                        hasRoomHere ? processLimitBytes : limitBytes,
                        hasRoomHere ? null : "maxPushingBytes");
                return;
            }
            waitingCalls.take(messageBytes);
        }
        waiting.add(new Waiting(call, offered, message, counts ? messageBytes : 0));
        lineUp(ctx);
    }

    private void lineUp(ChannelHandlerContext ctx) {
        @Nullable Waiting next = waiting.peek();
        room.lineUp(ctx, next != null && hasRoomHere(next.offered()));
    }

    /** Removes the first call that waits. */
    private Waiting removeFirst() {
        Waiting first = waiting.remove();
        waitingCalls.give(first.countedBytes());
        return first;
    }

    private void take(ResponderCall call, long offered) {
        call.setReplyBytes(offered);
        replies.take(offered);
    }

    private boolean hasRoomFor(long offered) {
        return hasRoomHere(offered) && replies.mayTake(offered);
    }

    private boolean hasRoomHere(long offered) {
        return replies.bytes() == 0 || offered <= limitBytes - replies.bytes();
    }

    private static long offeredBytes(ChunkLists chunks) {
        long offered = 0;
        for (WriteChunk chunk : chunks.writeList()) {
            offered += chunk.lengthBytes();
        }
        @Nullable WriteChunk replyChunk = chunks.replyChunk();
        return replyChunk == null ? offered : offered + replyChunk.lengthBytes();
    }

    /**
     * Checks a reply that may be longer in fragments than its call counted for, as no binding knows its length.
     *
     * @param continued bytes of it that take more than one Send, 0 if one is enough
     * @return why there is no room for it; {@code null} if there is
     */
    @Nullable
    MessageTooLargeException shortage(ResponderCall call, ReplyPlan plan, long continued) {
        long more = pushedBytes(plan) + continued - call.replyBytes();
        if (continued == 0 || more <= 0) {
            return null;
        }
        long bytes = replies.bytes();
        boolean isAlone = bytes == call.replyBytes();
        if (!isAlone && more > limitBytes - bytes) {
            return new MessageTooLargeException(
                    call.xid(),
                    continued + " bytes in fragments, with the other replies of this connection that are executed or"
                            + " sent, exceed RpcRdmaConfig.maxPushingBytes, " + limitBytes
                            + "; an upper-layer binding that knows the longest reply makes such calls wait instead");
        }
        return replies.hasRoomFor(more)
                ? null
                : new MessageTooLargeException(call.xid(), ProcessMemory.exceeded(continued, processLimitBytes));
    }

    /**
     * The reply to a call is about to be sent.
     *
     * @param continued bytes of it that take more than one Send, 0 if one is enough
     * @param promise   completes when the peer has taken it
     */
    void onReply(
            ChannelHandlerContext ctx, ResponderCall call, ReplyPlan plan, long continued, ChannelPromise promise) {
        long held = pushedBytes(plan) + continued;
        if (call.replyBytes() == 0 && held == 0) {
            return;
        }
        replies.give(call.replyBytes() - held);
        call.setReplyBytes(0);
        goOn(ctx);
        if (held > 0) {
            if (untaken++ == 0) {
                room.onProgress(ctx, true);
            }
            promise.addListener(done -> {
                if (ctx.executor().inEventLoop()) {
                    onTaken(ctx, held);
                } else {
                    ctx.executor().execute(() -> onTaken(ctx, held));
                }
            });
        }
    }

    private static long pushedBytes(ReplyPlan plan) {
        long pushed = 0;
        for (ReplyPlan.Push push : plan.pushes()) {
            pushed += push.lengthBytes();
        }
        return pushed;
    }

    private void onTaken(ChannelHandlerContext ctx, long held) {
        room.onProgress(ctx, --untaken > 0);
        replies.give(held);
        goOn(ctx);
    }

    /** A call ends without a reply. */
    void onEnded(ChannelHandlerContext ctx, ResponderCall call) {
        if (call.replyBytes() > 0) {
            replies.give(call.replyBytes());
            call.setReplyBytes(0);
            goOn(ctx);
        }
    }

    private void goOn(ChannelHandlerContext ctx) {
        if (!waiting.isEmpty() && !scheduled) {
            scheduled = true;
            ctx.executor()
                    .execute(
                            () -> { // later: the application is writing a reply now
                                scheduled = false;
                                admitWaiting(ctx);
                            });
        }
    }

    private void admitWaiting(ChannelHandlerContext ctx) {
        boolean any = false;
        for (Waiting next = waiting.peek(); next != null && hasRoomFor(next.offered()); next = waiting.peek()) {
            removeFirst();
            take(next.call(), next.offered());
            lineUp(ctx); // before the application, which may reply at once
            up.onAdmitted(ctx, next.message());
            any = true;
        }
        lineUp(ctx);
        if (any) {
            up.onAdmissionEnded(ctx);
        }
    }

    /** Drops the calls that wait. */
    void onConnectionLost() {
        while (!waiting.isEmpty()) {
            removeFirst().message().release();
        }
        room.close();
        replies.close();
    }
}
