// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;

/** Over RDMA a connection is made when the listener is read, so the client cannot wait for it before. */
@Tag("dropin")
class SuiteSocketDataReadInitialStateTest extends SocketDataReadInitialStateTest {

    private static final long NOTHING_COMES_MILLIS = 100;

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return Transport.UNDER_TEST.pairs();
    }

    @Override
    public void testAutoReadOffNoDataReadUntilReadCalled(ServerBootstrap server, Bootstrap client) throws Throwable {
        if (Transport.UNDER_TEST.isRdma()) {
            assertNothingIsReadUnasked(server, client);
        } else {
            super.testAutoReadOffNoDataReadUntilReadCalled(server, client);
        }
    }

    private static void assertNothingIsReadUnasked(ServerBootstrap server, Bootstrap client) throws Exception {
        CountDownLatch acceptorRead = new CountDownLatch(1);
        CountDownLatch serverRead = new CountDownLatch(1);
        CountDownLatch clientRead = new CountDownLatch(1);
        AtomicReference<Channel> accepted = new AtomicReference<>();
        server.option(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext context, Object message) {
                                acceptorRead.countDown();
                                context.fireChannelRead(message);
                            }
                        });
                    }
                })
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accepted.set(channel);
                        channel.pipeline().addLast(new SimpleChannelInboundHandler<ByteBuf>() {
                            @Override
                            protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                                context.writeAndFlush(bytes.retainedDuplicate());
                                serverRead.countDown();
                            }
                        });
                    }
                });
        client.option(ChannelOption.AUTO_READ, false).handler(new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                clientRead.countDown();
            }
        });
        Channel listener = server.bind().sync().channel();
        ChannelFuture connecting = client.connect(listener.localAddress());
        try {
            Thread.sleep(NOTHING_COMES_MILLIS);
            assertThat(acceptorRead.getCount()).isOne();
            listener.read();
            Channel connected = connecting.sync().channel();
            connected.writeAndFlush(connected.alloc().buffer().writeZero(1)).sync();

            Thread.sleep(NOTHING_COMES_MILLIS);
            assertThat(serverRead.getCount()).isOne();
            accepted.get().read();
            serverRead.await();

            Thread.sleep(NOTHING_COMES_MILLIS);
            assertThat(clientRead.getCount()).isOne();
            connected.read();
            clientRead.await();
        } finally {
            listener.close().sync();
            connecting.channel().close().sync();
        }
    }
}
