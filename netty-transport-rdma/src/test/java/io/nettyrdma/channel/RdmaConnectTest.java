// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.error.RdmaConnectRejectedException;
import io.nettyrdma.error.RdmaUnsupportedException;
import io.nettyrdma.verbs.RdmaCapabilities;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** How connections of every RDMA channel come to be or fail, over each provider. */
final class RdmaConnectTest extends ProviderContract {

    @Test
    void privateDataTravelsBothWaysBeforeTheChannelIsActive() throws Exception {
        provider.assumePrivateData();
        byte[] request = "from the active side".getBytes(StandardCharsets.UTF_8);
        byte[] reply =
                new byte[provider.extensions().capabilities().privateData().acceptBytes()];
        new Random(1).nextBytes(reply);
        List<String> order = new ArrayList<>();
        ChannelHandler answering = new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                order.add(event.getClass().getSimpleName() + " active="
                        + context.channel().isActive());
                context.channel().config().setOption(RdmaChannelOption.RDMA_PRIVATE_DATA, reply);
                server.events.add(event);
            }

            @Override
            public void channelActive(ChannelHandlerContext context) {
                order.add("active");
                server.active.countDown();
            }
        };
        try (ChannelPair pair = new ChannelPair(provider, () -> answering, () -> client)) {
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_PRIVATE_DATA, request);
            RdmaChannel channel = pair.connect();
            assertThat(server.nextEvent()).isInstanceOf(RdmaDeviceEvent.class);
            provider.assertPrivateData(((RdmaPrivateDataEvent) server.nextEvent()).data(), request);
            assertThat(client.nextEvent()).isInstanceOf(RdmaDeviceEvent.class);
            provider.assertPrivateData(((RdmaPrivateDataEvent) client.nextEvent()).data(), reply);
            provider.assertPrivateData(channel.peerPrivateData(), reply);
            server.awaitActive();
            provider.assertPrivateData(pair.accepted().peerPrivateData(), request);
            assertThat(order)
                    .containsExactly("RdmaDeviceEvent active=false", "RdmaPrivateDataEvent active=false", "active");
        }
    }

    @Test
    void whatDependsOnTheDeviceIsDecidedWhenItIsKnown() throws Exception {
        provider.assumePrivateData();
        byte[] request = {1, 2, 3};
        ChannelHandler asking = new OnDevice((channel, device) -> {
            assertThat(device.privateData().connectBytes()).isBetween(56, 512);
            channel.config().setOption(RdmaChannelOption.RDMA_PRIVATE_DATA, request);
        });
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> asking)) {
            pair.connect();
            assertThat(server.nextEvent()).isInstanceOf(RdmaDeviceEvent.class);
            provider.assertPrivateData(((RdmaPrivateDataEvent) server.nextEvent()).data(), request);
        }
    }

    @Test
    void channelClosedWhenItsDeviceIsKnownDoesNotConnect() throws Exception {
        assertRefused(new OnDevice((channel, device) -> channel.close()), ClosedChannelException.class);
    }

    @Test
    void privateDataThatTheDeviceCannotCarryIsRefused() throws Exception {
        provider.assumePrivateData();
        int tooMany = connectBytes() + 1;
        assumeTrue(tooMany <= RdmaChannelConfig.MAX_PRIVATE_DATA_BYTES, "needs a device that carries less than that");
        assertRefused(
                new OnDevice((channel, device) ->
                        channel.config().setOption(RdmaChannelOption.RDMA_PRIVATE_DATA, new byte[tooMany])),
                RdmaUnsupportedException.class);
    }

    /** The private data that a request can carry on the device of the tests. */
    private int connectBytes() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)) {
            pair.connect();
            return ((RdmaDeviceEvent) client.nextEvent())
                    .capabilities()
                    .privateData()
                    .connectBytes();
        }
    }

    private void assertRefused(ChannelHandler asking, Class<? extends Throwable> cause) throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> asking).listen()) {
            ChannelFuture connected = pair.clientBootstrap.connect(pair.address());
            assertThat(ChannelPair.done(connected).cause()).isInstanceOf(cause);
            ChannelPair.await(connected.channel().closeFuture(), "close");
        }
    }

    /** Does something when it is known what the device of the connection can do. */
    private static final class OnDevice extends ChannelInboundHandlerAdapter {
        private final BiConsumer<Channel, RdmaCapabilities> task;

        OnDevice(BiConsumer<Channel, RdmaCapabilities> task) {
            this.task = task;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof RdmaDeviceEvent device) {
                task.accept(context.channel(), device.capabilities());
            }
        }
    }

    @Test
    void closingOnThePrivateDataRejectsTheConnectionWithData() throws Exception {
        provider.assumeReject();
        ChannelHandler rejecting = new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                context.channel().config().setOption(RdmaChannelOption.RDMA_PRIVATE_DATA, new byte[] {9, 8, 7});
                context.close();
            }
        };
        try (ChannelPair pair = new ChannelPair(provider, () -> rejecting, () -> client)) {
            assertThatThrownBy(pair::connect)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            RdmaConnectRejectedException.class,
                            e -> provider.assertPrivateData(e.privateData(), new byte[] {9, 8, 7}));
        }
    }

    @Test
    void connectingToSomethingElseTellsWhatItIs() throws Exception {
        provider.assumeReasons();
        try (ServerSocket web = new ServerSocket(0, 1, TestProvider.address());
                ChannelPair pair = echoPair()) {
            ChannelFuture future = pair.clientBootstrap.connect(web.getLocalSocketAddress());
            try (Socket accepted = web.accept()) {
                accepted.getOutputStream()
                        .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThatThrownBy(() -> ChannelPair.await(future, "connect"))
                        .cause()
                        .isInstanceOf(ConnectException.class)
                        .hasMessage("connection to " + web.getLocalSocketAddress()
                                + " failed: peer does not speak MPA (got 'HTTP/1.1 400 Bad Request\\r\\n\\r\\n')");
            }
        }
    }

    @Test
    void cancellingAConnectClosesTheChannel() throws Exception {
        provider.assumeHandshakesCanBeGivenUp();
        try (ServerSocket silent = new ServerSocket(0, 1, TestProvider.address());
                ChannelPair pair = echoPair()) {
            ChannelFuture future = pair.clientBootstrap.connect(silent.getLocalSocketAddress());
            future.channel().eventLoop().submit(() -> {}).sync();
            assertThat(future.cancel(false)).isTrue();
            ChannelPair.await(future.channel().closeFuture(), "close");
        }
    }

    @Test
    void patienceThatTheProviderDoesNotHaveFailsTheConnectionByName() throws Exception {
        assumeFalse(provider.extensions().capabilities().waitsForReceives(), "needs a provider that does not wait");
        try (ChannelPair pair = new ChannelPair(provider, Echo::new, Inbox::new)) {
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS, 5_000);
            assertThatThrownBy(pair::connect)
                    .cause()
                    .isInstanceOf(RdmaUnsupportedException.class)
                    .hasMessageContaining("RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS=5000")
                    .hasMessageContaining("RDMA_RECEIVE_COUNT=64");
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS, 0);
            pair.connect();
        }
    }

    @Test
    void requestThatCannotBeAcceptedIsRejectedWithData() throws Exception {
        assumeFalse(provider.extensions().capabilities().waitsForReceives(), "needs a provider that does not wait");
        provider.assumeReject();
        Inbox server = new Inbox();
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)) {
            pair.serverBootstrap.childOption(RdmaChannelOption.RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS, 5_000);
            pair.serverBootstrap.childOption(RdmaChannelOption.RDMA_PRIVATE_DATA, new byte[] {9, 8, 7});
            assertThatThrownBy(pair::connect)
                    .cause()
                    .isInstanceOfSatisfying(
                            RdmaConnectRejectedException.class,
                            e -> provider.assertPrivateData(e.privateData(), new byte[] {9, 8, 7}));
            assertThat(server.failures.poll(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isInstanceOf(RdmaUnsupportedException.class);
        }
    }
}
