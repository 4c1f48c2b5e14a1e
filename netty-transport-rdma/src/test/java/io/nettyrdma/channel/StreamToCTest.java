// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.stream.ModelOfC;
import io.nettyrdma.stream.ModelPeer;
import io.nettyrdma.stream.SetupData;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A channel that echoes the bytes of a {@link ModelOfC}, which ends its output first. */
@NotOver(value = Lane.DISNI, reason = "byte streams have not been run over DiSNI's API")
@NotOver(value = Lane.SIW, reason = "C programs themselves are the peers there")
@NotOver(value = Lane.RXE, reason = "C programs themselves are the peers there")
final class StreamToCTest extends StreamPeerContract {

    /** What a program asks of rsockets, and how much it sends. */
    private record Settings(int credits, int half, int bytes) {}

    static Stream<Arguments> settings() {
        List<Settings> settings = List.of(
                new Settings(384, 64 * 1024, 700_000), // the default
                new Settings(16, 5, 3_000),
                new Settings(16, 4096, 100_000),
                new Settings(384, 512 * 1024, 3_000_000),
                new Settings(0xffff, 64 * 1024, 700_000));
        return Arrays.stream(Role.values()).flatMap(role -> settings.stream().map(each -> Arguments.of(role, each)));
    }

    /** Closes when all has been sent back. */
    private static final class CloseBehindTheEcho extends ChannelInboundHandlerAdapter {

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            }
        }
    }

    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("settings")
    void allBytesComeBack(Role role, Settings settings) throws Exception {
        long seed = Long.getLong("stream.seed", System.nanoTime());
        Random random = new Random(seed);
        byte[] bytes = new byte[settings.bytes()];
        random.nextBytes(bytes);
        ModelPeer program =
                new ModelOfC(random, bytes, bytes, settings.credits(), settings.half(), 2 * settings.half());
        handle(new Echo(), new CloseBehindTheEcho(), tested);
        option(ChannelOption.ALLOW_HALF_CLOSURE, true);
        try {
            connect(role, program);
            while (!program.isDone()) {
                boolean idle = !actAtRandom(program, random);
                if (idle || peer.hasInput()) {
                    program.arrive(peer.nextItem());
                }
            }
            peer.expectEnd();
            assertThat(peer.terminate).isNull();
            assertThat(peer.reset).isFalse();
            expectInactive();
        } catch (Exception | AssertionError e) {
            throw new AssertionError("-Dstream.seed=" + seed + ": " + e.getMessage(), e);
        }
    }

    private void connect(Role role, ModelPeer program) throws Exception {
        ByteBuf offer = Unpooled.buffer();
        program.setup().encode(offer);
        meet(role, ByteBufUtil.getBytes(offer));
        if (role == Role.INITIATOR) {
            ByteBuf reply = Unpooled.wrappedBuffer(peer.expectReply());
            program.start(SetupData.decodeReply(reply, program.setup()));
        } else {
            program.start(SetupData.decodeRequest(Unpooled.wrappedBuffer(peer.expectRequest())));
            peer.reply(ByteBufUtil.getBytes(offer));
            program.arrive(peer.nextItem()); // an accepted side of iWARP waits for a message
        }
    }

    /** Lets the program call rsockets, and sends what comes of it; returns whether anything did. */
    private boolean actAtRandom(ModelPeer program, Random random) throws Exception {
        boolean acted = false;
        for (int action = 0; action < ModelPeer.ACTIONS; action++) {
            acted |= program.act(action, random.nextInt(8) > 0);
        }
        for (ModelPeer.Item item = program.depart(); item != null; item = program.depart()) {
            peer.send(item);
        }
        return acted;
    }
}
