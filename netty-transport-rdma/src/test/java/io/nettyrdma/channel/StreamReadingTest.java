// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As {@link ReadingTest}, for what byte streams alone do. */
@NotOver(value = Lane.DISNI, reason = "byte streams have not been run over DiSNI's API")
final class StreamReadingTest extends ProviderContract {

    /** Sends a pattern as soon as it is connected. */
    private static ChannelHandler source(int bytes) {
        return Handlers.onActive(context -> {
            context.writeAndFlush(ReadingTest.pattern(0, bytes));
        });
    }

    /** netty #7255, #14042, #4082: events of a half close came for ever, or never. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void endOfTheInputIsToldOnceWhetherReadingIsOnOrOff(boolean autoRead) throws Exception {
        try (StreamPair pair = streams()) {
            pair.serverBootstrap
                    .childOption(ChannelOption.AUTO_READ, autoRead)
                    .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
            RdmaSocketChannel channel = pair.connect();
            RdmaSocketChannel child = pair.accepted();
            ChannelPair.await(channel.shutdownOutput(), "shutdownOutput");
            child.read(); // without it, a channel over TCP says nothing, either
            assertThat(server.nextEvent()).isSameAs(ChannelInputShutdownEvent.INSTANCE);
            child.read();
            assertThat(server.nextEvent()).isSameAs(ChannelInputShutdownReadComplete.INSTANCE);
            for (int i = 0; i < 3; i++) {
                child.read();
                ChannelPair.onLoop(child, () -> {});
            }
            ChannelPair.await(child.writeAndFlush(ChannelPair.text("still here")), "write");
            assertThat(client.nextText()).isEqualTo("still here");
            ChannelPair.await(child.close(), "close");
            client.awaitInactive();
            assertThat(server.events).isEmpty();
            assertThat(server.failures).isEmpty();
            assertThat(client.failures).isEmpty();
        }
    }

    /** Without half close, the end of the peer's output is the end of the stream. */
    @Test
    void endOfTheInputClosesTheStreamUnlessHalfClosureIsAllowed() throws Exception {
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            channel.writeAndFlush(ChannelPair.text("last words"));
            ChannelPair.await(channel.shutdownOutput(), "shutdownOutput");
            assertThat(server.nextText()).isEqualTo("last words");
            server.awaitInactive();
            client.awaitInactive();
            assertThat(server.events).isEmpty();
            assertThat(server.failures).isEmpty();
            assertThat(client.failures).isEmpty();
        }
    }

    /** netty #14827, #14869, #14890: memory of receives was in use twice, or never came back. */
    @Test
    void bytesThatAreKeptDoNotChangeAndComeBackHoweverTheyAreReleased() throws Exception {
        int total = 1_000_000;
        BlockingQueue<ByteBuf> kept = new LinkedBlockingQueue<>();
        try (StreamPair pair = new StreamPair(provider, () -> source(total), () -> new ChannelInboundHandlerAdapter() {
            private int number;

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                kept.add(LifeTest.FORMS.get(number++ % LifeTest.FORMS.size()).apply((ByteBuf) message));
            }
        })) {
            pair.option(ChannelOption.SO_RCVBUF, 64 * 1024).connect();
            List<ByteBuf> all = new ArrayList<>();
            int arrived = 0;
            while (arrived < total) { // although none of them is released
                ByteBuf bytes = kept.poll(Deadline.SECONDS, TimeUnit.SECONDS);
                assertThat(bytes).isNotNull();
                all.add(bytes);
                arrived += bytes.readableBytes();
            }
            int received = 0;
            for (ByteBuf bytes : all) {
                byte[] expected = new byte[bytes.readableBytes()];
                for (int i = 0; i < expected.length; i++) {
                    expected[i] = ReadingTest.at(received++);
                }
                byte[] got = new byte[expected.length];
                bytes.readBytes(got);
                assertThat(got).isEqualTo(expected);
                assertThat(bytes.release()).isTrue(); // on this thread
            }
        }
    }

    /** Programs ask a buffer for its allocator: for more buffers, and to see whether they have to release it. */
    @Test
    void buffersNameTheAllocatorOfTheChannel() throws Exception {
        int total = 4 << 20;
        ByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        Set<ByteBufAllocator> named = ConcurrentHashMap.newKeySet();
        CompletableFuture<Integer> all = new CompletableFuture<>();
        try (StreamPair pair = new StreamPair(provider, () -> source(total), () -> new ChannelInboundHandlerAdapter() {
            private int received;

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ByteBuf buffer = (ByteBuf) message;
                named.add(buffer.alloc());
                received += buffer.readableBytes();
                buffer.release();
                if (received == total) {
                    all.complete(received);
                }
            }
        })) {
            pair.clientBootstrap.option(ChannelOption.ALLOCATOR, allocator);
            pair.connect();
            assertThat(all.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(total);
            assertThat(named).containsExactly(allocator);
        }
    }

    /** Small reads and whole published buffers. */
    @Test
    void strangersAllocatorMakesWhatIsRead() throws Exception {
        int total = 4 << 20;
        StrangersAllocator allocator = new StrangersAllocator();
        try (StreamPair pair = new StreamPair(provider, () -> source(total), () -> allocator.reader(total))) {
            pair.clientBootstrap.option(ChannelOption.ALLOCATOR, allocator);
            pair.connect();
            allocator.assertMadeAll(total);
        }
    }

    @Test
    void readMeetsTheEndThatTheProgramMadeOfItsInput() throws Exception {
        Inbox client = new Inbox();
        try (StreamPair pair = new StreamPair(provider, Inbox::new, () -> client)) {
            RdmaSocketChannel channel =
                    pair.option(ChannelOption.ALLOW_HALF_CLOSURE, true).connect();
            ChannelPair.await(channel.shutdownInput(), "shutdownInput");
            assertThat(client.nextEvent()).isSameAs(ChannelInputShutdownReadComplete.INSTANCE);
        }
    }
}
