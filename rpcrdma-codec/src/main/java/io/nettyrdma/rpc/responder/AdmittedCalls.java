// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.engine.ResponderCall;
import org.jspecify.annotations.Nullable;

/** Takes the calls that a {@link PushBudget} has room for after they had to wait, and those that it refuses. */
interface AdmittedCalls {

    /** There is room for a call; its message is the receiver's. */
    void onAdmitted(ChannelHandlerContext ctx, ByteBuf message);

    /**
     * There is no room for a call; its message is released.
     *
     * @param why        what has no room
     * @param bytes      that need room, with those that hold it
     * @param limitBytes the bound
     * @param option     the setting of {@code RpcRdmaConfig} with the bound, {@code null} for the process
     */
    void onNoRoom(
            ChannelHandlerContext ctx,
            ResponderCall call,
            String why,
            long bytes,
            long limitBytes,
            @Nullable String option);

    /** No further call is admitted or refused for now. */
    void onAdmissionEnded(ChannelHandlerContext ctx);
}
