// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.EventLoops;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.http.Transport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client, a gateway and a server in one process; each test in both directions. */
class GatewayTest {

    private static final InetSocketAddress ANY = new InetSocketAddress("127.0.0.1", 0);
    private static final int SIZE = 3_000_000;
    private static final ConnectionLimit.Settings LIMITS = ConnectionLimit.Settings.DEFAULT;

    /** What listens; the server beside it uses the other one. */
    enum Way {
        RDMA_TO_TCP(Transport.RDMA, Transport.NIO),
        TCP_TO_RDMA(Transport.NIO, Transport.RDMA);

        private final Transport client;
        private final Transport server;

        Way(Transport client, Transport server) {
            this.client = client;
            this.server = server;
        }
    }

    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final PeerLog log = new PeerLog(lines::add);
    private EventLoopGroup clients;
    private EventLoopGroup servers;
    private Gateway gateway;

    @AfterEach
    void stop() {
        EventLoops.shutDown(clients, Deadline.SECONDS);
        if (gateway != null) {
            gateway.close();
        }
        EventLoops.shutDown(servers, Deadline.SECONDS);
    }

    private void start(Way way, ChannelHandler server) throws Exception {
        start(way, server, LIMITS);
    }

    private void start(Way way, ChannelHandler server, ConnectionLimit.Settings limits) throws Exception {
        servers = new MultiThreadIoEventLoopGroup(1, way.server.newFactory());
        Channel listener = new ServerBootstrap()
                .group(servers)
                .channel(way.server.listener())
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(server);
                    }
                })
                .bind(ANY)
                .sync()
                .channel();
        start(way, (InetSocketAddress) listener.localAddress(), limits);
    }

    private void start(Way way, InetSocketAddress server, ConnectionLimit.Settings limits) throws Exception {
        clients = new MultiThreadIoEventLoopGroup(1, way.client.newFactory());
        gateway = way == Way.RDMA_TO_TCP
                ? Gateway.fromRdmaToTcp(ANY, server, limits, log)
                : Gateway.fromTcpToRdma(ANY, server, limits, log);
    }

    private Channel connect(Way way, ChannelHandler client) throws Exception {
        return newClient(way, client).connect(gateway.address()).sync().channel();
    }

    private Bootstrap newClient(Way way, ChannelHandler client) {
        return new Bootstrap()
                .group(clients)
                .channel(way.client.client())
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .handler(client);
    }

    private static byte[] bytes(int seed) {
        byte[] bytes = new byte[SIZE];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    /** Collects what arrives until the peer ends its output, or the connection fails. */
    private static class Collector extends ChannelInboundHandlerAdapter {

        final CompletableFuture<byte[]> all = new CompletableFuture<>();
        final CompletableFuture<Channel> active = new CompletableFuture<>();
        final CompletableFuture<Channel> read = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void channelActive(ChannelHandlerContext context) throws Exception {
            active.complete(context.channel());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
            ByteBuf buffer = (ByteBuf) message;
            bytes.write(ByteBufUtil.getBytes(buffer));
            buffer.release();
            read.complete(context.channel());
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                all.complete(bytes.toByteArray());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            all.completeExceptionally(cause);
            context.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            all.completeExceptionally(new IOException("closed after " + bytes.size() + " bytes"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void bytesGoBothWaysAndBothEndsCloseTheConnection(Way way) throws Exception {
        Collector server = new Collector();
        Collector client = new Collector();
        start(way, server);
        DuplexChannel atClient = (DuplexChannel) connect(way, client);
        DuplexChannel atServer = (DuplexChannel) await(server.active);
        atServer.writeAndFlush(Unpooled.wrappedBuffer(bytes(1))).addListener(written -> atServer.shutdownOutput());
        atClient.writeAndFlush(Unpooled.wrappedBuffer(bytes(2))).addListener(written -> atClient.shutdownOutput());
        assertThat(await(client.all)).isEqualTo(bytes(1));
        assertThat(await(server.all)).isEqualTo(bytes(2));
        atClient.close();
        atServer.close();
        assertThat(atClient.closeFuture().await(Deadline.MILLIS)).isTrue();
        assertThat(atServer.closeFuture().await(Deadline.MILLIS)).isTrue();
        assertThat(lines).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void serverAnswersBehindTheEndOfTheClientsOutput(Way way) throws Exception {
        CompletableFuture<byte[]> asked = new CompletableFuture<>();
        start(way, new Collector() {
            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                super.userEventTriggered(context, event);
                if (event == ChannelInputShutdownEvent.INSTANCE) {
                    asked.complete(all.join());
                    context.writeAndFlush(Unpooled.wrappedBuffer(bytes(3))).addListener(ChannelFutureListener.CLOSE);
                }
            }
        });
        Collector client = new Collector();
        DuplexChannel channel = (DuplexChannel) connect(way, client);
        channel.writeAndFlush(Unpooled.wrappedBuffer(bytes(4))).addListener(written -> channel.shutdownOutput());
        assertThat(await(asked)).isEqualTo(bytes(4));
        assertThat(await(client.all)).isEqualTo(bytes(3));
        assertThat(lines).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void serverThatWritesAndClosesAtOnceLosesNoByte(Way way) throws Exception {
        start(way, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                context.writeAndFlush(Unpooled.wrappedBuffer(bytes(5))).addListener(ChannelFutureListener.CLOSE);
            }
        });
        Collector client = new Collector();
        connect(way, client);
        assertThat(await(client.all)).isEqualTo(bytes(5));
        assertThat(lines).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void clientThatWritesAndClosesAtOnceLosesNoByte(Way way) throws Exception {
        Collector server = new Collector();
        start(way, server);
        connect(way, new Collector())
                .writeAndFlush(Unpooled.wrappedBuffer(bytes(6)))
                .addListener(ChannelFutureListener.CLOSE);
        assertThat(await(server.all)).isEqualTo(bytes(6));
        assertThat(lines).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void clientThatDoesNotReadHoldsTheServerUp(Way way) throws Exception {
        int pieces = 100;
        CompletableFuture<ChannelFuture> last = new CompletableFuture<>();
        byte[] piece = bytes(7);
        start(way, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                for (int i = 1; i < pieces; i++) {
                    context.write(Unpooled.wrappedBuffer(piece));
                }
                last.complete(context.writeAndFlush(Unpooled.wrappedBuffer(piece)));
                last.join().addListener(ChannelFutureListener.CLOSE);
            }
        });
        CompletableFuture<Void> paused = new CompletableFuture<>();
        CompletableFuture<Long> received = new CompletableFuture<>();
        Channel client = connect(way, new ChannelInboundHandlerAdapter() {
            private long count;

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                if (count == 0) {
                    context.channel().config().setAutoRead(false);
                    paused.complete(null);
                }
                count += ((ByteBuf) message).readableBytes();
                ((ByteBuf) message).release();
            }

            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                if (event == ChannelInputShutdownEvent.INSTANCE) {
                    received.complete(count);
                }
            }
        });
        await(paused);
        assertThat(await(last).isDone()).isFalse();
        client.config().setAutoRead(true);
        assertThat(await(received)).isEqualTo((long) pieces * SIZE);
    }

    /** With channels of one thread, which show each step. */
    @Test
    void sideIsNotReadWhileTheOtherOneIsNotWritable() {
        EmbeddedChannel from = new EmbeddedChannel();
        EmbeddedChannel to = new EmbeddedChannel();
        clients = servers = new MultiThreadIoEventLoopGroup(1, Transport.NIO.newFactory());
        from.pipeline().addLast(new Gateway.Relay(to, "from", log));
        to.pipeline().addLast(new Gateway.Relay(from, "to", log));
        from.pipeline().fireChannelRead(Unpooled.wrappedBuffer(bytes(8)));
        assertThat(to.isWritable()).isFalse();
        assertThat(from.config().isAutoRead()).isFalse();
        from.pipeline().fireChannelReadComplete();
        to.runPendingTasks();
        from.runPendingTasks();
        assertThat(to.isWritable()).isTrue();
        assertThat(from.config().isAutoRead()).isTrue();
        from.finishAndReleaseAll();
        to.finishAndReleaseAll();
    }

    @ParameterizedTest
    @EnumSource
    void clientOfAServerThatRefusesIsResetAndTheLogSaysWhy(Way way) throws Exception {
        servers = new MultiThreadIoEventLoopGroup(1, way.server.newFactory());
        Channel listener = new ServerBootstrap()
                .group(servers)
                .channel(way.server.listener())
                .childHandler(new ChannelInboundHandlerAdapter())
                .bind(ANY)
                .sync()
                .channel();
        InetSocketAddress nobody = (InetSocketAddress) listener.localAddress();
        listener.close().sync();
        start(way, nobody, LIMITS);
        Collector client = new Collector();
        connect(way, client);
        assertThat(client.all)
                .failsWithin(Deadline.DURATION)
                .withThrowableThat()
                .withMessageContaining("reset");
        assertThat(lines.poll(Deadline.SECONDS, TimeUnit.SECONDS))
                .contains(" closed: cannot connect to 127.0.0.1:" + nobody.getPort() + ": ");
    }

    @ParameterizedTest
    @EnumSource
    void resetIsPassedOnAsAReset(Way way) throws Exception {
        for (boolean byClient : new boolean[] {true, false}) {
            Collector server = new Collector();
            Collector client = new Collector();
            start(way, server);
            Channel atClient = connect(way, client);
            atClient.writeAndFlush(Unpooled.wrappedBuffer(new byte[1]));
            Channel atServer = await(server.read); // so the gateway has connected
            Channel resetting = byClient ? atClient : atServer;
            resetting.config().setOption(ChannelOption.SO_LINGER, 0);
            resetting.close();
            assertThat(byClient ? server.all : client.all)
                    .failsWithin(Deadline.DURATION)
                    .withThrowableThat()
                    .withMessageContaining("reset");
            assertThat(lines.poll(Deadline.SECONDS, TimeUnit.SECONDS))
                    .contains(byClient ? " closed: " : " closed by 127.0.0.1:")
                    .contains("reset");
            stop();
        }
    }

    /** However much they wait for, connections of one address hold no place against another address. */
    @ParameterizedTest
    @EnumSource
    void connectionThatWaitsGivesWayToAnotherAddressOnly(Way way) throws Exception {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        start(way, new Events(events), new ConnectionLimit.Settings(1, ConnectionLimit.Settings.DEFAULT_IDLE_SECONDS));
        Collector ofWaiting = new Collector();
        Channel waiting = connect(way, ofWaiting);
        assertThat(events.poll(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("active");
        waiting.writeAndFlush(Unpooled.wrappedBuffer(new byte[1]));
        assertThat(events.poll(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("read");
        newClient(way, new Collector()).connect(gateway.address());
        assertThat(lines.poll(Deadline.SECONDS, TimeUnit.SECONDS)).contains(" refused: all 1 places are taken");
        assertThat(waiting.isActive()).isTrue();
        newClient(way, new Collector()).connect(gateway.address(), new InetSocketAddress("127.0.0.2", 0));
        assertThat(lines.poll(Deadline.SECONDS, TimeUnit.SECONDS)).contains(" closed: connected for longest");
        assertThat(ofWaiting.all.handle((bytes, failure) -> "ended")).succeedsWithin(Deadline.DURATION);
        assertThat(events.poll(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("active");
    }

    /** Says what happens at a server that does not answer. */
    @ChannelHandler.Sharable
    private static final class Events extends ChannelInboundHandlerAdapter {

        private final BlockingQueue<String> events;

        Events(BlockingQueue<String> events) {
            this.events = events;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            events.add("active");
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ((ByteBuf) message).release();
            events.add("read");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
