/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.examples.cli;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.examples.echo.EchoHandler;
import io.nettyrdma.examples.echo.EchoServer;
import io.nettyrdma.examples.guard.AcceptLimit;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.FailureLog;
import io.nettyrdma.examples.guard.PeerLog;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Sends every message back. */
@Command(
        name = "echo-server",
        mixinStandardHelpOptions = true,
        description = "Sends every message back; ends with Ctrl-C.")
final class EchoServerCommand implements Callable<Integer> {

    static final int DEFAULT_PORT = EchoServer.PORT;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ListenOptions listen;

    @Option(
            names = {"-p", "--port"},
            defaultValue = "" + DEFAULT_PORT,
            description = "port (default: ${DEFAULT-VALUE})")
    @InRange(from = 0, to = InRange.MAX_PORT)
    private int port;

    @Option(
            names = "--max-message",
            paramLabel = "OCTETS",
            defaultValue = "65536",
            description =
                    "longest message (default: ${DEFAULT-VALUE}); the client has to agree, and each connection takes"
                            + " 64 times as much memory")
    @InRange(from = 1)
    private int maxMessage;

    @Mixin
    private LogOptions log;

    static ServerBootstrap bootstrap(EventLoopGroup group, int maxMessage, int maxConnections, PeerLog log) {
        FailureLog failures = new FailureLog(log);
        return new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .handler(AcceptLimit.refusing(maxConnections, log))
                .childHandler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        channel.config().setReceiveSize(maxMessage);
                        channel.pipeline().addLast(new EchoHandler(), failures);
                    }
                });
    }

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        out.println(Rdma.report());
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
        try {
            InetSocketAddress address = listen.address(port);
            ServerBootstrap server = bootstrap(group, maxMessage, listen.maxConnections(), log.to(spec.commandLine()));
            Channel listener = Addresses.awaitBound(server.bind(address), address);
            out.println("echo-server listens on " + listener.localAddress());
            out.flush();
            listener.closeFuture().sync();
        } finally {
            group.shutdownGracefully();
        }
        return 0;
    }
}
