// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.AbstractSocketShutdownOutputByPeerTest;
import java.net.SocketAddress;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** The peer is a channel of the transport under test; in the suite it is a {@link java.net.Socket}. */
@Tag("dropin")
class SuiteSocketShutdownOutputByPeerTest extends AbstractSocketShutdownOutputByPeerTest<Channel> {

    @Override
    protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
        return Transport.UNDER_TEST.servers();
    }

    @Override
    protected Channel newSocket() {
        return Transport.UNDER_TEST
                .newClient()
                .handler(new ChannelInboundHandlerAdapter())
                .register()
                .syncUninterruptibly()
                .channel();
    }

    @Override
    protected void connect(Channel peer, SocketAddress address) {
        peer.connect(address).syncUninterruptibly();
    }

    @Override
    protected void write(Channel peer, int data) {
        peer.writeAndFlush(peer.alloc().buffer(1).writeByte(data)).syncUninterruptibly();
    }

    @Override
    protected void shutdownOutput(Channel peer) {
        ((DuplexChannel) peer).shutdownOutput().syncUninterruptibly();
    }

    @Override
    protected void close(Channel peer) {
        peer.close().syncUninterruptibly();
    }
}
