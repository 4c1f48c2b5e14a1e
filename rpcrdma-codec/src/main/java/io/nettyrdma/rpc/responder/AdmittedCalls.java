// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.engine.ResponderCall;
import org.jspecify.annotations.Nullable;

/** Takes the calls that a {@link PushBudget} has room for after they had to wait. */
interface AdmittedCalls {

    /** There is room for a call; its message is the receiver's. */
    void onAdmitted(ChannelHandlerContext ctx, ByteBuf message);

    /**
     * A call would have to wait, and there is no room for that; its message is released.
     *
     * @param bytes      octets that need room, with the calls before if these are of the same connection
     * @param limitBytes the bound
     * @param option     the setting of {@code RpcRdmaConfig} with the bound, {@code null} for the process
     */
    void onNoRoom(ChannelHandlerContext ctx, ResponderCall call, long bytes, long limitBytes, @Nullable String option);

    /** No further call is admitted for now. */
    void onAdmissionEnded(ChannelHandlerContext ctx);
}
