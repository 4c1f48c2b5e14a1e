// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.nettyrdma.channel.LeavesNothingOpen;
import io.nettyrdma.channel.Over;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.ByteArrayOutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Channels of Netty's NIO transport behave on event loops of RDMA as they do on those of NIO. */
@Over
@ExtendWith(LeavesNothingOpen.class)
class GuestChannelsTest {

    private static final int BYTES = 4 << 20;

    private final List<EventLoopGroup> groups = new ArrayList<>();
    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> packets = new LinkedBlockingQueue<>();

    @AfterEach
    void end() throws InterruptedException {
        for (EventLoopGroup group : groups) {
            LoopKind.end(group);
        }
    }

    private EventLoopGroup group(LoopKind kind) {
        EventLoopGroup group = kind.group(1);
        groups.add(group);
        return group;
    }

    /** Sends back what it receives. */
    @Sharable
    private final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            accepted.add(context.channel());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    /** Keeps what it receives. */
    private static final class Received extends SimpleChannelInboundHandler<ByteBuf> {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final BlockingQueue<Integer> sizes = new LinkedBlockingQueue<>();

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            bytes.writeBytes(ByteBufUtil.getBytes(message));
            sizes.add(bytes.size());
        }

        byte[] await(int count) throws InterruptedException {
            Integer size;
            do {
                size = sizes.poll(Deadline.SECONDS, TimeUnit.SECONDS);
                assertThat(size).as("bytes so far").isNotNull();
            } while (size < count);
            return bytes.toByteArray();
        }

