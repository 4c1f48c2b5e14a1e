// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.RpcRdmaReverseRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Version 2 between two ends on the device: NULL, continuation, and chunks, in both directions of RPC. */
@Tag("native")
@Order(5)
class OtherVersionOverNativeTest {

    /** Of ECHO; in one Send, in several, and in chunks. */
    private static final int[] ECHOES = {0, 1, 1000, 4000, 10_001, 40_000, 300_001};

    private EventLoopGroup group;

    @BeforeEach
    void start() {
        group = KernelDevice.group();
    }

    @AfterEach
    void stop() {
        KernelDevice.end(group);
    }

    private static ChannelHandler pipeline(Supplier<List<ChannelHandler>> handlers) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                handlers.get().forEach(channel.pipeline()::addLast);
            }
        };
    }

    @Test
    void callsOfEveryFormAreAnsweredInBothDirections() throws Exception {
        RpcRdmaConfig config = TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION)
                .versions(2, 2)
                .bindings(SecondHandProgram.BINDINGS)
                .reverseCredits(4)
                .version2(v2 -> v2.reverseLevel(ReverseLevel.GENL))
                .callTimeout(Deadline.DURATION)
                .build();
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .childHandler(pipeline(() -> List.of(
                        new RpcRdmaResponderHandler(config),
                        new RpcRdmaReverseRequesterHandler(),
                        new SecondHandProgram.Server())))
                .bind(KernelDevice.address(0))
                .sync()
                .channel();
        Channel channel = new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .handler(pipeline(() -> List.of(
                        new RpcRdmaRequesterHandler(config),
                        new RpcRdmaReverseResponderHandler(),
                        new SecondHandProgram.Server())))
                .connect(KernelDevice.address(((InetSocketAddress) listener.localAddress()).getPort()))
                .sync()
                .channel();

        for (int round = 0; round < 5; round++) {
            echoAtATime(channel);
            for (SecondHandProgram.Kind kind : SecondHandProgram.Kind.values()) {
                ByteBuf reply = RpcRdmaRequester.of(channel)
                        .call(call(channel, SecondHandProgram.REVERSE)
                                .writeInt(kind.ordinal())
                                .writeInt(20_001 * (round + 1)))
                        .get();
                assertThat(RpcHeaders.results(reply).getInt(0)).as("%s", kind).isEqualTo(SecondHandProgram.ANSWERED);
                reply.release();
            }
        }
        channel.close().sync();
        listener.close().sync();
    }

    private static void echoAtATime(Channel channel) throws Exception {
        List<ByteBuf> expected = new ArrayList<>();
        List<Future<ByteBuf>> replies = new ArrayList<>();
        for (int bytes : ECHOES) {
            int xid = RpcRdmaRequester.of(channel).nextXid();
            ByteBuf call = SecondHandProgram.echo(ByteBufAllocator.DEFAULT, xid, bytes);
            expected.add(RpcHeaders.arguments(call).copy());
            replies.add(RpcRdmaRequester.of(channel).call(call));
        }
        for (int i = 0; i < ECHOES.length; i++) {
            ByteBuf reply = replies.get(i).get();
            assertThat(RpcHeaders.results(reply)).as("%d octets", ECHOES[i]).isEqualTo(expected.get(i));
            reply.release();
            expected.get(i).release();
        }
    }

    private static ByteBuf call(Channel channel, int procedure) {
        return RpcHeaders.call(
                ByteBufAllocator.DEFAULT,
                RpcRdmaRequester.of(channel).nextXid(),
                SecondHandProgram.PROGRAM,
                SecondHandProgram.VERSION,
                procedure);
    }
}
