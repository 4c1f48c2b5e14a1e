// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.session.MessageLink;

/**
 * The calls of one connection that are executed, in the forward direction. What exceeds the limits of this side stays
 * in the channel.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: calls handed up belong to the next handler.
 */
public final class ForwardCalls extends ReceivedCalls {

    private boolean callReceived;

    /**
     * @param credits  receives posted for calls, at least 1
     * @param maxCalls calls in progress at which no more are read, at least {@code credits}
     * @param alloc    provides the memory that RDMA Reads go to, best registered
     */
    public ForwardCalls(MessageLink link, ResponderLimits limits, int credits, int maxCalls, ByteBufAllocator alloc) {
        super(link, limits, credits, maxCalls, alloc);
    }

    /** Sets what the two sides have agreed on. */
    public void setParameters(RpcRdmaParametersEvent parameters) {
        // In version 2 a reply invalidates nothing but what its call names. V2-120
        setParameters(parameters.version() == AllowedVersions.ONE && parameters.remoteInvalidation());
    }

    /** Changes the grant that all further replies carry, as {@link ResponderEngine#setCredits} does. */
    public void setCredits(int credits) {
        engine().setCredits(credits);
    }

    /** Whether the peer has called. */
    public boolean hasReceivedCall() {
        return callReceived;
    }

    @Override
    boolean mayTake(ChannelHandlerContext ctx, int xid, OwedAnswer answer) {
        callReceived = true;
        if (engine().mayRead() || !link().terms().detailedErrors()) {
            return true;
        }
        int calls = engine().callsInProgress();
        link().observer()
                .onLimited(() -> "call 0x" + Integer.toHexString(xid) + " is refused with RDMA2_ERR_SYSTEM: " + calls
                        + " calls are in progress, which is all that RpcRdmaConfig.creditsGranted allows");
        refuseExcess(ctx, xid, answer); // C44
        return false;
    }

    /** Reads now, or when it may be. */
    public void read(ChannelHandlerContext ctx) {
        gate().read(ctx);
    }

    /** The channel's writability has changed. */
    public void onWritabilityChanged(ChannelHandlerContext ctx) {
        gate().resume(ctx);
    }
}
