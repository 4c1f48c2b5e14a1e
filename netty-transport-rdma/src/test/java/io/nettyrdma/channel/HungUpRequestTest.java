// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.verbs.soft.ClockedProvider;
import io.nettyrdma.verbs.soft.SilentClient;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Peers that ask for a connection and hang up while it is on its way to the loop of its channel. The application's
 * handlers hear of it; the server's log, which they could fill, does not.
 */
class HungUpRequestTest {

    private final ClockedProvider provider =
            new ClockedProvider(SoftProviderConfig.builder().build());
    private final EventLoopGroup parents = group();
    private final EventLoopGroup children = group();
    private final BlockingQueue<Inbox> accepted = new LinkedBlockingQueue<>();
    private final CountDownLatch handedOver = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    private EventLoopGroup group() {
        return new MultiThreadIoEventLoopGroup(1, LoopsOver.newFactory(provider.provider()));
    }

    @AfterEach
    void endGroups() throws Exception {
        goOn.countDown();
        ChannelPair.await(parents.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the listener's loop");
        ChannelPair.await(children.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the children's loop");
        assertThat(provider.provider().openResources()).isEqualTo(SoftProvider.OpenResources.NONE);
    }

    private Channel listen() throws Exception {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(parents, children)
                .channel(RdmaServerChannel.class)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object child) {
                        context.fireChannelRead(child);
                        handedOver.countDown();
                    }
                })
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        Inbox inbox = new Inbox();
                        channel.pipeline().addLast(inbox);
                        accepted.add(inbox);
                    }
                });
        return ChannelPair.await(bootstrap.bind(TestProvider.address(), 0), "bind")
                .channel();
    }

    @Test
    void handlersOfTheChannelHearThatThePeerHasHungUp() throws Exception {
        Channel listener = listen();
        var held = children.next().submit(() -> goOn.await(Deadline.SECONDS, TimeUnit.SECONDS));
        SilentClient peer = SilentClient.connect((InetSocketAddress) listener.localAddress());
        assertThat(handedOver.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        peer.close();
        ChannelPair.until(
                () -> provider.provider().openResources().connections() == 0, "the listener's loop has seen it");
        goOn.countDown();
        assertThat(held.get(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();

        Inbox child = accepted.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(child).as("the channel of the peer").isNotNull();
        assertThat(child.nextFailure())
                .isInstanceOf(RdmaConnectionException.class)
                .hasMessage("the peer hung up before its connection could be accepted");
        assertThat(listener.isActive()).isTrue();
    }
}
