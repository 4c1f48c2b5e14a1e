// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent;

import org.jspecify.annotations.Nullable;

/**
 * Makes the channels and event loops of one Netty. Its types are objects here, as the agent may not see them.
 *
 * <p>Threading: any thread.
 */
public interface Sockets {

    /**
     * Makes a channel.
     *
     * @param factory the program's, a {@code ChannelFactory}
     * @param address where it will connect to or listen, or {@code null} if that is not known
     */
    Object newChannel(Object factory, @Nullable Object address);

    /**
     * Makes the handler of an event loop.
     *
     * @param factory  the program's, an {@code IoHandlerFactory}
     * @param executor the loop, a {@code ThreadAwareExecutor}
     */
    Object newHandler(Object factory, Object executor);
}
