// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.nfs.client.Nfs3Client;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What a user reads when the other side, or the address, is not as it should be. */
class PeerFailuresTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private EventLoopGroup group;

    @BeforeEach
    void start() {
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @AfterEach
    void stop() throws Exception {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    private int run(String... arguments) {
        CommandLine line = Examples.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        return line.execute(arguments);
    }

    /** Answers each call as the test says. */
    @Sharable
    private static final class Answer extends SimpleChannelInboundHandler<ByteBuf> {
        private final BiFunction<ByteBufAllocator, Integer, ByteBuf> reply;

        Answer(BiFunction<ByteBufAllocator, Integer, ByteBuf> reply) {
            this.reply = reply;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf call) {
            context.writeAndFlush(reply.apply(context.alloc(), RpcHeaders.xid(call)));
        }
    }

    /** Hears and says nothing. */
    @Sharable
    private static final class Silence extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {}
    }

    private String serve(ChannelInitializer<RdmaChannel> handlers) throws Exception {
        Channel server = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .childHandler(handlers)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        return String.valueOf(((InetSocketAddress) server.localAddress()).getPort());
    }

    private String answering(BiFunction<ByteBufAllocator, Integer, ByteBuf> reply) throws Exception {
        return serve(new ChannelInitializer<>() {
            @Override
            protected void initChannel(RdmaChannel channel) {
                channel.pipeline()
                        .addLast(new RpcRdmaResponderHandler(RpcRdmaConfig.defaults()))
                        .addLast(new Answer(reply));
            }
        });
    }

    @Test
    void rpcpingSaysWhyACallWasDenied() throws Exception {
        String weak = answering((alloc, xid) -> alloc.buffer()
                .writeInt(xid)
                .writeInt(1) // a reply
                .writeInt(1) // denied
                .writeInt(1) // because of the credentials
                .writeInt(5));
        assertThat(run("rpcping", "-p", weak)).isOne();
        assertThat(err.toString()).contains("NULL of program 100003 version 3 was denied: AUTH_TOOWEAK");
        String other = answering(RpcHeaders::rpcMismatch);
        assertThat(run("rpcping", "-p", other)).isOne();
        assertThat(err.toString()).contains("was denied: RPC_MISMATCH").doesNotContain("accept_stat");
    }

    @Test
    void rpcpingSaysThatAReplyMakesNoSense() throws Exception {
        String port = answering((alloc, xid) ->
                alloc.buffer().writeInt(xid).writeInt(1).writeInt(0).writeInt(0));
        assertThat(run("rpcping", "-p", port)).isOne();
        assertThat(err.toString())
                .endsWith("the reply of 127.0.0.1:" + port
                        + " to NULL of program 100003 version 3 is malformed: it ends" + " before it is complete"
                        + System.lineSeparator())
                .hasLineCount(1);
    }

    @Test
    void clientOfNfsSaysThatAReplyEndsTooEarly() throws Exception {
        InetSocketAddress server = new InetSocketAddress(
                "127.0.0.1",
                Integer.parseInt(answering((alloc, xid) ->
                        alloc.buffer().writeInt(xid).writeInt(1).writeInt(0).writeInt(0))));
        RpcRdmaConfig config =
                RpcRdmaConfig.builder().callTimeout(Deadline.DURATION).build();
        assertThatThrownBy(() -> Nfs3Client.connect(group, server, new AuthSys(0, 0, "test"), config))
                .hasMessage("the reply of 127.0.0.1:" + server.getPort()
                        + " to NULL is malformed: it ends before it is complete");
    }

    @Test
    void clientsGiveUpOnASilentServerAndSayWhichOptionIsTheLimit() throws Exception {
        String port = serve(new ChannelInitializer<>() {
            @Override
            protected void initChannel(RdmaChannel channel) {
                channel.pipeline().addLast(new Silence());
            }
        });
        assertThat(run("echo-client", "-p", port, "--timeout", "1")).isOne();
        assertThat(err.toString())
                .contains("no answer from 127.0.0.1:" + port + " for 1 s (--timeout)")
                .hasLineCount(1);
        assertThat(run("rpcping", "-p", port, "--timeout", "1")).isOne();
        assertThat(err.toString().lines().toList().get(1))
                .contains("no answer from 127.0.0.1:" + port + " for 1 s (--timeout)");
    }

    /** The messages that are on their way fail, too, and first. */
    @Test
    void echoClientNamesTheServerThatEndsTheConnection() throws Exception {
        String port = serve(new ChannelInitializer<>() {
            @Override
            protected void initChannel(RdmaChannel channel) {
                channel.pipeline().addLast(new SimpleChannelInboundHandler<ByteBuf>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                        context.close();
                    }
                });
            }
        });
        for (String inFlight : new String[] {"1", "32"}) {
            err.getBuffer().setLength(0);
            assertThat(run("echo-client", "-p", port, "--in-flight", inFlight)).isOne();
            assertThat(err.toString())
                    .contains("error: 127.0.0.1:" + port + " closed the connection after 0 answers")
                    .hasLineCount(1);
        }
    }

    @Test
    void echoClientNamesTheServerThatAnswersWrongly() throws Exception {
        String[][] answers = {
            {"no message", "answer 0 is not the message that was sent"},
            {"B".repeat(64), "answer 0 is not the message that was sent"},
            {"\0\0\0\0" + "A".repeat(60), "answer 0 differs at byte 4"},
        };
        for (String[] answer : answers) {
            String port = serve(new ChannelInitializer<>() {
                @Override
                protected void initChannel(RdmaChannel channel) {
                    channel.pipeline().addLast(new SimpleChannelInboundHandler<ByteBuf>() {
                        @Override
                        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                            context.writeAndFlush(Unpooled.copiedBuffer(answer[0], StandardCharsets.US_ASCII));
                        }
                    });
                }
            });
            err.getBuffer().setLength(0);
            assertThat(run("echo-client", "-p", port, "--in-flight", "1")).isOne();
            assertThat(err.toString())
                    .contains("error: 127.0.0.1:" + port + ": " + answer[1])
                    .hasLineCount(1);
        }
    }

    @Test
    void whoCannotListenSaysWhere(@TempDir Path directory) throws Exception {
        String export = "--export=" + Files.createDirectory(directory.resolve("export"));
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = String.valueOf(taken.getLocalPort());
            String[][] commands = {
                {"echo-server", "--port=" + port},
                {"nfs-null", "--port=" + port},
                {"nfs-server", "--allow-root", export, "--port=" + port, "--mount-port=0"},
                {"nfs-server", "--allow-root", export, "--port=0", "--mount-port=" + port},
            };
            for (String[] command : commands) {
                err.getBuffer().setLength(0);
                assertThat(run(command)).isOne();
                assertThat(err.toString())
                        .contains("cannot listen on 127.0.0.1:" + port + ": ")
                        .hasLineCount(1);
            }
        }
        for (String bind : new String[] {"192.0.2.1", "no..host"}) {
            err.getBuffer().setLength(0);
            assertThat(run("echo-server", "--port=0", "--bind=" + bind)).isOne();
            assertThat(err.toString()).contains("cannot listen on " + bind + ":0: ");
        }
        assertThat(err.toString()).contains("unknown host no..host");
    }

    @Test
    void aHostThatIsNotKnownIsCalledThat() {
        String[][] commands = {
            {"rpcping", "no..host"},
            {"echo-client", "no..host"},
            {"nfs-get", "no..host:/file", "copy"},
            {"nfs-get", "no..host:/file", "copy", "--mount-port=1"},
        };
        for (String[] command : commands) {
            err.getBuffer().setLength(0);
            assertThat(run(command)).isOne();
            assertThat(err.toString()).contains("error: unknown host no..host").hasLineCount(1);
        }
    }

    @Test
    void anInterruptedCommandSaysSoAndNoMore() throws Exception {
        String port = serve(new ChannelInitializer<>() {
            @Override
            protected void initChannel(RdmaChannel channel) {
                channel.pipeline().addLast(new Silence());
            }
        });
        Thread.currentThread().interrupt();
        assertThat(run("echo-client", "-p", port)).isEqualTo(130);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(err.toString().strip()).isEqualTo("error: interrupted");
    }

    @Test
    void withoutAMountPortTheUsualOneIsTriedBehindThePortmapper() throws Exception {
        assertThat(run("nfs-get", "127.0.0.77:/file", "copy")).isOne();
        assertThat(err.toString())
                .contains("127.0.0.77:20048")
                .contains("portmapper")
                .hasLineCount(1);
    }
}
