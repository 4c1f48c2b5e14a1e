// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.examples.echo.EchoHandler;
import io.nettyrdma.examples.echo.EchoServer;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.flow.RdmaFlowControlConfig;
import io.nettyrdma.flow.RdmaFlowControlHandler;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sends every message, or every byte of a stream, back. */
@Command(
        name = "echo-server",
        description = "Sends back every message, or every byte of a stream. Stop it with Ctrl-C.")
final class EchoServerCommand extends Program {

    static final int DEFAULT_PORT = EchoServer.PORT;

    /** Longer messages go in pieces, as receives of their length would take too much memory. */
    static final int MAX_RECEIVE = 64 * 1024;

    /** That flow control needs. */
    static final int MIN_RECEIVE = 64;

    @Mixin
    private final ListenOptions listen = new ListenOptions(DEFAULT_PORT);

    @Option(
            names = "--max-message",
            paramLabel = "BYTES",
            defaultValue = "65536",
            description =
                    "longest message (default: ${DEFAULT-VALUE}). Each connection takes 64 times as much memory, but at"
                            + " most 4 MiB and one message")
    @InRange(from = 1)
    private int maxMessage;

    @Option(
            names = "--stream",
            description =
                    "echo a byte stream (RdmaServerSocketChannel) instead of messages; the client needs the option"
                            + " too, and --max-message has no effect")
    private boolean stream;

    @Mixin
    private LogOptions log;

    static ServerBootstrap ofMessages(
            EventLoopGroup group, int maxMessage, ConnectionLimit.Settings limits, PeerLog log) {
        RdmaFlowControlConfig flow = flowControl(maxMessage);
        return bootstrap(group, limits, log, pipeline -> pipeline.addLast(new RdmaFlowControlHandler(flow)))
                .channel(RdmaServerChannel.class)
                .childOption(
                        RdmaChannelOption.RDMA_RECEIVE_SIZE, Math.max(MIN_RECEIVE, Math.min(maxMessage, MAX_RECEIVE)));
    }

    /** The provider disni carries no private data, by which the two sides agree on flow control. */
    static RdmaFlowControlConfig flowControl(int maxMessage) {
        return RdmaFlowControlConfig.builder()
                .maxMessageBytes(maxMessage)
                .allowsPeersWithout(true)
                .build();
    }

    static ServerBootstrap ofStreams(EventLoopGroup group, ConnectionLimit.Settings limits, PeerLog log) {
        return bootstrap(group, limits, log, pipeline -> {}).channel(RdmaServerSocketChannel.class);
    }

    private static ServerBootstrap bootstrap(
            EventLoopGroup group, ConnectionLimit.Settings limits, PeerLog log, Consumer<ChannelPipeline> first) {
        return new ServerBootstrap()
                .group(group)
                .handler(new ConnectionLimit(limits, log))
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        first.accept(channel.pipeline());
                        channel.pipeline().addLast(new EchoHandler(), log);
                    }
                });
    }

    @Override
    void run() throws Exception {
        print(Rdma.report());
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
        try {
            InetSocketAddress address = listen.address();
            PeerLog peers = log.to(this);
            ServerBootstrap server = stream
                    ? ofStreams(group, listen.limits(), peers)
                    : ofMessages(group, maxMessage, listen.limits(), peers);
            Channel listener = Addresses.awaitBound(server.bind(address), address);
            print("echo-server listens on " + listener.localAddress());
            listener.closeFuture().sync();
        } finally {
            group.shutdownGracefully();
        }
    }
}
