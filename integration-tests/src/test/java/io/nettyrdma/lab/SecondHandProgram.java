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
package io.nettyrdma.lab;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.binding.UpperLayerBinding;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.message.RpcMessage;
import io.nettyrdma.rpc.message.XdrItem;
import java.util.BitSet;
import java.util.List;

/**
 * The program that {@code v2peer} calls and serves: NULL, and ECHO of one opaque, whose argument and result may be
 * reduced.
 */
final class SecondHandProgram implements UpperLayerBinding {
    static final int PROGRAM = 0x2004_9999;
    static final int VERSION = 1;
    static final int NULL = 0;
    static final int ECHO = 1;
    static final UpperLayerBindings BINDINGS =
            UpperLayerBindings.none().with(PROGRAM, VERSION, new SecondHandProgram());

    private static final int GARBAGE_ARGS = 4;
    private static final int LENGTH_BYTES = 4;

    @Override
    public boolean mayReduceArguments(RpcCallHeader header) {
        return header.procedure() == ECHO;
    }

    @Override
    public List<XdrItem> reducibleArguments(RpcCallHeader header, ByteBuf call) {
        return header.procedure() == ECHO ? opaque(call, header.argumentsOffset()) : List.of();
    }

    @Override
    public ReplyBounds replyBounds(RpcCallHeader header, ByteBuf call) {
        List<XdrItem> echoed = reducibleArguments(header, call);
        if (echoed.isEmpty()) {
            return new ReplyBounds(RpcMessage.ACCEPTED_REPLY_BYTES, List.of());
        }
        int bytes = echoed.get(0).lengthBytes();
        return new ReplyBounds(RpcMessage.ACCEPTED_REPLY_BYTES + LENGTH_BYTES + padded(bytes), List.of(bytes));
    }

    @Override
    public List<XdrItem> reducibleResults(RpcCallHeader header, ByteBuf reply, BitSet reduced) {
        boolean echoed = header.procedure() == ECHO && RpcMessage.acceptStatus(reply) == RpcMessage.SUCCESS;
        return echoed ? opaque(reply, RpcMessage.ACCEPTED_REPLY_BYTES) : List.of();
    }

    /** The opaque at an offset, as far as its length is there. */
    private static List<XdrItem> opaque(ByteBuf message, int offset) {
        if (message.readableBytes() < offset + LENGTH_BYTES) {
            return List.of();
        }
        int bytes = message.getInt(message.readerIndex() + offset);
        return bytes < 0 ? List.of() : List.of(new XdrItem(offset + LENGTH_BYTES, bytes));
    }

    private static int padded(int bytes) {
        return bytes + 3 & ~3;
    }

    /** Serves it. */
    static final class Server extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
            int xid = RpcMessage.xid(call);
            int from = RpcMessage.CALL_BYTES;
            int bytes = call.readableBytes() - from;
            boolean echo = RpcMessage.procedure(call) == ECHO;
            if (echo && (bytes < LENGTH_BYTES || LENGTH_BYTES + padded(call.getInt(from)) != bytes)) {
                ctx.writeAndFlush(RpcMessage.accepted(ctx.alloc(), xid, GARBAGE_ARGS));
                return;
            }
            ByteBuf reply = RpcMessage.accepted(ctx.alloc(), xid, RpcMessage.SUCCESS);
            ctx.writeAndFlush(echo ? reply.writeBytes(call, from, bytes) : reply);
        }
    }
}
