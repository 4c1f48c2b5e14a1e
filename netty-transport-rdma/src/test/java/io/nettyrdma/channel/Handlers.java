// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;

/** Handlers that do one thing. */
final class Handlers {

    private Handlers() {}

    /** What is done in one event. */
    interface OnActive {
        void run(ChannelHandlerContext context) throws Exception;
    }

    /** What is done with a message, which the handler owns. */
    interface OnRead {
        void run(ChannelHandlerContext context, ByteBuf message) throws Exception;
    }

    /** Returns a handler that adds others, in their order, and leaves. */
    static ChannelInitializer<Channel> adding(ChannelHandler... handlers) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handlers);
            }
        };
    }

    static ChannelInboundHandlerAdapter onActive(OnActive task) {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) throws Exception {
                task.run(context);
            }
        };
    }

    static ChannelInboundHandlerAdapter onRead(OnRead task) {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
                task.run(context, (ByteBuf) message);
            }
        };
    }
}
