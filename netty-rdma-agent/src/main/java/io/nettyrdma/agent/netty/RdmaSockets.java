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
import io.nettyrdma.internal.Strangers;
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
    public RdmaSockets() {
        Strangers.hear(Hooks::onStranger);
    }

    @Override
    @SuppressWarnings("deprecation") // the supertype of the factory that is not
    public Object newChannel(Object factory, @Nullable Object address) {
        Channel made = ((ChannelFactory<?>) factory).newChannel();
        boolean listens = made instanceof NioServerSocketChannel;
        if (!listens && !(made instanceof NioSocketChannel)
                || !Hooks.moves(
                        address,
                        listens,
                        obstacle(made, listens ? NioServerSocketChannel.class : NioSocketChannel.class))) {
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

    /** Returns why a channel stays, for the user, or {@code null}. */
    private static @Nullable String obstacle(Channel made, Class<?> movable) {
        if (made.getClass() != movable) {
            return stays(made, "it extends " + movable.getSimpleName() + " and may rely on TCP; use that class itself");
        }
        if (made.isActive()) {
            return stays(made, "its socket was in use; let Netty open the socket");
        }
        return made.pipeline().first() == null
                ? null
                : stays(made, "its factory adds handlers; let the bootstrap add them");
    }

    private static String stays(Channel made, String why) {
        return made.getClass().getName() + " stays TCP, as " + why
                + ", or leave its address to TCP at both ends by the agent's options";
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
