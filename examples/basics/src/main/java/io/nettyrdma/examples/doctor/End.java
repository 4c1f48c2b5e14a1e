// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.doctor;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaDeviceEvent;
import io.nettyrdma.channel.RdmaPrivateDataEvent;
import io.nettyrdma.verbs.RdmaCapabilities;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One end of a connection, for a thread that waits for what arrives there. */
final class End extends SimpleChannelInboundHandler<ByteBuf> {

    final CompletableFuture<RdmaCapabilities> device = new CompletableFuture<>();
    final CompletableFuture<byte[]> peerData = new CompletableFuture<>();
    final CompletableFuture<Boolean> closed = new CompletableFuture<>();

    private final byte[] ownData;
    private final BlockingQueue<byte[]> messages = new LinkedBlockingQueue<>();
    private volatile String failure = "";

    /** @param ownData for the peer, if the device carries any */
    End(byte... ownData) {
        this.ownData = ownData;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof RdmaDeviceEvent known) {
            if (known.capabilities().privateData().any() && ownData.length > 0) {
                context.channel().config().setOption(RdmaChannelOption.RDMA_PRIVATE_DATA, ownData);
            }
            device.complete(known.capabilities());
        } else if (event instanceof RdmaPrivateDataEvent heard) {
            peerData.complete(heard.data());
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
        messages.add(ByteBufUtil.getBytes(message));
    }

    /** Waits for a message. */
    byte[] take(int seconds) throws IOException, InterruptedException {
        byte[] message = messages.poll(seconds, TimeUnit.SECONDS);
        if (message == null) {
            throw new IOException("no message within " + seconds + " s" + failure);
        }
        return message;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        closed.complete(true);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failure = "; the connection failed: " + cause;
        context.close();
    }
}
