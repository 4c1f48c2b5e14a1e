// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Connections that are made and closed without a byte. A message is one of them.
 *
 * <p>Threading: the client's event loop.
 */
final class ConnectLoad extends Workload {

    private final Stack stack;
    private final int inFlight;

    ConnectLoad(Stack stack, Scenario scenario) {
        this.stack = stack;
        inFlight = scenario.inFlight();
    }

    @Override
    void initServer(Channel channel) {}

    @Override
    void initClient(Channel channel) {}

    @Override
    void begin(Channel channel) {
        Bootstrap bootstrap = new Bootstrap()
                .group(channel.eventLoop())
                .channel(stack.channel())
                .handler(new Silent())
                .remoteAddress(channel.remoteAddress());
        for (int i = 0; i < inFlight; i++) {
            connect(bootstrap);
        }
    }

    private void connect(Bootstrap bootstrap) {
        if (!trips.takeOne()) {
            return;
        }
        long began = System.nanoTime();
        bootstrap.connect().addListener((ChannelFuture connected) -> {
            if (!connected.isSuccess()) {
                trips.fail(connected.cause());
                return;
            }
            connected.channel().close().addListener(closed -> {
                trips.answered(began);
                connect(bootstrap);
            });
        });
    }

    @Sharable
    private static final class Silent extends ChannelInboundHandlerAdapter {}
}
