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
package io.nettyrdma.examples.nfsnull;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.rpc.message.RpcHeaders;

/**
 * An NFS server that can do nothing but be there: it answers the NULL procedure of versions 2, 3 and 4, and says of
 * everything else that it is not available (RFC 5531, section 9).
 */
@Sharable
public final class NfsNullHandler extends SimpleChannelInboundHandler<ByteBuf> {

    private static final int NFS = 100_003; // V1-127
    private static final int MIN_VERSION = 2;
    private static final int MAX_VERSION = 4;
    private static final int RPC_VERSION = 2;
    private static final int RPC_VERSION_OFFSET = 8;

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf call) {
        context.write(reply(context, call));
    }

    private static ByteBuf reply(ChannelHandlerContext context, ByteBuf call) {
        int xid = RpcHeaders.xid(call);
        if (call.readableBytes() < RpcHeaders.CALL_BYTES) {
            return RpcHeaders.accepted(context.alloc(), xid, RpcHeaders.GARBAGE_ARGS);
        }
        if (call.getInt(RPC_VERSION_OFFSET) != RPC_VERSION) {
            return RpcHeaders.rpcMismatch(context.alloc(), xid);
        }
        if (RpcHeaders.program(call) != NFS) {
            return RpcHeaders.accepted(context.alloc(), xid, RpcHeaders.PROG_UNAVAIL);
        }
        int version = RpcHeaders.version(call);
        if (version < MIN_VERSION || version > MAX_VERSION) {
            return RpcHeaders.programMismatch(context.alloc(), xid, MIN_VERSION, MAX_VERSION);
        }
        int status = RpcHeaders.procedure(call) == 0 ? RpcHeaders.SUCCESS : RpcHeaders.PROC_UNAVAIL;
        return RpcHeaders.accepted(context.alloc(), xid, status);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }
}
