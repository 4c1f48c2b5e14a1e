// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.WriteBufferWaterMark;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.error.RdmaConnectRejectedException;
import io.nettyrdma.error.RdmaFlowControlException;
import io.nettyrdma.flow.RdmaFlowControlConfig;
import io.nettyrdma.flow.RdmaFlowControlHandler;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written to a channel of every kind before it is active, as servers do that speak first. */
@NotOver(value = Lane.DISNI, reason = "byte streams have not been run over DiSNI's API")
final class GreetingTest extends ProviderContract {

    private static final RdmaFlowControlConfig ALLOWING =
            RdmaFlowControlConfig.builder().allowsPeersWithout(true).build();

    private enum Kind {
        PLAIN,
        FLOW_CONTROL,
        STREAM
    }

    private enum Where {
        HANDLER_ADDED,
        INIT_CHANNEL,
        REGISTERED,
        PRIVATE_DATA,
        ACTIVE
    }

    /** Greets in one place, and adds to it when the channel is active. */
    private static class Greeter extends ChannelInboundHandlerAdapter {

        private final Where where;
        final List<ByteBuf> buffers = new CopyOnWriteArrayList<>();
        final BlockingQueue<ChannelFuture> writes = new LinkedBlockingQueue<>();

        Greeter(Where where) {
            this.where = where;
        }

        void greetIn(Where place, Channel channel) {
            if (place == where) {
                writes.add(channel.write(text("a")));
                writes.add(channel.writeAndFlush(text("b")));
                writes.add(channel.write(text("c")));
            }
        }

        private ByteBuf text(String text) {
            ByteBuf buffer = ChannelPair.text(text);
            buffers.add(buffer);
            return buffer;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            greetIn(Where.HANDLER_ADDED, context.channel());
        }

