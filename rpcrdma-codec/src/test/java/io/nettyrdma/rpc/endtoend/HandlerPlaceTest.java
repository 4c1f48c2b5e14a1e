// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.flow.RdmaFlowControlHandler;
import io.nettyrdma.internal.CapturedLog;
import io.nettyrdma.logs.ExpectedLog;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcProgramHandler;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.kit.Poll;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where the handlers of RPC-over-RDMA may stand, and on which channels. */
final class HandlerPlaceTest {

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, LoopsOver.tested());
    private final EventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();

    /** Passes everything on but failures, which it collects. */
    private final class Failures extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            failures.add(cause);
        }
    }

    /** A program's handler that answers calls. */
    private final class Answering extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
            if (call.isReadable()) {
                ctx.writeAndFlush(RpcHeaders.accepted(ctx.alloc(), RpcHeaders.xid(call), RpcHeaders.SUCCESS));
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            failures.add(cause);
        }
    }

    @AfterEach
    void endLoops() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
        nio.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private Throwable nextFailure() throws InterruptedException {
        Throwable failure = failures.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(failure).as("a failure").isNotNull();
        return failure;
    }

    private ChannelFuture connect(EventLoopGroup group, Class<? extends Channel> type, ChannelHandler... handlers) {
        return new Bootstrap()
                .group(group)
                .channel(type)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(handlers).addLast(new Failures());
                    }
                })
                .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
    }

    private static void expectRefusal(ChannelFuture connect, String reason) {
        assertThatThrownBy(() -> RdmaLoopback.await(connect, "connect"))
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(reason);
        assertThat(connect.channel().isOpen()).isFalse();
    }

    @Test
    void byteStreamsAreRefused() {
        expectRefusal(
                connect(group, RdmaSocketChannel.class, new RpcRdmaRequesterHandler()),
                "RpcRdmaRequesterHandler needs a channel that keeps messages apart: " + RdmaChannel.class.getName());
        expectRefusal(
                connect(nio, NioSocketChannel.class, new RpcRdmaResponderHandler()),
                "RpcRdmaResponderHandler needs a channel that keeps messages apart: " + RdmaChannel.class.getName());
    }

    @Test
    void flowControlBelowIsRefused() {
        expectRefusal(
                connect(group, RdmaChannel.class, new RdmaFlowControlHandler(), new RpcRdmaRequesterHandler()),
                "RdmaFlowControlHandler and RpcRdmaRequesterHandler are in one pipeline; remove RdmaFlow");
    }

    @Test
    void flowControlAboveIsRefused() throws Exception {
        expectRefusal(
                connect(group, RdmaChannel.class, new RpcRdmaRequesterHandler(), new RdmaFlowControlHandler()),
                "RdmaFlowControlHandler and RpcRdmaRequesterHandler are in one pipeline; remove RdmaFlow");
        expectRefusalOfAccepted(
                "RdmaFlowControlHandler and RpcRdmaResponderHandler are in one pipeline",
                new RpcRdmaResponderHandler(),
                new RdmaFlowControlHandler());
    }

    /** A program in front would pass calls on to a handler that gives the answers nowhere. */
    @Test
    void programInFrontOfTheResponderIsRefused() throws Exception {
        String reason =
                "RpcProgramHandler is in front of RpcRdmaResponderHandler and gets no calls there; add it behind,"
                        + " as in pipeline.addLast(new RpcRdmaResponderHandler(), program)";
        RpcProgramHandler program = RpcProgramHandler.of(1, 1, 1);
        expectRefusalOfAccepted(reason, program, new RpcRdmaResponderHandler());
        expectRefusal(connect(group, RdmaChannel.class, program, new RpcRdmaResponderHandler()), reason);
        expectRefusal(
                connect(
                        group,
                        RdmaChannel.class,
                        new RpcRdmaRequesterHandler(
                                RpcRdmaConfig.builder().reverseCredits(2).build()),
                        program,
                        new RpcRdmaReverseResponderHandler()),
                "RpcProgramHandler is in front of RpcRdmaReverseResponderHandler");
    }

    private void expectRefusalOfAccepted(String reason, ChannelHandler... handlers) throws Exception {
        ExpectedLog refused = Logs.expect(ChannelInitializer.class, "Failed to initialize a channel");
        Channel listener = RdmaLoopback.listen(group, pipeline -> pipeline.addLast(handlers));
        ChannelFuture connect = new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(listener.localAddress());
        assertThat(refused.await().thrown())
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(reason);
        RdmaLoopback.await(connect.channel().closeFuture(), "close by the server");
    }

    @Test
    void responderWithoutAHandlerBehindItIsNamedOnce() throws Exception {
        CapturedLog log = new CapturedLog();
        RpcRdmaConfig config =
                TestLimits.log(RpcRdmaConfig.builder(), log.log()).build();
        Channel listener = RdmaLoopback.listen(
                group, pipeline -> pipeline.addLast(new Failures(), new RpcRdmaResponderHandler(config)));
        Channel client = RdmaLoopback.connect(
                group, listener.localAddress(), pipeline -> pipeline.addLast(new RpcRdmaRequesterHandler()));
        for (int xid = 1; xid < 3; xid++) {
            RpcRdmaRequester.of(client).call(TestProgram.call(xid, List.of(), List.of(), 0));
        }
        Poll.until(() -> "no line", () -> !log.texts().isEmpty());
        assertThat(log.texts())
                .singleElement()
                .asString()
                .contains("no handler behind RpcRdmaResponderHandler takes calls")
                .contains("add an RpcProgramHandler");
    }

    @Test
    void handlerInFrontThatTakesCallsIsNamed() throws Exception {
        Channel listener = RdmaLoopback.listen(
                group, pipeline -> pipeline.addLast(new Answering(), new RpcRdmaResponderHandler()));
        Channel client = RdmaLoopback.connect(
                group, listener.localAddress(), pipeline -> pipeline.addLast(new RpcRdmaRequesterHandler()));
        Future<ByteBuf> reply = RpcRdmaRequester.of(client).call(TestProgram.call(1, List.of(), List.of(), 0));
        assertThat(nextFailure())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a handler in front of RpcRdmaResponderHandler")
                .hasMessageContaining(Answering.class.getName());
        RdmaLoopback.await(client.closeFuture(), "close by the server");
        assertThat(reply.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(reply.cause()).isInstanceOf(ConnectionLostException.class);
    }

    @Test
    void callsEndIfAHandlerInFrontOfTheRequesterTakesReplies() throws Exception {
        Channel listener = RdmaLoopback.listen(
                group, pipeline -> pipeline.addLast(new RpcRdmaResponderHandler(), new Answering()));
        Channel client = RdmaLoopback.connect(
                group,
                listener.localAddress(),
                pipeline -> pipeline.addLast(
                        new SimpleChannelInboundHandler<ByteBuf>() {
                            @Override
                            protected void channelRead0(ChannelHandlerContext ctx, ByteBuf reply) {
                                // takes it
                            }
                        },
                        new RpcRdmaRequesterHandler(),
                        new Failures()));
        Future<ByteBuf> reply = RpcRdmaRequester.of(client).call(TestProgram.call(1, List.of(), List.of(), 0));
        assertThat(nextFailure()).hasMessageContaining("a handler in front of RpcRdmaRequesterHandler took, changed");
        assertThat(reply.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(reply.cause())
                .isInstanceOf(ConnectionLostException.class)
                .hasStackTraceContaining("a handler in front of RpcRdmaRequesterHandler");
    }

    @Test
    void handlersInFrontMayWatch() throws Exception {
        Channel listener = RdmaLoopback.listen(
                group,
                pipeline -> pipeline.addLast(
                        new ChannelInboundHandlerAdapter(), new RpcRdmaResponderHandler(), new Answering()));
        Channel client = RdmaLoopback.connect(
                group,
                listener.localAddress(),
                pipeline -> pipeline.addLast(new ChannelInboundHandlerAdapter(), new RpcRdmaRequesterHandler()));
        Future<ByteBuf> reply = RpcRdmaRequester.of(client).call(TestProgram.call(1, List.of(), List.of(), 0));
        RdmaLoopback.answered(reply, "reply");
        assertThat(failures).isEmpty();
    }

    @Test
    void handlersAddedToAConnectionAreRefused() throws Exception {
        Channel listener = RdmaLoopback.listen(group, pipeline -> pipeline.addLast(new ChannelInboundHandlerAdapter()));
        Channel client =
                RdmaLoopback.connect(group, listener.localAddress(), pipeline -> pipeline.addLast(new Failures()));
        for (ChannelHandler late : List.of(new RpcRdmaRequesterHandler(), new RpcRdmaResponderHandler())) {
            RdmaLoopback.await(client.eventLoop().submit(() -> client.pipeline().addLast(late)), "handler");
            assertThat(nextFailure())
                    .hasStackTraceContaining(
                            "add " + late.getClass().getSimpleName() + " in the channel's initializer");
        }
    }

    @Test
    void clientRefusesAHandlerForOneConnection() {
        Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .handler(new Failures())
                .remoteAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        assertThatThrownBy(() -> RpcRdmaClient.builder(bootstrap).build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(Failures.class.getName())
                .hasMessageContaining("let a ChannelInitializer make one for each, or mark it @Sharable");
    }

    @Test
    void clientRefusesEventLoopsOfAnotherTransport() {
        Bootstrap bootstrap = new Bootstrap()
                .group(nio)
                .channel(RdmaChannel.class)
                .remoteAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        assertThatThrownBy(() -> RpcRdmaClient.builder(bootstrap).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "of another transport (expected: RdmaChannel.class, and a group of RdmaIoHandler");
    }

    /** Another connect would fail as the first, so no call waits for its time-out. */
    @Test
    void callsOfAClientOnAByteStreamFailAtOnce() throws Exception {
        Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channel(RdmaSocketChannel.class)
                .remoteAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        try (RpcRdmaClient client = RpcRdmaClient.builder(bootstrap).build()) {
            BlockingQueue<RpcRdmaClient.State> states = new LinkedBlockingQueue<>();
            Future<ByteBuf> reply = RdmaLoopback.await(
                            group.next().submit(() -> client.call(TestProgram.call(1, List.of(), List.of(), 0))
                                    .addListener(done -> states.add(client.state()))),
                            "call")
                    .getNow();
            assertThat(reply.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(reply.cause())
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("never made, call not sent")
                    .hasStackTraceContaining("needs a channel that keeps messages apart");
            assertThat(states.poll(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(RpcRdmaClient.State.IDLE);
        }
    }
}
