// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * Passes what one channel receives to another, which may be of another event loop, and the end as well.
 *
 * <p>Threading: the event loop of the channel that it is a handler of.
 */
final class Proxy extends ChannelInboundHandlerAdapter {

    private final @Nullable Bootstrap onward;
    private @Nullable Channel other;

    private Proxy(@Nullable Bootstrap onward, @Nullable Channel other) {
        this.onward = onward;
        this.other = other;
    }

    /**
     * The half that the client is connected to; what the client sends waits until it has its other half.
     *
     * @param onward connects to the server behind it, on the loops of its group
     */
    static Proxy to(Bootstrap onward) {
        return new Proxy(onward, null);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (onward == null) {
            return;
        }
        Channel near = context.channel();
        near.config().setAutoRead(false);
        Channel far = onward.clone()
                .handler(new Proxy(null, near))
                .connect()
                .addListener(future -> {
                    if (future.isSuccess()) {
                        near.config().setAutoRead(true);
                    } else {
                        near.pipeline().fireExceptionCaught(future.cause());
                        near.close();
                    }
                })
                .channel();
        other = far;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel target = other;
        if (target == null) {
            ReferenceCountUtil.release(message);
            throw new IllegalStateException("a message before the connection that it is to be passed on by");
        }
        target.write(RdmaSend.of((ByteBuf) message));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (other != null) {
            other.flush();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (other != null) {
            other.close();
        }
    }
}
