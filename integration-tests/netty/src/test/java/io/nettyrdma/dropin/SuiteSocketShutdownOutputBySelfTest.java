// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import static io.netty.testsuite.transport.TestsuitePermutation.randomBufferType;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketShutdownOutputBySelfTest;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;

/** The suite's assertions, in the suite's order, with a {@link BlockingPeer} instead of a {@link java.net.Socket}. */
@Tag("dropin")
class SuiteSocketShutdownOutputBySelfTest extends SocketShutdownOutputBySelfTest {

    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return Transport.UNDER_TEST.clients();
    }

    @Override
    public void testShutdownOutput(Bootstrap client) throws Exception {
        Receiver receiver = new Receiver();
        try (BlockingPeer peer = BlockingPeer.open(newSocketAddress())) {
            SocketChannel channel = connect(client, receiver, peer);
            try {
                assertThat(channel.isActive()).isTrue();
                assertThat(channel.isOutputShutdown()).isFalse();

                peer.accept();
                channel.writeAndFlush(randomBufferType(channel.alloc(), new byte[] {1}, 0, 1))
                        .sync();
                assertThat(peer.read()).isEqualTo(1);
                assertOpen(channel, false);

                channel.shutdownOutput().sync();
                assertThat(peer.read()).isEqualTo(BlockingPeer.END);
                assertOpen(channel, true);

                peer.write(1);
                assertThat(receiver.bytes.take()).isEqualTo((byte) 1);
            } finally {
                channel.close();
            }
        }
    }

    private static void assertOpen(SocketChannel channel, boolean outputShutdown) {
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.isActive()).isTrue();
        assertThat(channel.isInputShutdown()).isFalse();
        assertThat(channel.isOutputShutdown()).isEqualTo(outputShutdown);
    }

    @Override
    public void testShutdownOutputAfterClosed(Bootstrap client) throws Exception {
        try (BlockingPeer peer = BlockingPeer.open(newSocketAddress())) {
            SocketChannel channel = connect(client, new Receiver(), peer);
            assertThat(channel.isActive()).isTrue();
            peer.accept();

            channel.close().syncUninterruptibly();
            assertClosed(() -> channel.shutdownInput().syncUninterruptibly());
            assertClosed(() -> channel.shutdownOutput().syncUninterruptibly());
        }
    }

    private static void assertClosed(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfAny(ClosedChannelException.class, SocketException.class);
    }

    @Override
    public void testShutdownOutputSoLingerNoAssertError(Bootstrap client) throws Exception {
        assertShutsDownWithLinger(client, SocketChannel::shutdownOutput);
    }

    @Override
    public void testShutdownSoLingerNoAssertError(Bootstrap client) throws Exception {
        assertShutsDownWithLinger(client, SocketChannel::shutdown);
    }

    private interface Shutdown {
        ChannelFuture of(SocketChannel channel);
    }

    private void assertShutsDownWithLinger(Bootstrap client, Shutdown shutdown) throws Exception {
        try (BlockingPeer peer = BlockingPeer.open(newSocketAddress())) {
            SocketChannel channel =
                    connect(client.option(ChannelOption.SO_LINGER, 1), new ChannelInboundHandlerAdapter(), peer);
            try {
                peer.accept();
                shutdown.of(channel).sync();
            } finally {
                channel.close();
            }
        }
    }

    private static SocketChannel connect(Bootstrap client, ChannelHandler handler, BlockingPeer peer)
            throws InterruptedException {
        return (SocketChannel)
                client.handler(handler).connect(peer.address()).sync().channel();
    }

    private static final class Receiver extends SimpleChannelInboundHandler<ByteBuf> {
        private final BlockingQueue<Byte> bytes = new LinkedBlockingQueue<>();

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            bytes.add(message.readByte());
        }
    }
}
