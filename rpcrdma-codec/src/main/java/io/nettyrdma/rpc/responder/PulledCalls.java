// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.engine.ReadPlan;
import io.nettyrdma.rpc.engine.ResponderCall;

/** Who takes the calls that a {@link ChunkReader} has pulled. */
public interface PulledCalls {

    /** A call is complete; its buffer is the receiver's. */
    void onPulled(ChannelHandlerContext ctx, ResponderCall call, ReadPlan plan, ByteBuf message);

    /** There was no memory for a call; nothing was read. */
    void onNoMemory(ChannelHandlerContext ctx, ResponderCall call);
}
