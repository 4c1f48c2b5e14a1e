// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.rpc.engine.ReplyPlan;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.session.LoopMemory;
import io.nettyrdma.rpc.session.WaitingCallMemory;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Bounds what replies make a responder hold for a requester that does not take them, though it keeps to its credits:
 * those in chunks, and those of version 2 that are continued. A call counts with the octets that its chunks offer room
 * for, or with the longest reply that its binding knows of, but with no more than the bound, until the application has
 * replied. Its reply counts with the octets that are written to chunks or sent in fragments, until the last Send has
 * completed. Calls wait, whole, while there is no room; one that counts for the whole bound is executed when nothing
 * else is. All connections of the process have a bound together.
 *
 * <p>A call that came in fragments also counts with its own octets while it waits: for the same two bounds, apart from
 * replies. Without room it is refused: a peer that takes no replies could make any number wait.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: owns the messages of calls that wait.
 */
final class PushBudget {

    private record Waiting(ResponderCall call, long offered, ByteBuf message, int countedBytes) {}

    private final long limitBytes;
    private final long processLimitBytes;
    private final AdmittedCalls up;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private LoopMemory.@Nullable Account account;
    private final WaitingCallMemory callMemory;
    /** Longest call in one Send; there are no fragments until it is set. */
    private int singleCallBytes = Integer.MAX_VALUE;

    private boolean scheduled;
    private boolean linedUp;

    /**
     * @param limitBytes        of replies, executed or sent; and of calls in fragments that wait
     * @param processLimitBytes of such replies, with those of other connections; and of such calls
     * @param up                takes the calls that had to wait
     */
    PushBudget(long limitBytes, long processLimitBytes, AdmittedCalls up) {
        this.limitBytes = limitBytes;
        this.processLimitBytes = processLimitBytes;
        this.up = up;
        callMemory = new WaitingCallMemory(processLimitBytes);
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
        if (offered > 0 && (!waiting.isEmpty() || !hasRoomFor(ctx, offered))) {
            keep(ctx, call, offered, message);
            return false;
        }
        if (offered > 0) {
            take(ctx, call, offered);
        }
        return true;
    }

    private void keep(ChannelHandlerContext ctx, ResponderCall call, long offered, ByteBuf message) {
        int messageBytes = message.readableBytes();
        boolean counts =
                messageBytes > singleCallBytes && call.chunks().readList().isEmpty();
        if (counts) {
            long sum = callMemory.bytes() + messageBytes;
            boolean hasRoomHere = callMemory.bytes() == 0 || sum <= limitBytes;
            if (!hasRoomHere || !callMemory.take(messageBytes)) {
                message.release();
                if (hasRoomHere) {
                    up.onNoRoom(ctx, call, messageBytes, processLimitBytes, null);
                } else {
                    up.onNoRoom(ctx, call, sum, limitBytes, "maxPushingBytes");
                }
                return;
            }
        }
        waiting.add(new Waiting(call, offered, message, counts ? messageBytes : 0));
        lineUp(ctx);
    }

    /** Removes the first call that waits. */
    private Waiting removeFirst() {
        Waiting first = waiting.remove();
        callMemory.give(first.countedBytes());
        return first;
    }

    private void take(ChannelHandlerContext ctx, ResponderCall call, long offered) {
        call.setReplyBytes(offered);
        account(ctx).take(offered);
    }

    private boolean hasRoomFor(ChannelHandlerContext ctx, long offered) {
        return hasRoomHere(offered) && account(ctx).hasRoomFor(offered);
    }

    private boolean hasRoomHere(long offered) {
        long bytes = account == null ? 0 : account.bytes();
        return bytes == 0 || offered <= limitBytes - bytes;
    }

