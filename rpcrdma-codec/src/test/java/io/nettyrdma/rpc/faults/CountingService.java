// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.faults;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.AttributeKey;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcCallRefusal;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import java.io.IOException;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Answers as {@link TestProgram} does, and remembers what it has done. */
final class CountingService extends SimpleChannelInboundHandler<ByteBuf> {

    /** What a channel's sides have agreed on. */
    static final AttributeKey<RpcRdmaParametersEvent> PARAMETERS = AttributeKey.valueOf("test-parameters");

    /** What the services of all connections have done. */
    static final class Log {
        /** Of the Sends of replies that are under way; a future that is kept would keep its connection. */
        final Queue<ChannelFuture> replies = new ConcurrentLinkedQueue<>();
        /** How often each XID was called. */
        final Map<Integer, AtomicInteger> calls = new ConcurrentHashMap<>();

        int calls(int xid) {
            AtomicInteger count = calls.get(xid);
            return count == null ? 0 : count.get();
        }
    }

    private final ByteBufAllocator alloc;
    private final Log log;

    CountingService(ByteBufAllocator alloc, Log log) {
        this.alloc = alloc;
        this.log = log;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
        log.calls
                .computeIfAbsent(RpcHeaders.xid(call), xid -> new AtomicInteger())
                .incrementAndGet();
        final ByteBuf reply;
        try {
            reply = TestProgram.reply(call);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            ctx.writeAndFlush(new RpcCallRefusal(RpcHeaders.xid(call))); // octets were changed on their way
            return;
        }
        ByteBuf counted = alloc.directBuffer(reply.readableBytes()).writeBytes(reply);
        reply.release();
        ChannelFuture sent = ctx.writeAndFlush(counted);
        log.replies.add(sent);
        sent.addListener(log.replies::remove);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof RpcRdmaParametersEvent parameters) {
            ctx.channel().attr(PARAMETERS).set(parameters);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException)) {
            throw new AssertionError(cause);
        }
    }
}
