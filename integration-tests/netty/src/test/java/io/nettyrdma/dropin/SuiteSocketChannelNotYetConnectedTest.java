// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** The server is one of the transport under test; in the suite it is always one of NIO. */
@Tag("dropin")
class SuiteSocketChannelNotYetConnectedTest extends SocketChannelNotYetConnectedTest {

    private static final int SENT = 42;

    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return Transport.UNDER_TEST.clients();
    }

    @Override
    @Test
    public void readMustBePendingUntilChannelIsActive(TestInfo info) throws Throwable {
        run(info, this::assertReadIsPendingUntilActive);
    }

    private void assertReadIsPendingUntilActive(Bootstrap client) throws InterruptedException {
        Channel server = Transport.UNDER_TEST
                .newServer()
                .childHandler(new Sender())
                .bind(newSocketAddress())
                .sync()
                .channel();
        try {
            Receiver receiver = new Receiver();
            Channel channel = client.handler(receiver)
                    .connect(server.localAddress())
                    .sync()
                    .channel();
            receiver.received.await();
            channel.close().sync();
        } finally {
            server.close().sync();
        }
    }

    private static final class Sender extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(Unpooled.copyInt(SENT));
        }
    }

    private static final class Receiver extends ByteToMessageDecoder {
        private final CountDownLatch received = new CountDownLatch(1);

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            assertThat(context.channel().isActive()).isFalse();
            context.read();
        }

        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
            assertThat(in.readableBytes()).isLessThanOrEqualTo(Integer.BYTES);
            if (in.readableBytes() == Integer.BYTES) {
                assertThat(in.readInt()).isEqualTo(SENT);
                received.countDown();
            }
        }
    }
}
