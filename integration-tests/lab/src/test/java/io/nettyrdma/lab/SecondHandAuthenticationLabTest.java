// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.NOT_AUTHENTICATED;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Host authentication with {@code v2peer} in the guest, in both roles (C37, C56). */
@Lab
class SecondHandAuthenticationLabTest {

    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final int SECRET = 7;
    private static final int ECHO_BYTES = 40_000;

    @TempDir
    private static Path dir;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private SecondHandPeer peer;

    @BeforeEach
    void make() throws Exception {
        peer = SecondHandPeer.make(dir);
    }

    @AfterEach
    void end() {
        assertThat(group.shutdownGracefully(0, 5, TimeUnit.SECONDS)
                        .awaitUninterruptibly(Deadline.SECONDS, TimeUnit.SECONDS))
                .isTrue();
    }

    private static RpcRdmaConfig config(int tokens) {
        return TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION)
                .versions(2, 2)
                .bindings(SecondHandProgram.BINDINGS)
                .version2(v2 -> v2.hostAuthentication(SecondHandHandshake.of(tokens, SECRET)))
                .callTimeout(LIMIT)
                .build();
    }

    /** What its requester says of a few tests against the responder of this project. */
    private GuestResult connect(LabGuest guest, int tokens, int secret) throws Exception {
        RpcRdmaConfig config = config(tokens);
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new RpcRdmaResponderHandler(config), new SecondHandProgram.Server());
                        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                            @Override
                            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                                failures.add(cause);
                            }
                        });
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        GuestResult result = guest.run(
                peer.program() + " --connect " + LabGuest.HOST_ADDRESS + " " + port + " --seconds 20 --handshake "
                        + tokens + " --secret " + secret + " null echo-continued echo-read-chunk",
                LIMIT);
        listener.close().sync();
        return result;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void responderAuthenticatesItsRequester(int tokens, LabGuest guest) throws Exception {
        assertThat(connect(guest, tokens, SECRET).assertSucceeded().output())
                .contains("v2peer: ok handshake: accepted after " + tokens + " tokens")
                .contains("v2peer: ok echo-read-chunk")
                .doesNotContain("v2peer: fail");
        assertThat(failures).isEmpty();
    }

    @Test
    void responderRefusesARequesterWithAnotherSecret(LabGuest guest) throws Exception {
        assertThat(connect(guest, 2, SECRET + 1).output())
                .contains("v2peer: fail null: no properties came")
                .doesNotContain("v2peer: ok");
        assertThat(failures).isNotEmpty().allSatisfy(failure -> assertThat(failure)
                .hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED)
                .hasMessage("token 1 of the peer is not the one due"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void requesterAuthenticatesItsResponder(int tokens, LabGuest guest) throws Exception {
        try (GuestCommand serving = peer.serve(guest, "--handshake " + tokens + " --secret " + SECRET)) {
            Channel channel = SecondHandPeer.connect(group, guest, new RpcRdmaRequesterHandler(config(tokens)));
            ByteBuf call = SecondHandProgram.echo(ByteBufAllocator.DEFAULT, 1, ECHO_BYTES);
            ByteBuf expected = RpcHeaders.arguments(call).copy();

            Future<ByteBuf> reply = RpcRdmaRequester.of(channel).call(call);

            assertThat(reply.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            ByteBuf answer = reply.get();
            assertThat(RpcHeaders.results(answer)).isEqualTo(expected);
            answer.release();
            expected.release();
            channel.close().sync();
            assertThat(serving.await().assertSucceeded().output())
                    .contains("v2peer: ok handshake: accepted after " + tokens + " tokens")
                    .doesNotContain("v2peer: fail");
        }
    }

    @Test
    void requesterWithAnotherSecretIsRefused(LabGuest guest) throws Exception {
        try (GuestCommand serving = peer.serve(guest, "--handshake 2 --secret " + (SECRET + 1))) {
            Channel channel = SecondHandPeer.connect(group, guest, new RpcRdmaRequesterHandler(config(2)));

            Future<ByteBuf> reply =
                    RpcRdmaRequester.of(channel).call(SecondHandProgram.echo(ByteBufAllocator.DEFAULT, 1, 1));

            assertThat(reply.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(reply.cause()).isInstanceOf(ConnectionLostException.class);
            assertThat(serving.await().output())
                    .contains("v2peer: fail handshake: the peer's token is not the one due");
        }
    }
}
