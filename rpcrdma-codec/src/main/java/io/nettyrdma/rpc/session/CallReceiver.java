/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
