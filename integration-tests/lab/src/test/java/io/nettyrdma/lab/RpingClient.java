// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaMemory;
import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** The side of {@link Rping} that lets its memory be read and written. Closes the connection after its last round. */
final class RpingClient extends RpingHandler {
    private final int count;
    private @Nullable RdmaMemory start;
    private @Nullable RdmaMemory sink;
    private boolean sinkIsAdvertised;

    RpingClient(int size, int count) {
        super(size);
        this.count = count;
    }

    ChannelFuture connect(EventLoopGroup group, SocketAddress server) {
        return new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .handler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        channel.config().setReceiveSize(Rping.MESSAGE_BYTES).setReceiveCount(2);
                        channel.pipeline().addLast(RpingClient.this);
                    }
                })
                .connect(server);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws IOException {
        start = allocate(context, RdmaAccess.REMOTE_READ);
        sink = allocate(context, RdmaAccess.REMOTE_WRITE);
        startRound(context);
    }

    private void startRound(ChannelHandlerContext context) {
        assert start != null && sink != null;
        start.content().setBytes(0, Rping.pingData(rounds(), size));
        sink.content().setZero(0, size); // what the last round left there must not pass for this one's
        advertise(context, start);
    }

    private void advertise(ChannelHandlerContext context, RdmaMemory memory) {
        context.writeAndFlush(Rping.advertisement(context.alloc(), memory.segment()))
                .addListener(written);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) throws IOException {
        Rping.checkLength(message);
        RdmaMemory target = sink;
        assert target != null;
        if (!sinkIsAdvertised) {
            sinkIsAdvertised = true;
            advertise(context, target);
            return;
        }
        verify(target, "RDMA Write");
        sinkIsAdvertised = false;
        roundDone();
        if (rounds() == count) {
            context.close();
        } else {
            startRound(context);
        }
    }
}
