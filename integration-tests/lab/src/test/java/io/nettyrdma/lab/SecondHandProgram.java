// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.binding.UpperLayerBinding;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The program that {@code v2peer} calls and serves: NULL, ECHO of one opaque, whose argument and result may be reduced,
 * and REVERSE, for which the server calls its client before it replies.
 */
final class SecondHandProgram implements UpperLayerBinding {
    static final int PROGRAM = 0x2004_9999;
    static final int VERSION = 1;
    static final int NULL = 0;
    static final int ECHO = 1;
    static final int REVERSE = 2;

    /** What a REVERSE is to do: in the order of its numbers. */
    enum Kind {
        NULL,
        ECHO,
        CONTINUED,
        READ_CHUNK,
        WRITE_CHUNK,
        REPLY_CHUNK,
        SPECIAL;

        /** What the client has to take for it. */
        ReverseLevel level() {
            return switch (this) {
                case NULL, ECHO -> ReverseLevel.SIMPLE;
                case CONTINUED -> ReverseLevel.CONT;
                default -> ReverseLevel.GENL;
            };
        }
    }

    /** The call was answered as it has to be. */
    static final int ANSWERED = 0;
    /** It was not. */
    static final int NOT_ANSWERED = 1;
    /** The client's level excludes it. */
    static final int EXCLUDED = 2;

    static final UpperLayerBindings BINDINGS =
            UpperLayerBindings.none().with(PROGRAM, VERSION, new SecondHandProgram());

    private static final int GARBAGE_ARGS = 4;
    private static final int REPLY_HEADER_BYTES = 24;
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
            return new ReplyBounds(REPLY_HEADER_BYTES, List.of());
        }
        int bytes = echoed.get(0).lengthBytes();
        return new ReplyBounds(REPLY_HEADER_BYTES + LENGTH_BYTES + padded(bytes), List.of(bytes));
    }

    @Override
    public List<XdrItem> reducibleResults(RpcCallHeader header, ByteBuf reply, BitSet reduced) {
        boolean echoed = header.procedure() == ECHO && RpcHeaders.acceptStatus(reply) == RpcHeaders.SUCCESS;
        return echoed ? opaque(reply, REPLY_HEADER_BYTES) : List.of();
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

    /** An ECHO of octets that its XID tells. */
    static ByteBuf echo(ByteBufAllocator alloc, int xid, int bytes) {
        byte[] octets = new byte[bytes];
        new Random(xid).nextBytes(octets);
        return RpcHeaders.call(alloc, xid, PROGRAM, VERSION, ECHO)
                .writeInt(bytes)
                .writeBytes(octets)
                .writeZero(padded(bytes) - bytes);
    }

    /** Serves it. */
    static final class Server extends SimpleChannelInboundHandler<ByteBuf> {

        private @Nullable ReverseLevel level;

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof RpcRdmaParametersEvent parameters) {
                level = parameters.reverseLevel();
            }
            ctx.fireUserEventTriggered(event);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
            int xid = RpcHeaders.xid(call);
            if (RpcHeaders.procedure(call) == REVERSE) {
                ByteBuf arguments = RpcHeaders.arguments(call);
                reverse(ctx, xid, Kind.values()[arguments.readInt()], arguments.readInt());
                return;
            }
            ByteBuf arguments = RpcHeaders.arguments(call);
            int bytes = arguments.readableBytes();
            boolean echo = RpcHeaders.procedure(call) == ECHO;
            if (echo && (bytes < LENGTH_BYTES || LENGTH_BYTES + padded(arguments.getInt(0)) != bytes)) {
                ctx.writeAndFlush(RpcHeaders.accepted(ctx.alloc(), xid, GARBAGE_ARGS));
                return;
            }
            ByteBuf reply = RpcHeaders.accepted(ctx.alloc(), xid, RpcHeaders.SUCCESS);
            ctx.writeAndFlush(echo ? reply.writeBytes(arguments) : reply);
        }

        /** Each kind is asked for in the way that a program would: how the call is conveyed follows from that. */
        private void reverse(ChannelHandlerContext ctx, int xid, Kind kind, int bytes) {
            if (level == null || level.compareTo(kind.level()) < 0) {
                reply(ctx, xid, EXCLUDED);
                return;
            }
            RpcRdmaRequester client = RpcRdmaRequester.of(ctx.channel());
            int reverseXid = client.nextXid();
            ByteBuf message = kind == Kind.NULL
                    ? RpcHeaders.call(ctx.alloc(), reverseXid, PROGRAM, VERSION, NULL)
                    : echo(ctx.alloc(), reverseXid, bytes);
            ByteBuf echoed = RpcHeaders.arguments(message).copy();
            ByteBuf target = ctx.alloc().directBuffer(Math.max(1, bytes));
            RpcRdmaCall call = RpcRdmaCall.of(message);
            call = switch (kind) {
                case WRITE_CHUNK -> call.replyInto(target);
                case REPLY_CHUNK -> call.maxReplyBytes(1 << 18);
                case CONTINUED, SPECIAL -> call.reducing(List.of());
                default -> call;
            };
            client.call(call, Deadline.DURATION).addListener((Future<ByteBuf> future) -> {
                boolean answered = future.isSuccess()
                        && RpcHeaders.results(future.getNow()).equals(echoed);
                if (future.isSuccess()) {
                    future.getNow().release();
                }
                echoed.release();
                target.release();
                reply(ctx, xid, answered ? ANSWERED : NOT_ANSWERED);
            });
        }

        private static void reply(ChannelHandlerContext ctx, int xid, int status) {
            ctx.writeAndFlush(RpcHeaders.accepted(ctx.alloc(), xid, RpcHeaders.SUCCESS)
                    .writeInt(status)
                    .writeInt(0));
        }
    }
}
