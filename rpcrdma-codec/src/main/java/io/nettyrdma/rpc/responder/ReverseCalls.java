// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.error.ConnectionFailedException.Reason;
import io.nettyrdma.rpc.session.LinkTerms;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;

/**
 * The calls of one connection that are executed, in the reverse direction, at the client.
 *
 * <p>A responder usually leaves what exceeds its limits in the channel. That is no answer here: replies to the client's
 * own calls are in the same channel, and its answers to reverse calls may depend on them. So a server that keeps to its
 * credits is always read. One that does not is answered that there is no room, or loses the connection where the
 * version has no such answer.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: calls handed up belong to the next handler.
 */
public final class ReverseCalls extends ReceivedCalls {

    /**
     * Replies of which the device has not said that they are sent, beside as many calls as may be in progress. As they
     * come by themselves, a server within its credits is rarely this far ahead of them. Each holds up to the inline
     * threshold, or all its fragments.
     */
    public static final int MAX_UNSENT_REPLIES = 128;

    private final int maxCalls;
    private boolean agreed;

    /**
     * @param credits  to grant
     * @param maxCalls in progress, at which there is no room for the next one; at least {@code credits}
     * @param alloc    provides the memory that RDMA Reads go to, best registered
     */
    public ReverseCalls(MessageLink link, ResponderLimits limits, int credits, int maxCalls, ByteBufAllocator alloc) {
        super(link, limits, credits, maxCalls, alloc);
        this.maxCalls = maxCalls;
    }

    /** The two sides have agreed on what the link tells. */
    public void onParametersAgreed() {
        agreed = true;
        setParameters(false);
    }

    @Override
    boolean mayTake(ChannelHandlerContext ctx, int xid, OwedAnswer answer) {
        if (isClosed()) {
            return false;
        }
        if (!agreed && link().isAgreed()) {
            onParametersAgreed(); // handlers in between may keep the event to themselves
        }
        // Replies count until they are sent, or a server that takes none of them would make them pile up. But a server
        // can be faster than the completions of the Sends it answers, which a device may deliver late.
        int calls = engine().callsInProgress() + link().unsent() + repliesWaiting();
        boolean hasRoom = engine().mayRead();
        if (calls >= maxCalls + MAX_UNSENT_REPLIES
                || !hasRoom && !link().terms().detailedErrors()) {
            close();
            ctx.pipeline()
                    .fireExceptionCaught(new ConnectionFailedException(
                            xid,
                            Reason.TOO_MANY_CALLS,
                            calls + 1 + " reverse calls are not done, " + engine().credits()
                                    + " credits are granted (RpcRdmaConfig.reverseCredits)"));
            ctx.close();
            return false;
        } else if (!hasRoom) {
            refuseExcess(ctx, xid, answer); // C62
        }
        return hasRoom;
    }

    @Override
    public void onMessage(
            ChannelHandlerContext ctx, RpcRdmaMessage header, ByteBuf payload, int nominated, OwedAnswer answer) {
        boolean inline = header instanceof RpcRdmaMessage.Msg && header.chunks().areAbsent();
        if (inline || link().terms().mayHaveChunks() || isClosed()) {
            super.onMessage(ctx, header, payload, nominated, answer);
            return;
        }
        payload.release();
        int xid = header.xid();
        if (mayTake(ctx, xid, answer)) {
            String why = "chunks in a reverse call";
            LinkTerms terms = link().terms();
            reject(ctx, Rejection.errChunk(xid, terms.version(), why, terms.listsOffset(), 1, 0), answer);
        }
    }
}
