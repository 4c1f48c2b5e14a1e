// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.flow.RdmaFlowControlHandler;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** In front of a {@link RdmaFlowControlHandler}: keeps which messages have arrived, without a reference to them. */
final class WireRecorder extends ChannelInboundHandlerAdapter {

    final List<ByteBuf> buffers = new CopyOnWriteArrayList<>();
    /** Bytes of each message, with its trailer. */
    final List<Integer> lengths = new CopyOnWriteArrayList<>();

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf content = (ByteBuf) message;
        buffers.add(content);
        lengths.add(content.readableBytes());
        context.fireChannelRead(message);
    }

    /** Waits until so many have arrived and were passed on. */
    void await(int messages, Channel channel) throws Exception {
        ChannelPair.until(() -> lengths.size() >= messages, () -> messages + " messages, not " + lengths);
        ChannelPair.onLoop(channel, () -> {});
    }
}
