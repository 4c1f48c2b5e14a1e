// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import io.micronaut.http.netty.channel.EventLoopGroupConfiguration;
import io.micronaut.http.netty.channel.EventLoopGroupFactory;
import io.micronaut.http.netty.channel.NettyChannelType;
import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ReflectiveChannelFactory;
import io.nettyrdma.channel.StreamTransport;
import jakarta.inject.Named;
import jakarta.inject.Singleton;

/**
 * The event loops and channels of {@link StreamTransport} for Micronaut, which makes event loops of its own. Two
 * settings name this bean: {@code transport} of {@code micronaut.netty.event-loops.parent} and {@code .default}.
 */
@Singleton
@Named(MicronautLoops.NAME)
final class MicronautLoops implements EventLoopGroupFactory {

    static final String NAME = "under-test";

    @Override
    public IoHandlerFactory createIoHandlerFactory(EventLoopGroupConfiguration configuration) {
        return StreamTransport.UNDER_TEST.io();
    }

    @Override
    public Channel channelInstance(NettyChannelType type, EventLoopGroupConfiguration configuration) {
        return new ReflectiveChannelFactory<>(channelClass(type, configuration)).newChannel();
    }

    @Override
    public Class<? extends Channel> channelClass(NettyChannelType type, EventLoopGroupConfiguration configuration) {
        return switch (type) {
            case SERVER_SOCKET -> StreamTransport.UNDER_TEST.server();
            case CLIENT_SOCKET -> StreamTransport.UNDER_TEST.client();
            default -> throw new UnsupportedOperationException("type: " + type + " (expected: a socket of streams)");
        };
    }
}
