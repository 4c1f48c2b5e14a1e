// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.RpcRdmaReverseRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Version 2 with {@code v2peer} in the guest, over the kernel's {@code siw}; its author knows the draft only. */
@Lab
class SecondHandOverRdmaLabTest {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final int CALLS = 200;

    @TempDir
    private static Path dir;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
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

    private static RpcRdmaConfig.Builder config() {
        return TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION)
                .versions(2, 2)
                .bindings(SecondHandProgram.BINDINGS)
                .callTimeout(LIMIT);
    }

    /** What its tests demand stands in the README beside it. */
    @ParameterizedTest
    @ValueSource(strings = {"formats", "errors", "reverse"})
    @Requirement({"V2-002", "V2-008", "V2-024", "V2-029", "V2-080", "V2-103", "V2-113"})
    void responderAnswersItsRequesterAsItDemands(String tests, LabGuest guest) throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "a reply is not sent"); // for which a call has no room
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "matches no call"); // a reply that nobody waits for
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "refuses a message by a limit of this side");
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "rejects a message");
        RpcRdmaConfig config =
                TestLimits.received(config(), 4, 16).reverseCredits(4).build();
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        new RpcRdmaResponderHandler(config),
                                        new RpcRdmaReverseRequesterHandler(),
                                        new SecondHandProgram.Server());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        int port = ((InetSocketAddress) listener.localAddress()).getPort();

        String said = guest.run(
                        peer.program() + " --connect " + LabGuest.HOST_ADDRESS + " " + port + " --seconds 20 " + tests,
                        LIMIT)
                .assertSucceeded()
                .output();

        assertThat(said).contains("v2peer: ok").doesNotContain("v2peer: fail");
        listener.close().sync();
    }

    /** Segments of at most 64 KiB, and 16 of them in a header. */
    @Test
    @Requirement({"V2-020", "V2-022", "V2-103", "V2-116"})
    void requesterIsAnsweredByItsResponder(LabGuest guest) throws Exception {
        try (GuestCommand serving = peer.serve(guest, "--segment-size 65536")) {
            Channel channel = SecondHandPeer.connect(group, guest, new RpcRdmaRequesterHandler(config().build()));
            RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
            long seed = System.nanoTime();
            Random random = new Random(seed);
            List<ByteBuf> arguments = new ArrayList<>();
            List<Future<ByteBuf>> replies = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                ByteBuf argument = opaque(random.nextInt(1 << random.nextInt(20)), random);
                arguments.add(argument);
                replies.add(requester.call(RpcHeaders.call(
                                ByteBufAllocator.DEFAULT,
                                requester.nextXid(),
                                SecondHandProgram.PROGRAM,
                                SecondHandProgram.VERSION,
                                SecondHandProgram.ECHO)
                        .writeBytes(argument, 0, argument.readableBytes())));
            }
            for (int i = 0; i < CALLS; i++) {
                assertThat(replies.get(i).await(LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .as("call %d of seed %d", i, seed)
                        .isTrue();
                ByteBuf reply = replies.get(i).get();
                assertThat(RpcHeaders.results(reply))
                        .as("call %d of seed %d", i, seed)
                        .isEqualTo(arguments.get(i));
                reply.release();
                arguments.get(i).release();
            }
            channel.close().sync();

            assertThat(serving.await().assertSucceeded().output()).doesNotContain("v2peer: fail");
        }
    }

    /** 0x100 has its server make calls that the level excludes, which have to be answered as that says. */
    @ParameterizedTest
    @CsvSource({
        "SIMPLE, 0:0=0 1:101=0 258:20000=1:5 259:20000=1:6 0:0=0",
        "CONT, 1:101=0 2:20000=0 259:20000=1:6 260:100=1:7 261:100=1:10 1:7=0",
        "GENL, 1:0=0 2:20000=0 3:20001=0 4:3001=0 5:20000=0 6:20000=0 2:300000=0"
    })
    @Requirement({"V2-002", "V2-067", "V2-069", "V2-070", "V2-071", "V2-074", "V2-075"})
    void requesterAnswersItsServerAtEveryLevel(ReverseLevel level, String calls, LabGuest guest) throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "rejects a message");
        try (GuestCommand serving = peer.serve(guest, "")) {
            Channel channel = SecondHandPeer.connect(
                    group,
                    guest,
                    new RpcRdmaRequesterHandler(config().reverseCredits(4)
                            .version2(v2 -> v2.reverseLevel(level))
                            .build()),
                    new RpcRdmaReverseResponderHandler(),
                    new SecondHandProgram.Server());
            for (String call : calls.split(" ")) {
                String[] parts = call.split("[:=]");
                assertThat(reverse(channel, Integer.parseInt(parts[0]), Integer.parseInt(parts[1])))
                        .as(call)
                        .isEqualTo(parts[2] + ":" + (parts.length > 3 ? parts[3] : "0"));
            }
            channel.close().sync();

            assertThat(serving.await().assertSucceeded().output()).doesNotContain("v2peer: fail");
        }
    }

    @Test
    @Requirement({"V2-072", "V2-073", "V2-091"})
    void requesterWithoutAReverseResponderIsNotCalled(LabGuest guest) throws Exception {
        try (GuestCommand serving = peer.serve(guest, "")) {
            Channel channel = SecondHandPeer.connect(
                    group,
                    guest,
                    new RpcRdmaRequesterHandler(config().reverseCredits(4).build()));
            assertThat(reverse(channel, 0, 0)).isEqualTo("2:0");
            assertThat(reverse(channel, 256, 0)).isEqualTo("1:100");
            channel.close().sync();

            assertThat(serving.await().assertSucceeded().output()).doesNotContain("v2peer: fail");
        }
    }

    /** What the server says of a call it has made: status and error. */
    private static String reverse(Channel channel, int kind, int bytes) throws Exception {
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
        ByteBuf reply = requester
                .call(RpcHeaders.call(
                                ByteBufAllocator.DEFAULT,
                                requester.nextXid(),
                                SecondHandProgram.PROGRAM,
                                SecondHandProgram.VERSION,
                                SecondHandProgram.REVERSE)
                        .writeInt(kind)
                        .writeInt(bytes))
                .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        ByteBuf results = RpcHeaders.results(reply);
        String said = results.readInt() + ":" + results.readInt();
        reply.release();
        return said;
    }

    private static ByteBuf opaque(int bytes, Random random) {
        byte[] octets = new byte[bytes];
        random.nextBytes(octets);
        return ByteBufAllocator.DEFAULT
                .buffer(bytes + 8)
                .writeInt(bytes)
                .writeBytes(octets)
                .writeZero(-bytes & 3);
    }
}
