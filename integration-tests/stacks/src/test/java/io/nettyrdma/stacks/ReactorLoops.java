// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.nettyrdma.channel.StreamTransport;
import reactor.netty.resources.LoopResources;

/**
 * The event loops and channels of {@link StreamTransport} for Reactor Netty. Servers and clients take an object of this
 * class by {@code runOn}.
 */
final class ReactorLoops implements LoopResources {

    @Override
    public EventLoopGroup onServer(boolean useNative) {
        return StreamTransport.UNDER_TEST.group();
    }

    @Override
    public <C extends Channel> C onChannel(Class<C> type, EventLoopGroup group) {
        try {
            return type.cast(
                    onChannelClass(type, group).getDeclaredConstructor().newInstance());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type.getName(), e);
        }
    }

    @Override
    public <C extends Channel> Class<? extends C> onChannelClass(Class<C> type, EventLoopGroup group) {
        if (type == SocketChannel.class) {
            return StreamTransport.UNDER_TEST.client().asSubclass(type);
        }
        if (type == ServerSocketChannel.class) {
            return StreamTransport.UNDER_TEST.server().asSubclass(type);
        }
        throw new IllegalArgumentException("type: " + type + " (expected: SocketChannel or ServerSocketChannel)");
    }
}
