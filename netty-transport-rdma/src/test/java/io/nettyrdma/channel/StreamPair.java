// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.channel.ChannelHandler;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.util.function.Supplier;

/** A {@link LoopbackPair} of byte streams. */
final class StreamPair extends LoopbackPair<RdmaSocketChannel, StreamPair> {

    StreamPair(TestProvider provider, Supplier<ChannelHandler> serverHandler, Supplier<ChannelHandler> clientHandler) {
        this(provider, provider.extensions(), serverHandler, clientHandler);
    }

    /** @param verbs of the provider, or what a test has put before it */
    StreamPair(
            TestProvider provider,
            VerbsExtensions verbs,
            Supplier<ChannelHandler> serverHandler,
            Supplier<ChannelHandler> clientHandler) {
        super(
                RdmaServerSocketChannel.class,
                RdmaSocketChannel.class,
                RdmaIoHandler.newFactory(RdmaIoHandlerConfig.defaults(), verbs),
                provider.serverLoops,
                serverHandler,
                clientHandler);
    }

    @Override
    StreamPair self() {
        return this;
    }
}