        static Received of(Channel channel) {
            return channel.pipeline().get(Received.class);
        }
    }

    private Channel listen(EventLoopGroup group, Class<? extends ServerChannel> type, SocketAddress address)
            throws InterruptedException {
        return LoopKind.await(new ServerBootstrap()
                        .group(group)
                        .channel(type)
                        .childHandler(new Echo())
                        .bind(address))
                .channel();
    }

    private static ChannelFuture connect(EventLoopGroup group, Class<? extends Channel> type, SocketAddress address) {
        return new Bootstrap()
                .group(group)
                .channel(type)
                .handler(new Received())
                .connect(address);
    }

    private Channel accepted() throws InterruptedException {
        Channel channel = accepted.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(channel).isNotNull();
        return channel;
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress("127.0.0.1", 0);
    }

    private static void assertEchoes(Channel channel, int bytes) throws InterruptedException {
        byte[] sent = new byte[bytes];
        new Random(bytes).nextBytes(sent);
        Received received = Received.of(channel);
        int before = received.bytes.size();
        channel.writeAndFlush(Unpooled.wrappedBuffer(sent));
        byte[] all = received.await(before + bytes);
        assertThat(Arrays.copyOfRange(all, before, all.length)).isEqualTo(sent);
    }

    @ParameterizedTest
    @EnumSource
    void tcpEchoes(LoopKind kind) throws Exception {
        EventLoopGroup group = group(kind);
        Channel listener = listen(group, NioServerSocketChannel.class, loopback());
        Channel channel = LoopKind.await(connect(group, NioSocketChannel.class, listener.localAddress()))
                .channel();
        assertEchoes(channel, 1);
        assertEchoes(channel, BYTES); // more than sockets hold, so that both sides wait until they can write
        Channel child = accepted();
        LoopKind.await(channel.close());
        LoopKind.await(child.closeFuture());
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "THREAD"})
    void tcpEchoesBesideAStreamOfRdmaOnTheSameLoop(LoopKind kind) throws Exception {
        EventLoopGroup group = group(kind);
        Channel listener = listen(group, NioServerSocketChannel.class, loopback());
        Channel streams = listen(group, RdmaServerSocketChannel.class, loopback());
        Channel channel = LoopKind.await(connect(group, NioSocketChannel.class, listener.localAddress()))
                .channel();
        Channel stream = LoopKind.await(connect(group, RdmaSocketChannel.class, streams.localAddress()))
                .channel();
        for (int i = 1; i <= 100; i++) {
            assertEchoes(channel, i);
            assertEchoes(stream, i);
        }
        LoopKind.await(stream.close());
        assertEchoes(channel, BYTES);
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "THREAD"})
    void busyChannelsLeaveThoseOfTheOtherKindTheirTurn(LoopKind kind) throws Exception {
        EventLoopGroup group = group(kind);
        SocketAddress tcp =
                listen(group, NioServerSocketChannel.class, loopback()).localAddress();
        SocketAddress rdma =
                listen(group, RdmaServerSocketChannel.class, loopback()).localAddress();
        Channel channel =
                LoopKind.await(connect(group, NioSocketChannel.class, tcp)).channel();
        Channel stream =
                LoopKind.await(connect(group, RdmaSocketChannel.class, rdma)).channel();
        assertEchoesBesideABusyChannel(channel, RdmaSocketChannel.class, rdma);
        assertEchoesBesideABusyChannel(stream, NioSocketChannel.class, tcp);
    }

    private void assertEchoesBesideABusyChannel(Channel channel, Class<? extends Channel> busy, SocketAddress address)
            throws InterruptedException {
        List<Channel> all = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            all.add(LoopKind.await(new Bootstrap()
                            .group(channel.eventLoop())
                            .channel(busy)
                            .handler(new Echo())
                            .connect(address))
                    .channel());
        }
        // Both ends send back what they receive, so there is always something to do.
        all.forEach(each -> each.writeAndFlush(each.alloc().buffer().writeZero(10_000)));
        for (int i = 1; i <= 100; i++) {
            assertEchoes(channel, i);
        }
        for (Channel each : all) {
            assertThat(each.isActive()).isTrue();
            LoopKind.await(each.close());
        }
    }

    @ParameterizedTest
    @EnumSource
    void domainSocketsEcho(LoopKind kind, @TempDir Path directory) throws Exception {
        EventLoopGroup group = group(kind);
        SocketAddress address = UnixDomainSocketAddress.of(directory.resolve("socket"));
        listen(group, NioServerDomainSocketChannel.class, address);
        Channel channel = LoopKind.await(connect(group, NioDomainSocketChannel.class, address))
                .channel();
        assertEchoes(channel, BYTES);
        LoopKind.await(channel.close());
        LoopKind.await(accepted().closeFuture());
    }

    private Channel datagrams(EventLoopGroup group) throws InterruptedException {
        return LoopKind.await(new Bootstrap()
                        .group(group)
                        .channel(NioDatagramChannel.class)
                        .handler(new SimpleChannelInboundHandler<DatagramPacket>() {
                            @Override
                            protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
                                packets.add(packet.content().toString(StandardCharsets.UTF_8));
                            }
                        })
                        .bind(loopback()))
                .channel();
    }

    @ParameterizedTest
    @EnumSource
    void datagramsArrive(LoopKind kind) throws Exception {
        EventLoopGroup group = group(kind);
        Channel sender = datagrams(group);
        Channel receiver = datagrams(group);
        for (int i = 0; i < 100; i++) {
            sender.writeAndFlush(
                    new DatagramPacket(Unpooled.copiedBuffer("packet " + i, StandardCharsets.UTF_8), (InetSocketAddress)
                            receiver.localAddress()));
            assertThat(packets.poll(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("packet " + i);
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusedConnectFails(LoopKind kind) throws Exception {
        EventLoopGroup group = group(kind);
        Channel listener = listen(group, NioServerSocketChannel.class, loopback());
        SocketAddress address = listener.localAddress();
        LoopKind.await(listener.close());
        LoopKind.await(listener.deregister());
        LoopKind.end(groups.remove(0));
        assertThat(connect(group(kind), NioSocketChannel.class, address).await().cause())
                .isInstanceOf(ConnectException.class)
                .hasMessageStartingWith("Connection refused: ");
    }

    @ParameterizedTest
    @EnumSource
    void channelThatIsNotReadReceivesNothing(LoopKind kind) throws Exception {
        EventLoopGroup group = group(kind);
        Channel listener = listen(group, NioServerSocketChannel.class, loopback());
        Channel channel = LoopKind.await(connect(group, NioSocketChannel.class, listener.localAddress()))
                .channel();
        Channel child = accepted();
        for (int i = 1; i <= 100; i++) {
            channel.config().setAutoRead(false);
            LoopKind.await(child.writeAndFlush(Unpooled.copyInt(i)));
            for (int turn = 0; turn < 10; turn++) {
                LoopKind.await(channel.eventLoop().submit(() -> {}));
            }
            assertThat(Received.of(channel).bytes.size()).isEqualTo(4 * (i - 1));
            channel.config().setAutoRead(true);
            Received.of(channel).await(4 * i);
        }
    }

    @ParameterizedTest
    @EnumSource
    void acceptsOnlyWhenRead(LoopKind kind) throws Exception {
        EventLoopGroup group = group(kind);
        Channel listener = LoopKind.await(new ServerBootstrap()
                        .group(group)
                        .channel(NioServerSocketChannel.class)
                        .option(ChannelOption.AUTO_READ, false)
                        .childHandler(new Echo())
                        .bind(loopback()))
                .channel();
        Channel channel = LoopKind.await(connect(group, NioSocketChannel.class, listener.localAddress()))
                .channel();
        assertThat(accepted).isEmpty();
        listener.read();
        accepted();
        assertEchoes(channel, 1);
    }

    @ParameterizedTest
    @EnumSource
    void endOfTheGroupClosesItsChannelsAndFreesThePort(LoopKind kind) throws Exception {
        SocketAddress address = loopback();
        for (int i = 0; i < 10; i++) {
            EventLoopGroup group = group(kind);
            Channel listener = listen(group, NioServerSocketChannel.class, address);
            address = listener.localAddress();
            Channel channel = LoopKind.await(connect(group, NioSocketChannel.class, address))
                    .channel();
            Channel child = accepted();
            LoopKind.end(groups.remove(0));
            assertThat(List.of(listener, channel, child)).noneMatch(Channel::isOpen);
            LoopKind.await(channel.closeFuture());
        }
    }

    private static void move(Channel channel, EventLoopGroup to) throws InterruptedException {
        LoopKind.await(channel.deregister());
        LoopKind.await(to.register(channel));
    }

    @ParameterizedTest
    @EnumSource
    void channelMovesToAnotherLoop(LoopKind kind) throws Exception {
        EventLoopGroup group = group(kind);
        Channel listener = listen(group, NioServerSocketChannel.class, loopback());
        Channel channel = LoopKind.await(connect(group, NioSocketChannel.class, listener.localAddress()))
                .channel();
        EventLoopGroup second = group(kind);
        for (LoopKind otherKind : LoopKind.values()) {
            EventLoopGroup other = group(otherKind);
            for (EventLoopGroup to : List.of(group, second, other, second, other, group)) {
                move(channel, to);
                assertEchoes(channel, 10_000);
            }
        }
    }
}
