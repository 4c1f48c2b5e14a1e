// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import static io.nettyrdma.rpc.binding.XdrType.COUNT;
import static io.nettyrdma.rpc.binding.XdrType.VOID;
import static io.nettyrdma.rpc.binding.XdrType.opaque;
import static io.nettyrdma.rpc.binding.XdrType.reducible;
import static io.nettyrdma.rpc.binding.XdrType.result;
import static io.nettyrdma.rpc.binding.XdrType.struct;
import static io.nettyrdma.rpc.binding.XdrType.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.authentication.Handshake;
import io.nettyrdma.rpc.authentication.HandshakeStep;
import io.nettyrdma.rpc.authentication.HostAuthentication;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.binding.XdrBinding;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.XdrOpaque;
import io.nettyrdma.rpc.metrics.RpcRdmaMetrics;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pieces of Java in the README of this module; a test of all documents looks for them in this text. */
class ReadmeSnippetsTest {

    private static final int PROGRAM = 0x2000_0001;
    private static final int PUT = 7;

    private EventLoopGroup group;

    @BeforeEach
    void start() {
        group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
    }

    @AfterEach
    void end() throws InterruptedException {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    /** Answers every call with success and no results, and reads nothing else. */
    private static class Answers extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf call) {
            context.writeAndFlush(RpcHeaders.accepted(context.alloc(), RpcHeaders.xid(call), RpcHeaders.SUCCESS));
        }
    }

    private Channel connect(Consumer<Channel> server, Consumer<Channel> client) throws Exception {
        Channel listener = RdmaLoopback.listen(group, pipeline -> server.accept(pipeline.channel()));
        return RdmaLoopback.connect(group, listener.localAddress(), pipeline -> client.accept(pipeline.channel()));
    }

    private static void assertSuccess(Future<ByteBuf> future) throws Exception {
        ByteBuf reply = future.get(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(RpcHeaders.acceptStatus(reply)).isEqualTo(RpcHeaders.SUCCESS);
        reply.release();
    }

    private static ByteBuf call(Channel channel) {
        return RpcHeaders.call(channel.alloc(), RpcRdmaRequester.of(channel).nextXid(), PROGRAM, 1, 0);
    }

    private static int store(String name, ByteBuf data) {
        return name.length() + data.readableBytes();
    }

    @Test
    void serviceStoresWhatItsClientPuts() throws Exception {
        XdrBinding binding = XdrBinding.of(PROGRAM, 1) // version 1
                .procedure(PUT, struct(opaque(255), reducible()), words(1)); // long data travel beside the call
        RpcRdmaConfig config = RpcRdmaConfig.builder() // of both sides; here are all limits, too
                .bindings(UpperLayerBindings.none().with(binding))
                .build();
        EventExecutorGroup executors = new DefaultEventExecutorGroup(16); // for functions that block
        RpcProgramHandler program = RpcProgramHandler.of(PROGRAM, 1, 1) // versions 1 to 1
                .futureProcedure(
                        1,
                        PUT,
                        arguments -> executors.submit(() -> {
                            String name = XdrOpaque.read(arguments, 255).toString(StandardCharsets.UTF_8);
                            return Unpooled.copyInt(store(name, XdrOpaque.read(arguments, 1 << 20)));
                        }));
        ServerBootstrap server = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .childHandler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        channel.pipeline().addLast(new RpcRdmaResponderHandler(config), program);
                    }
                });
        SocketAddress address = server.bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel()
                .localAddress();
        ByteBufAllocator alloc = ByteBufAllocator.DEFAULT;
        ByteBuf name = Unpooled.copiedBuffer("hello", StandardCharsets.UTF_8);
        ByteBuf data = Unpooled.wrappedBuffer(new byte[50_001]);

        RpcRdmaClient client = RpcRdmaClient.builder(
                        new Bootstrap().group(group).channel(RdmaChannel.class).remoteAddress(address))
                .config(config)
                .build();
        ByteBuf call = RpcHeaders.call(alloc, client.nextXid(), PROGRAM, 1, PUT);
        XdrOpaque.write(call, name); // length, bytes, padding
        XdrOpaque.write(call, data);
        ByteBuf reply = client.call(call).get();

        assertThat(RpcHeaders.results(reply).readInt()).isEqualTo(50_006);
        reply.release();
        client.close();
        executors.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    @Test
    void serverCallsItsClient() throws Exception {
        RpcRdmaConfig config = RpcRdmaConfig.builder().reverseCredits(2).build();
        Promise<Channel> called = group.next().newPromise();
        Channel clientSideChannel = connect(
                server -> {
                    Answers yourServer = new Answers() {
                        @Override
                        protected void channelRead0(ChannelHandlerContext context, ByteBuf call) {
                            super.channelRead0(context, call);
                            called.trySuccess(context.channel());
                        }
                    };
                    server.pipeline()
                            .addLast(new RpcRdmaResponderHandler(config))
                            .addLast(new RpcRdmaReverseRequesterHandler())
                            .addLast(yourServer);
                },
                client -> {
                    Answers yourClient = new Answers();
                    client.pipeline()
                            .addLast(new RpcRdmaRequesterHandler(config))
                            .addLast(new RpcRdmaReverseResponderHandler())
                            .addLast(yourClient);
                });
        assertSuccess(RpcRdmaRequester.of(clientSideChannel).call(call(clientSideChannel)));
        Channel serverSideChannel = called.get(Deadline.SECONDS, TimeUnit.SECONDS);
        ByteBuf call = call(serverSideChannel);

        Future<ByteBuf> reply = RpcRdmaRequester.of(serverSideChannel).call(call); // on the server

        assertSuccess(reply);
    }

    /** Sends a name, and accepts any. */
    private record YourHandshake(RpcRdmaRole role, @Nullable SocketAddress peer) implements Handshake {
        @Override
        public HandshakeStep start() {
            return HandshakeStep.goOn(role.name().getBytes(StandardCharsets.US_ASCII));
        }

        @Override
        public HandshakeStep receive(byte[] token) {
            return HandshakeStep.done();
        }
    }

    @Test
    void hookAuthenticatesBothHosts() throws Exception {
        HostAuthentication hook = (role, peer) -> new YourHandshake(role, peer);
        RpcRdmaConfig config = RpcRdmaConfig.builder()
                .versions(2, 2) // version 1 cannot authenticate a host
                .version2(v2 -> v2.hostAuthentication(hook))
                .build();
        RpcRdmaConfig patient = config.toBuilder()
                .fixed(f -> f.negotiationTimeout = Deadline.DURATION)
                .build();
        Channel client = connect(
                channel -> channel.pipeline().addLast(new RpcRdmaResponderHandler(patient), new Answers()),
                channel -> channel.pipeline().addLast(new RpcRdmaRequesterHandler(patient)));

        assertSuccess(RpcRdmaRequester.of(client).call(call(client)));
    }

    @Test
    void programDeclaresWhatMayBeReduced() throws Exception {
        XdrBinding binding = XdrBinding.of(PROGRAM, 3) // version 3
                .procedure(7, struct(words(2), reducible()), words(1)) // PUT: a handle and data; returns a status
                .procedure(8, struct(words(2), COUNT), result(reducible(), VOID)); // GET: a handle and a count
        RpcRdmaConfig config = RpcRdmaConfig.builder()
                .bindings(UpperLayerBindings.nfs().with(binding))
                .build();
        Channel client = connect(
                channel -> channel.pipeline().addLast(new RpcRdmaResponderHandler(config), new Answers()),
                channel -> channel.pipeline().addLast(new RpcRdmaRequesterHandler(config)));
        ByteBuf call = RpcHeaders.call(client.alloc(), 5, PROGRAM, 3, 7).writeLong(0);
        call.writeInt(50_000).writeZero(50_000);

        assertSuccess(RpcRdmaRequester.of(client).call(call));
    }

    @Test
    void metersCountCalls() throws Exception {
        MeterRegistry registry = new SimpleMeterRegistry();
        Channel client = connect(
                channel -> {
                    RpcRdmaMetrics metrics = new RpcRdmaMetrics();
                    metrics.bindTo(registry); // any MeterRegistry of Micrometer
                    RpcRdmaConfig config =
                            RpcRdmaConfig.builder().listener(metrics).build();
                    channel.pipeline().addLast(new RpcRdmaResponderHandler(config));
                    channel.pipeline().addLast(new Answers());
                },
                channel -> channel.pipeline()
                        .addLast(new RpcRdmaRequesterHandler())
                        .addLast(new ChannelInboundHandlerAdapter()));
        assertSuccess(RpcRdmaRequester.of(client).call(call(client)));
        assertThat(registry.get("rpcrdma.connections")
                        .tag("role", "responder")
                        .counter()
                        .count())
                .isOne();
    }
}