    private LoopMemory.Account account(ChannelHandlerContext ctx) {
        LoopMemory.Account present = account;
        if (present == null) {
            present = LoopMemory.open(processLimitBytes, ctx.executor(), why -> {
                ctx.pipeline().fireExceptionCaught(why);
                ctx.close();
            });
            account = present;
        }
        return present;
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
     * @param continued octets of it that take more than one Send, 0 if one is enough
     * @return why there is no room for it; {@code null} if there is
     */
    @Nullable
    MessageTooLargeException shortage(ChannelHandlerContext ctx, ResponderCall call, ReplyPlan plan, long continued) {
        long more = pushedBytes(plan) + continued - call.replyBytes();
        if (continued == 0 || more <= 0) {
            return null;
        }
        long bytes = account(ctx).bytes();
        boolean isAlone = bytes == call.replyBytes();
        if (!isAlone && more > limitBytes - bytes) {
            return MessageTooLargeException.ofReplyBesideOthers(call.xid(), continued, limitBytes);
        }
        return account(ctx).hasRoomFor(more)
                ? null
                : MessageTooLargeException.ofReplyWithoutRoom(call.xid(), continued, processLimitBytes);
    }

    /**
     * The reply to a call is about to be sent.
     *
     * @param continued octets of it that take more than one Send, 0 if one is enough
     * @param promise   completes when the peer has taken it
     */
    void onReply(
            ChannelHandlerContext ctx, ResponderCall call, ReplyPlan plan, long continued, ChannelPromise promise) {
        long held = pushedBytes(plan) + continued;
        if (call.replyBytes() == 0 && held == 0) {
            return;
        }
        LoopMemory.Account present = account(ctx);
        long less = call.replyBytes() - held;
        if (less > 0) {
            present.give(less);
        } else {
            present.take(-less);
        }
        call.setReplyBytes(0);
        goOn(ctx);
        if (held > 0) {
            present.onWaiting(call.xid(), held);
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
        account(ctx).onMoved(held);
        goOn(ctx);
    }

    /** A call ends without a reply. */
    void onEnded(ChannelHandlerContext ctx, ResponderCall call) {
        if (call.replyBytes() > 0) {
            account(ctx).give(call.replyBytes());
            call.setReplyBytes(0);
            goOn(ctx);
        }
    }

    private void goOn(ChannelHandlerContext ctx) {
        @Nullable Waiting next = waiting.peek();
        if (next == null || scheduled) {
            return;
        }
        if (hasRoomFor(ctx, next.offered())) {
            scheduled = true;
            ctx.executor().execute(() -> admitWaiting(ctx)); // later: the application is writing a reply now
        } else {
            lineUp(ctx); // it may have waited for this connection before, and for others from now on
        }
    }

    private void admitWaiting(ChannelHandlerContext ctx) {
        scheduled = false;
        boolean any = false;
        for (Waiting next = waiting.peek(); next != null; next = waiting.peek()) {
            if (!hasRoomFor(ctx, next.offered())) {
                lineUp(ctx);
                break;
            }
            removeFirst();
            take(ctx, next.call(), next.offered());
            any = true;
            up.onAdmitted(ctx, next.message());
        }
        if (any) {
            up.onAdmissionEnded(ctx);
        }
    }

    /** Where it is the process that has no room, nothing need happen to this connection that changes that. */
    private void lineUp(ChannelHandlerContext ctx) {
        Waiting next = waiting.element();
        if (!linedUp && hasRoomHere(next.offered())) {
            linedUp = true;
            account(ctx).await(() -> tryAgain(ctx));
        }
    }

    private boolean tryAgain(ChannelHandlerContext ctx) {
        @Nullable Waiting next = waiting.peek();
        if (next != null && hasRoomHere(next.offered()) && !account(ctx).hasRoomFor(next.offered())) {
            return false;
        }
        linedUp = false; // where this connection has no room, it lines up again when it has
        admitWaiting(ctx);
        return true;
    }

    /** Drops the calls that wait. */
    void onConnectionLost() {
        while (!waiting.isEmpty()) {
            removeFirst().message().release();
        }
        if (account != null) {
            account.close();
        }
    }
}
