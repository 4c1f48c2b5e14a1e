// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.channel.Channel;
import io.netty.channel.socket.ServerSocketChannel;
import io.nettyrdma.engine.AbstractRdmaServerChannel;
import io.nettyrdma.engine.ConnectionRequest;

/**
 * Listens for byte streams over RDMA from {@link RdmaSocketChannel} and from programs over rsockets. The channel
 * rejects a request without the private data of such a stream.
 *
 * <p>Threading: as any Netty channel.
 */
@SuppressWarnings("exports") // what it extends is not for programs
public final class RdmaServerSocketChannel extends AbstractRdmaServerChannel implements ServerSocketChannel {

    private final RdmaServerSocketChannelConfig config = new RdmaServerSocketChannelConfig(this);

    /** Used by {@code ServerBootstrap.channel(RdmaServerSocketChannel.class)}. */
    public RdmaServerSocketChannel() {}

    @Override
    protected Channel newChild(ConnectionRequest request) {
        RdmaSocketChannel child = new RdmaSocketChannel(this, request);
        child.config().setReceiveBufferSize(config.getReceiveBufferSize());
        return child;
    }

    @Override
    public RdmaServerSocketChannelConfig config() {
        return config;
    }
}
