// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What handlers and listeners do while the channel is in the middle of something else. */
final class RdmaChannelReentrancyTest extends ProviderContract {

    @Test
    void closeInTheListenerOfABarrierEndsTheChannel() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
                channel.write(ChannelPair.text("a"));
                channel.write(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
                channel.writeAndFlush(ChannelPair.text("b"));
            });
            ChannelPair.await(channel.closeFuture(), "close");
            assertThat(server.nextText()).isEqualTo("a");
            assertThat(server.nextText()).isEqualTo("b");
            server.awaitInactive();
        }
    }

    /** Nothing else would send it: no request completes on a channel that has sent nothing. */
    @Test
    void writeInTheListenerOfALoneBarrierIsSent() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER)
                    .addListener(barrier -> channel.writeAndFlush(ChannelPair.text("behind it")));
            assertThat(server.nextText()).isEqualTo("behind it");
        }
    }

    @Test
    void writeInTheListenerOfABarrierIsSentOnceAndInOrder() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
                channel.write(ChannelPair.text("a"));
                channel.write(Unpooled.EMPTY_BUFFER).addListener(f -> channel.writeAndFlush(ChannelPair.text("d")));
                channel.write(ChannelPair.text("b"));
                channel.writeAndFlush(ChannelPair.text("c"));
            });
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("e")), "write");
            List<String> received = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                received.add(server.nextText());
            }
            ChannelPair.await(channel.close(), "close");
            server.awaitInactive();
            assertThat(received).containsExactlyInAnyOrder("a", "b", "c", "d", "e");
            assertThat(server.messages).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void writesAndFlushesOfListenersAreSentOnceAndInOrder(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = kind.pair(() -> server, () -> client)) {
            Channel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
                for (int i = 0; i < 20; i++) {
                    String number = String.valueOf((char) ('a' + i));
                    channel.write(ChannelPair.text("m")).addListener(done -> {
                        channel.flush();
                        channel.writeAndFlush(ChannelPair.text(number));
                    });
                }
                channel.flush();
            });
            assertThat(server.nextText(40)).isEqualTo("m".repeat(20) + "abcdefghijklmnopqrst");
        }
    }

    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void closeInTheListenerOfAWriteLetsTheOthersComplete(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = kind.pair(() -> server, () -> client)) {
            Channel channel = pair.connect();
            List<ChannelFuture> writes = new ArrayList<>();
            ChannelPair.onLoop(channel, () -> {
                channel.write(ChannelPair.text("a")).addListener(ChannelFutureListener.CLOSE);
                for (int i = 0; i < 5; i++) {
                    writes.add(channel.write(ChannelPair.text("b")));
                }
                channel.flush();
                writes.add(channel.write(ChannelPair.text("never flushed")));
            });
            ChannelPair.await(channel.closeFuture(), "close");
            for (ChannelFuture write : writes) {
                assertThat(write.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(writes.get(5).cause()).isInstanceOf(ClosedChannelException.class);
            assertThat(server.nextText(6)).isEqualTo("abbbbb");
            server.awaitInactive();
        }
    }

    @Test
    void failedRegistrationInTheMiddleOfABatchSendsWhatStoodBeforeAndClosesTheChannel() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            List<ChannelFuture> writes = new CopyOnWriteArrayList<>();
            ByteBuf before = ChannelPair.text("before");
            ChannelPair.onLoop(channel, () -> {
                RdmaMemory memory = channel.allocateMemory(64, RdmaAccess.LOCAL);
                memory.content().writeLong(1);
                memory.invalidate();
                writes.add(channel.write(before));
                writes.add(channel.write(new RdmaWrite(memory.content().retain(), new RemoteSegment(1, 1, 64))));
                writes.add(channel.write(ChannelPair.text("behind")));
                memory.release();
                channel.flush();
            });
            ChannelPair.await(channel.closeFuture(), "close");
            for (ChannelFuture write : writes) {
                assertThat(write.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            }
            assertThatThrownBy(() -> ChannelPair.await(writes.get(1), "write"))
                    .rootCause()
                    .hasMessageContaining("invalidated");
            assertThat(writes.get(2).isSuccess()).isFalse();
            client.awaitInactive();
            assertThat(before.refCnt()).isZero();
            server.awaitInactive();
        }
    }

    @Test
    void writeOfAReleasedBufferClosesTheChannelWithItsReason() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            ByteBuf released = Unpooled.directBuffer().writeLong(1);
            released.release();
            Logs.expect(ReferenceCountUtil.class, "Failed to release a message");
            ChannelFuture write = channel.writeAndFlush(released);
            assertThatThrownBy(() -> ChannelPair.await(write, "write"))
                    .rootCause()
                    .isInstanceOf(IllegalReferenceCountException.class);
            ChannelPair.await(channel.closeFuture(), "close");
            client.awaitInactive();
            server.awaitInactive();
        }
    }

    private enum Closing {
        ACTIVE,
        READ,
        READ_COMPLETE,
        EXCEPTION,
        HALF_CLOSE
    }

    /** Says goodbye and closes in one event, and goes on as if it had not. */
    private static final class Closer extends ChannelInboundHandlerAdapter {
        private final Closing where;

        Closer(Closing where) {
            this.where = where;
        }

        private void on(Closing now, ChannelHandlerContext context) {
            if (now == where) {
                context.writeAndFlush(ChannelPair.text("bye"));
                context.close();
                context.writeAndFlush(ChannelPair.text("too late"));
                context.read();
                context.close();
            }
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            on(Closing.ACTIVE, context);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ((ByteBuf) message).release();
            on(Closing.READ, context);
            if (where == Closing.EXCEPTION) {
                throw new IllegalStateException("wanted");
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            on(Closing.READ_COMPLETE, context);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            on(Closing.EXCEPTION, context);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                on(Closing.HALF_CLOSE, context);
            }
        }
    }

    static Stream<Arguments> closings() {
        return Kind.testedWith(Closing.values(), Closing.HALF_CLOSE);
    }

    @ParameterizedTest
    @MethodSource("closings")
    void closeFromEveryInboundEventEndsBothSidesInOrder(Kind kind, Closing closing) throws Exception {
        boolean half = closing == Closing.HALF_CLOSE;
        try (LoopbackPair<?, ?> pair = kind.pair(() -> new Closer(closing), () -> client)) {
            if (half) {
                pair.option(ChannelOption.ALLOW_HALF_CLOSURE, true);
            }
            Channel channel = pair.connect();
            for (int i = 0; i < 3; i++) {
                channel.writeAndFlush(ChannelPair.text("words"));
            }
            if (half) {
                ((RdmaSocketChannel) channel).shutdownOutput();
            }
            assertThat(client.nextText()).isEqualTo("bye");
            if (half) {
                assertThat(client.nextEvent()).isInstanceOf(ChannelOutputShutdownEvent.class);
                assertThat(client.nextEvent()).isSameAs(ChannelInputShutdownEvent.INSTANCE);
                channel.close(); // as over TCP, nothing else closes it
            }
            client.awaitInactive();
            ChannelPair.await(pair.accepted().closeFuture(), "close");
            assertThat(client.messages).isEmpty();
            assertThat(client.failures).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void listenerOfTheConnectThatClosesSeesActiveBeforeInactive(Kind kind) throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        ChannelHandler ordering = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                order.add("active");
            }

            @Override
            public void channelInactive(ChannelHandlerContext context) {
                order.add("inactive");
            }

            @Override
            public void channelUnregistered(ChannelHandlerContext context) {
                order.add("unregistered");
                client.inactive.countDown();
            }
        };
        try (LoopbackPair<?, ?> pair = kind.pair(() -> server, () -> ordering).listen()) {
            pair.clientBootstrap.connect(pair.address()).addListener(ChannelFutureListener.CLOSE);
            client.awaitInactive();
            assertThat(order).containsExactly("active", "inactive", "unregistered");
            server.awaitInactive();
            assertThat(server.failures).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void cancelledCloseStillClosesBehindWhatWasFlushed(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = kind.pair(() -> server, () -> client)) {
            Channel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
                channel.writeAndFlush(ChannelPair.text("last words"));
                channel.close().cancel(false);
            });
            ChannelPair.await(channel.closeFuture(), "close");
            assertThat(server.nextText()).isEqualTo("last words");
        }
    }

    /** netty #14506, #14510, #14913, #14921: requests were counted wrong, and closing twice hung. */
    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void closingTwiceCompletesBothPromisesBehindWhatWasFlushed(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = kind.pair(() -> server, () -> client)) {
            Channel channel = pair.connect();
            ChannelFuture last = channel.writeAndFlush(ChannelPair.text("last words"));
            ChannelFuture first = channel.close();
            ChannelFuture second = channel.close();
            if (channel instanceof RdmaSocketChannel stream) {
                assertThat(stream.shutdownOutput().await(Deadline.SECONDS, TimeUnit.SECONDS))
                        .isTrue();
            }
            ChannelPair.await(first, "first close");
            ChannelPair.await(second, "second close");
            ChannelPair.await(channel.close(), "third close");
            ChannelPair.await(last, "write");
            assertThat(server.nextText()).isEqualTo("last words");
            server.awaitInactive();
            ChannelPair.await(pair.accepted().closeFuture(), "end of the other side");
            assertThat(server.failures).isEmpty();
            assertThat(client.failures).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void writesOfAClosedChannelFail(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = kind.pair(() -> server, () -> client)) {
            Channel channel = pair.connect();
            ChannelPair.await(channel.close(), "close");
            ByteBuf late = ChannelPair.text("late");
            assertThatThrownBy(() -> ChannelPair.await(channel.writeAndFlush(late), "write"))
                    .cause()
                    .isInstanceOf(ClosedChannelException.class);
            assertThat(late.refCnt()).isZero();
            if (channel instanceof RdmaSocketChannel stream) {
                assertThatThrownBy(() -> ChannelPair.await(stream.shutdownOutput(), "shutdownOutput"))
                        .cause()
                        .isInstanceOf(ClosedChannelException.class);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void writesWithoutAPromiseFailThroughThePipelineOnClose(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = kind.pair(() -> server, () -> client)) {
            Channel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
                channel.writeAndFlush(ChannelPair.text("flushed"), channel.voidPromise());
                channel.write(ChannelPair.text("never flushed"), channel.voidPromise());
                channel.close();
            });
            ChannelPair.await(channel.closeFuture(), "close");
            assertThat(client.nextFailure()).isInstanceOf(ClosedChannelException.class);
            assertThat(server.nextText()).isEqualTo("flushed");
        }
    }
}
