// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;

/** Receives the calls of a {@link MessageLink}. It owns their payload streams. */
public interface CallReceiver {

    /** A call without chunks, while no listener observes messages: it costs no object for the header. */
    void onInlineCall(ChannelHandlerContext ctx, int xid, ByteBuf payload, OwedAnswer answer);

    /**
     * A valid message.
     *
     * @param payload   what is behind its header, empty if there is nothing
     * @param answer    the receiver's from now on
     * @param nominated handle that the reply is to invalidate; 0 if the requester has named none, or it cannot be
     */
    void onMessage(ChannelHandlerContext ctx, RpcRdmaMessage header, ByteBuf payload, int nominated, OwedAnswer answer);

    /** Whether there is a call with this XID already, so that another one would be dropped. */
    boolean isInProgress(int xid);

    /** A message that is not valid, and is perhaps to be answered. */
    void onRejected(ChannelHandlerContext ctx, Rejection rejection);
}
