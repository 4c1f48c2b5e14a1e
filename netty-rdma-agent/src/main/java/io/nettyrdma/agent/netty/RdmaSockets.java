// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent.netty;

import io.netty.bootstrap.ChannelFactory;
import io.netty.channel.Channel;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.nettyrdma.agent.Hooks;
import io.nettyrdma.agent.Sockets;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * Makes channels and handlers of RDMA in place of those of NIO. It first makes the program's: only they say what the
 * factories of a program make. Subclasses of them may rely on TCP, and stay.
 *
 * <p>Threading: any thread.
 */
public final class RdmaSockets implements Sockets {

    /** Called by reflection. */
    public RdmaSockets() {}

    @Override
    @SuppressWarnings("deprecation") // the supertype of the factory that is not
    public Object newChannel(Object factory, @Nullable Object address) {
        Channel made = ((ChannelFactory<?>) factory).newChannel();
        boolean listens = made.getClass() == NioServerSocketChannel.class;
        if (!listens && made.getClass() != NioSocketChannel.class || isInUse(made) || !Hooks.moves(address, listens)) {
            return made;
        }
        made.unsafe().closeForcibly();
        if (listens) {
            return new RdmaServerSocketChannel();
        }
        RdmaSocketChannel channel = new RdmaSocketChannel();
        channel.pipeline().addFirst(new ConnectAdvice(address));
        return channel;
    }

    /** Whether the factory has taken a socket that was there, or has begun to use the channel. */
    private static boolean isInUse(Channel made) {
        return made.isActive() || made.pipeline().first() != null;
    }

    @Override
    public Object newHandler(Object factory, Object executor) {
        ThreadAwareExecutor loop = (ThreadAwareExecutor) executor;
        IoHandler made = ((IoHandlerFactory) factory).newHandler(loop);
        if (made.getClass() != NioIoHandler.class) {
            return made;
        }
        made.destroy();
        return RdmaIoHandler.newFactory().newHandler(loop);
    }
}
