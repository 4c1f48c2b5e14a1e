// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
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
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.channel.RdmaWrite;
import io.nettyrdma.channel.RemoteSegment;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.echo.EchoHandler;
import io.nettyrdma.flow.RdmaFlowControlHandler;
import io.nettyrdma.rpc.RpcProgramHandler;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import io.nettyrdma.verbs.ProviderKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The pieces of Java in the READMEs of the project and the transport; {@link DocumentsTest} looks for them here. */
class ReadmeSnippetsTest {

    private static final int PROGRAM = 100003;

    private static InetSocketAddress listen(ServerBootstrap server) throws InterruptedException {
        Channel listener = server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        return (InetSocketAddress) listener.localAddress();
    }

    private static void end(EventLoopGroup group) throws InterruptedException {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    @Test
    void messagesComeBackFromAServerOfTheTransport() throws Exception {
        String host = "127.0.0.1";
        int port = 0;
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
        ServerBootstrap server = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .childHandler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        channel.pipeline().addLast(new RdmaFlowControlHandler(), new EchoHandler());
                    }
                });
        Channel listener = server.bind(host, port).sync().channel();

        Promise<String> echo = group.next().newPromise();
        Channel client = new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .handler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        channel.pipeline()
                                .addLast(new RdmaFlowControlHandler(), new SimpleChannelInboundHandler<ByteBuf>() {
                                    @Override
                                    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                                        echo.setSuccess(message.toString(StandardCharsets.UTF_8));
                                    }
                                });
                    }
                })
                .connect(listener.localAddress())
                .sync()
                .channel();
        client.writeAndFlush(Unpooled.copiedBuffer("hello", StandardCharsets.UTF_8));
        assertThat(echo.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("hello");
        end(group);
    }

    private final Promise<ByteBuf> used = ImmediateEventExecutor.INSTANCE.newPromise();

    private static RdmaMemory lend(RdmaChannel channel, Promise<RemoteSegment> lent) throws IOException {
        RdmaMemory memory = channel.allocateMemory(64, RdmaAccess.REMOTE_READ_WRITE);
        RemoteSegment segment = memory.segment(); // send the peer its key(), address() and lengthBytes()
        lent.setSuccess(segment);
        return memory;
    }

    private String writeAndRead(Channel channel, RemoteSegment segment) throws Exception {
        ByteBuf bytes = Unpooled.copiedBuffer("hello", StandardCharsets.UTF_8);
        ByteBuf target = Unpooled.directBuffer(segment.lengthBytes());
        channel.write(new RdmaWrite(bytes, segment)); // at the peer
        channel.writeAndFlush(new RdmaRead(segment, target.retain())).addListener(done -> {
            if (done.isSuccess()) {
                use(target);
            }
            target.release(); // your own reference
        });
        ByteBuf copy = used.get(Deadline.SECONDS, TimeUnit.SECONDS);
        String text = copy.toString(0, 5, StandardCharsets.UTF_8);
        copy.release();
        return text;
    }

    private void use(ByteBuf bytes) {
        used.setSuccess(bytes.copy());
    }

    @Test
    void peerWritesAndReadsMemoryThatIsLentToIt() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
        Promise<RemoteSegment> lent = ImmediateEventExecutor.INSTANCE.newPromise();
        Promise<RdmaMemory> made = ImmediateEventExecutor.INSTANCE.newPromise();
        InetSocketAddress address = listen(new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .childHandler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelActive(ChannelHandlerContext context) throws IOException {
                        made.setSuccess(lend((RdmaChannel) context.channel(), lent));
                    }
                }));
        Channel client = new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(address)
                .sync()
                .channel();
        assertThat(writeAndRead(client, lent.get(Deadline.SECONDS, TimeUnit.SECONDS)))
                .isEqualTo("hello");
        RdmaMemory memory = made.get(Deadline.SECONDS, TimeUnit.SECONDS);
        end(group);
        memory.invalidate(); // the peer can neither write nor read any more
        memory.release(); // as any buffer, or it leaks
    }

    @Test
    void programTakesRdmaIfThereIsADevice() throws Exception {
        boolean device = Rdma.isAvailable() && Rdma.provider().kind() == ProviderKind.DEVICE;
        IoHandlerFactory io = device ? RdmaIoHandler.newFactory() : NioIoHandler.newFactory();
        Class<? extends SocketChannel> client = device ? RdmaSocketChannel.class : NioSocketChannel.class;
        Class<? extends ServerChannel> server = device ? RdmaServerSocketChannel.class : NioServerSocketChannel.class;
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, io);
        InetSocketAddress address =
                listen(new ServerBootstrap().group(group).channel(server).childHandler(new EchoHandler()));
        Bootstrap bootstrap = new Bootstrap().group(group).channel(client).handler(new EchoHandler());
        assertThat(bootstrap.connect(address).sync().channel()).isInstanceOf(client);
        end(group);
    }

    /** Handlers of a byte stream, which know nothing of RDMA. */
    private static void addHandlers(Channel channel, Promise<String> echo) {
        channel.pipeline().addLast(new LineBasedFrameDecoder(80)).addLast(new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            protected void channelRead0(ChannelHandlerContext context, ByteBuf line) {
                echo.setSuccess(line.toString(StandardCharsets.UTF_8));
            }
        });
    }

    @Test
    void bytesComeBackWhenThreeLinesOfAProgramChange() throws Exception {
        Promise<String> echo = ImmediateEventExecutor.INSTANCE.newPromise();
        ServerBootstrap server = new ServerBootstrap().childHandler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new EchoHandler());
            }
        });
        Bootstrap client = new Bootstrap().handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                addHandlers(channel, echo);
            }
        });

        EventLoopGroup group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory()); // was NioIoHandler
        server.group(group).channel(RdmaServerSocketChannel.class); // was NioServerSocketChannel
        client.group(group).channel(RdmaSocketChannel.class); // was NioSocketChannel

        Channel channel = client.connect(listen(server)).sync().channel();
        channel.writeAndFlush(Unpooled.copiedBuffer("hel", StandardCharsets.UTF_8));
        channel.writeAndFlush(Unpooled.copiedBuffer("lo\n", StandardCharsets.UTF_8));
        assertThat(echo.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("hello");
        end(group);
    }

    /** Connects, and fulfils the promise when the connection is there. */
    private static void connect(ManagedChannel channel, Promise<Void> connected) {
        ConnectivityState state = channel.getState(true);
        if (state == ConnectivityState.READY) {
            connected.trySuccess(null);
        } else {
            channel.notifyWhenStateChanged(state, () -> connect(channel, connected));
        }
    }

    @Test
    void gRpcConnectsWhenItsBuildersGetTheLoopsAndTheClasses() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        NettyServerBuilder server = NettyServerBuilder.forAddress(address)
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .channelType(RdmaServerSocketChannel.class);
        Server started = server.build().start();
        String host = "localhost";
        int port = started.getPort();
        NettyChannelBuilder client =
                NettyChannelBuilder.forAddress(host, port).eventLoopGroup(group).channelType(RdmaSocketChannel.class);
        ManagedChannel channel = client.usePlaintext().build();
        Promise<Void> connected = ImmediateEventExecutor.INSTANCE.newPromise();
        connect(channel, connected);
        assertThat(connected.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        channel.shutdownNow();
        started.shutdownNow().awaitTermination();
        end(group);
    }

    @Test
    void clientResolvesNamesOnALoopOfNio() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        EventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        int port = listen(new ServerBootstrap()
                        .group(group)
                        .channel(RdmaServerSocketChannel.class)
                        .childHandler(new EchoHandler())) // for one connection
                .getPort();
        Bootstrap client =
                new Bootstrap().group(group).channel(RdmaSocketChannel.class).handler(new EchoHandler());

        DnsNameResolverBuilder dns =
                new DnsNameResolverBuilder(nio.next()).datagramChannelType(NioDatagramChannel.class);
        client.resolver(new DnsAddressResolverGroup(dns));

        assertThat(client.connect("localhost", port).sync().channel().isActive())
                .isTrue();
        end(group);
        end(nio);
    }

    private static void addHandlers(Channel channel) {
        RpcProgramHandler program = RpcProgramHandler.of(PROGRAM, 2, 3) // versions 2 to 3
                .procedure(3, 7, arguments -> execute(arguments)); // version 3, procedure 7: returns results or throws
        channel.pipeline().addLast(new RpcRdmaResponderHandler(), program);
    }

    private static ByteBuf execute(ByteBuf arguments) {
        return Unpooled.copyInt(arguments.readInt() + 1);
    }

    private static ServerBootstrap rpcServer(EventLoopGroup group) {
        return new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .childHandler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        addHandlers(channel);
                    }
                });
    }

    @Test
    void callsOfAClientAreAnsweredByAServerOfTheProgram() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
        InetSocketAddress address = listen(rpcServer(group));
        String host = address.getHostString();
        int port = address.getPort();
        ByteBufAllocator alloc = ByteBufAllocator.DEFAULT;

        RpcRdmaClient client = RpcRdmaClient.builder(
                        new Bootstrap().group(group).channel(RdmaChannel.class).remoteAddress(host, port))
                .build();
        ByteBuf call = RpcHeaders.call(alloc, client.nextXid(), PROGRAM, 3, 7).writeInt(41); // arguments follow
        ByteBuf reply = client.call(call).get(); // releases the call; not on the event loop
        if (RpcHeaders.acceptStatus(reply) == RpcHeaders.SUCCESS) {
            use(RpcHeaders.results(reply));
        }
        reply.release(); // and the results with it

        assertThat(used.getNow().readInt()).isEqualTo(42);
        used.getNow().release();
        client.close();
        end(group);
    }
}