        @Override
        public void channelRegistered(ChannelHandlerContext context) {
            greetIn(Where.REGISTERED, context.channel());
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof RdmaPrivateDataEvent) {
                greetIn(Where.PRIVATE_DATA, context.channel());
            }
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            greetIn(Where.ACTIVE, context.channel());
            writes.add(context.channel().writeAndFlush(text("d")));
        }
    }

    private static ChannelHandler initializer(Kind kind, ChannelHandler handler) {
        return kind == Kind.FLOW_CONTROL ? initializer(new RdmaFlowControlHandler(), handler) : initializer(handler);
    }

    private static ChannelHandler initializer(ChannelHandler... handlers) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handlers);
                if (handlers[handlers.length - 1] instanceof Greeter greeter) {
                    greeter.greetIn(Where.INIT_CHANNEL, channel);
                }
            }
        };
    }

    private LoopbackPair<?, ?> pair(Kind kind, ChannelHandler serverHandler) {
        return kind == Kind.STREAM
                ? new StreamPair(provider, () -> serverHandler, () -> client)
                : new ChannelPair(provider, () -> serverHandler, () -> initializer(kind, client));
    }

    private static Channel registered(LoopbackPair<?, ?> pair) throws Exception {
        return ChannelPair.await(pair.clientBootstrap.register(), "register").channel();
    }

    private static ChannelFuture completed(BlockingQueue<ChannelFuture> writes) throws Exception {
        ChannelFuture write = writes.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(write).isNotNull();
        return ChannelPair.done(write);
    }

    static Stream<Arguments> places() {
        return Arrays.stream(Kind.values()).flatMap(kind -> Arrays.stream(Where.values())
                .filter(where -> kind != Kind.STREAM || where != Where.PRIVATE_DATA) // streams fire none
                .map(where -> Arguments.of(kind, where)));
    }

    /** As with NIO and epoll, whose accepted channels are active at once. */
    @ParameterizedTest
    @MethodSource("places")
    void acceptedChannelSendsWhatWasWrittenBeforeItIsActive(Kind kind, Where where) throws Exception {
        Greeter greeter = new Greeter(where);
        try (LoopbackPair<?, ?> pair = pair(kind, initializer(kind, greeter))) {
            Channel channel = pair.connect();
            assertThat(client.nextText(4)).isEqualTo("abcd");
            for (int i = 0; i < 4; i++) {
                assertThat(completed(greeter.writes).cause()).isNull();
            }
            ChannelPair.await(channel.close(), "close");
        }
        assertThat(client.failures).isEmpty();
        assertThat(greeter.buffers).hasSize(4).allMatch(buffer -> buffer.refCnt() == 0);
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"PLAIN", "FLOW_CONTROL"})
    void writesOfAChannelThatRejectsItsPeerFail(Kind kind) throws Exception {
        Greeter greeter = new Greeter(Where.REGISTERED) {
            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                if (event instanceof RdmaPrivateDataEvent) {
                    context.close();
                }
            }
        };
        try (LoopbackPair<?, ?> pair = pair(kind, initializer(kind, greeter)).listen()) {
            ChannelFuture connect = pair.clientBootstrap.connect(pair.address());
            for (int i = 0; i < 3; i++) {
                assertThat(completed(greeter.writes).cause()).isInstanceOf(ClosedChannelException.class);
            }
            assertThat(ChannelPair.done(connect).cause()).isInstanceOf(RdmaConnectRejectedException.class);
        }
        assertThat(greeter.buffers).hasSize(3).allMatch(buffer -> buffer.refCnt() == 0);
    }

    /** As with NIO: what is written waits for a flush of the connected channel, and an earlier flush fails. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void writesBeforeTheConnectionWaitForAFlushBehindIt(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = pair(kind, initializer(kind, server)).listen()) {
            Channel channel = registered(pair);
            ByteBuf lost = ChannelPair.text("lost");
            ChannelFuture first = channel.write(lost);
            ChannelFuture flushed = channel.writeAndFlush(ChannelPair.text("lost"));
            assertThat(ChannelPair.done(first).cause()).isInstanceOf(NotYetConnectedException.class);
            assertThat(ChannelPair.done(flushed).cause()).isInstanceOf(NotYetConnectedException.class);
            assertThat(lost.refCnt()).isZero();
            ChannelFuture kept = channel.write(ChannelPair.text("kept"));
            ChannelFuture connect = channel.connect(pair.address());
            connect.addListener(connected -> channel.write(ChannelPair.text("next")));
            ChannelPair.await(connect, "connect");
            assertThat(kept.isDone()).isFalse();
            channel.flush();
            ChannelPair.await(kept, "write");
            assertThat(server.nextText(8)).isEqualTo("keptnext");
            assertThat(server.messages).isEmpty();
        }
    }

    /** As with NIO: a close behind a flush loses nothing, also where channelActive is yet to come. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void closeByTheListenerOfTheConnectIsBehindWhatWasFlushed(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = pair(kind, initializer(kind, server)).listen()) {
            Channel channel = registered(pair);
            ChannelFuture kept = channel.write(ChannelPair.text("kept"));
            channel.connect(pair.address()).addListener(connected -> {
                channel.flush();
                channel.close();
            });
            assertThat(server.nextText()).isEqualTo("kept");
            assertThat(ChannelPair.done(kept).cause()).isNull();
            ChannelPair.await(channel.closeFuture(), "close");
        }
    }

    /** The peer answers without flow control: what waits fails with the reason, and once. */
    @Test
    void writesFailWithTheReasonForWhichThePeerIsRefused() throws Exception {
        try (ChannelPair pair = new ChannelPair(
                        provider, () -> server, () -> initializer(new RdmaFlowControlHandler(), client))
                .listen()) {
            Channel channel = registered(pair);
            ByteBuf message = ChannelPair.text("never sent");
            ChannelFuture write = channel.write(message);
            ChannelFuture connect = channel.connect(pair.address());
            assertThat(ChannelPair.done(connect).cause()).isInstanceOf(RdmaFlowControlException.class);
            assertThat(ChannelPair.done(write).cause()).isSameAs(connect.cause());
            assertThat(message.refCnt()).isZero();
        }
    }

    /** Each side allows a peer without flow control, and its handler leaves the pipeline. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void earlyWritesReachAPeerWithoutFlowControl(boolean serverAllows) throws Exception {
        Greeter greeter = new Greeter(Where.REGISTERED);
        ChannelHandler allowing = initializer(new RdmaFlowControlHandler(ALLOWING), serverAllows ? greeter : client);
        try (ChannelPair pair = new ChannelPair(
                        provider, () -> serverAllows ? allowing : greeter, () -> serverAllows ? client : allowing)
                .listen()) {
            Channel channel = registered(pair);
            ChannelFuture kept = channel.write(ChannelPair.text("kept"));
            ChannelPair.await(channel.connect(pair.address()), "connect");
            assertThat(client.nextText(4)).isEqualTo("abcd");
            channel.flush();
            ChannelPair.await(kept, "write");
        }
    }

    /** There are fewer credits than messages, and one of them needs pieces. */
    @Test
    void greetingOfManyMessagesArrivesInOrder() throws Exception {
        int messages = 20;
        List<ChannelFuture> writes = new CopyOnWriteArrayList<>();
        ChannelHandler greeter = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRegistered(ChannelHandlerContext context) {
                for (int i = 0; i < messages; i++) {
                    int bytes = i == 7 ? 10_000 : 4;
                    writes.add(context.channel()
                            .writeAndFlush(Unpooled.buffer(bytes).writeInt(i).writeZero(bytes - Integer.BYTES)));
                }
            }
        };
        try (ChannelPair pair = new ChannelPair(
                        provider,
                        () -> initializer(new RdmaFlowControlHandler(), greeter),
                        () -> initializer(new RdmaFlowControlHandler(), client))
                .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, RdmaFlowControlHandler.RESERVED_RECEIVES + 1)) {
            pair.connect();
            for (int i = 0; i < messages; i++) {
                ByteBuf message = Unpooled.wrappedBuffer(client.next());
                assertThat(message.readInt()).isEqualTo(i);
                assertThat(message.readableBytes() + Integer.BYTES).isEqualTo(i == 7 ? 10_000 : 4);
            }
            for (ChannelFuture write : writes) {
                assertThat(ChannelPair.done(write).cause()).isNull();
            }
        }
    }

    /** As in Netty's outbound buffer; a handler that flushes when the channel is writable again flushes all of it. */
    @Test
    void earlyWritesMakeTheChannelUnwritableUntilItIsActive() throws Exception {
        BlockingQueue<Boolean> writable = new LinkedBlockingQueue<>();
        ChannelHandler greeter = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRegistered(ChannelHandlerContext context) {
                context.channel().config().setWriteBufferWaterMark(new WriteBufferWaterMark(1000, 2000));
                context.channel().write(Unpooled.buffer(3000).writeZero(3000));
                writable.add(context.channel().isWritable());
            }

            @Override
            public void channelWritabilityChanged(ChannelHandlerContext context) {
                writable.add(context.channel().isWritable());
                context.channel().flush();
            }
        };
        try (ChannelPair pair = new ChannelPair(
                provider,
                () -> initializer(new RdmaFlowControlHandler(), greeter),
                () -> initializer(new RdmaFlowControlHandler(), client))) {
            pair.connect();
            assertThat(client.next()).hasSize(3000);
            assertThat(writable.take()).isFalse();
        }
    }
}
