// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.logging.LogLevel;
import io.netty.handler.logging.LoggingHandler;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.error.RdmaFlowControlException;
import io.nettyrdma.flow.RdmaFlowControlConfig;
import io.nettyrdma.flow.RdmaFlowControlHandler;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where {@link RdmaFlowControlHandler} may stand, and when it may be added. */
final class HandlerPlaceTest {

    private final Inbox server = new Inbox();
    private final Inbox client = new Inbox();

    /** Returns a client with flow control and a server with these handlers. */
    private ChannelPair servedBy(ChannelHandler... handlers) {
        return new ChannelPair(
                () -> Handlers.adding(handlers), () -> Handlers.adding(new RdmaFlowControlHandler(), client));
    }

    @Test
    void handlersInFrontMayWatch() throws Exception {
        try (ChannelPair pair = new ChannelPair(
                () -> Handlers.adding(
                        new IdleStateHandler(60, 0, 0),
                        new ChannelInboundHandlerAdapter(),
                        new RdmaFlowControlHandler(),
                        server),
                () -> Handlers.adding(new LoggingHandler(LogLevel.TRACE), new RdmaFlowControlHandler(), client))) {
            pair.connect().writeAndFlush(ChannelPair.text("0123456789"));
            assertThat(server.nextText()).isEqualTo("0123456789");
            assertThat(server.messages).isEmpty();
        }
        assertThat(server.failures).isEmpty();
        assertThat(client.failures).isEmpty();
    }

    /** Handlers in front that do something to messages. */
    private enum Front {
        TAKES(Handlers.onRead((context, message) -> message.release())),
        /** As decoders do; Netty's are in no jar that this module needs. */
        COPIES(Handlers.onRead((context, message) -> {
            ByteBuf copy = message.copy();
            message.release();
            context.fireChannelRead(copy);
        })),
        CHANGES_IN_PLACE(Handlers.onRead((context, message) -> context.fireChannelRead(message.skipBytes(4))));

        final ChannelHandler handler;

        Front(ChannelHandler handler) {
            this.handler = handler;
        }
    }

    /** The trailers of flow control would be part of its messages. */
    @ParameterizedTest
    @EnumSource
    void handlerInFrontThatDoesSomethingToMessagesIsNamed(Front front) throws Exception {
        // Where it stands counts, not in which order the initializer adds handlers.
        ChannelHandler initializer = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new RdmaFlowControlHandler(), server).addFirst(front.handler);
            }
        };
        try (ChannelPair pair = servedBy(initializer)) {
            pair.connect().writeAndFlush(ChannelPair.text("0123456789"));
            assertThat(server.nextFailure())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("RdmaFlowControlHandler took, changed or held back a message: "
                            + front.handler.getClass().getName())
                    .hasMessageContaining("add RdmaFlowControlHandler to the pipeline before");
            server.awaitInactive();
            client.awaitInactive();
        }
        assertThat(server.messages).isEmpty();
    }

    /** As an echo handler in the wrong place does: its answer would have no trailer. */
    @Test
    void handlerInFrontThatWritesMessagesIsNamed() throws Exception {
        BlockingQueue<Throwable> refused = new LinkedBlockingQueue<>();
        ChannelHandler greeting = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                context.writeAndFlush(ChannelPair.text("hello")).addListener(future -> refused.add(future.cause()));
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                server.exceptionCaught(context, cause);
            }
        };
        try (ChannelPair pair = servedBy(greeting, new RdmaFlowControlHandler())) {
            pair.connect();
            assertThat(server.nextFailure())
                    .isSameAs(refused.poll(Deadline.SECONDS, TimeUnit.SECONDS))
                    .hasMessageContaining("RdmaFlowControlHandler wrote or changed a message: "
                            + greeting.getClass().getName());
            client.awaitInactive();
        }
        assertThat(client.messages).isEmpty();
        assertThat(client.failures).isEmpty();
    }

    /** It takes the events, too, by which the sides agree: its peer sees none of this side's flow control. */
    @Test
    void handlerInFrontThatTakesEventsIsNamed() throws Exception {
        Inbox behind = new Inbox();
        try (ChannelPair pair = servedBy(server, new RdmaFlowControlHandler(), behind)) {
            assertThatThrownBy(pair::connect)
                    .hasStackTraceContaining("offers no flow control; add RdmaFlowControlHandler to its pipeline, or"
                            + " remove it here if the peer speaks a protocol that limits its messages itself, as"
                            + " RPC-over-RDMA does");
            assertThat(behind.nextFailure()).hasMessageContaining("a handler in front takes events");
        }
    }

    /** With such a handler on both sides neither misses the other's flow control. */
    private static final class TakingEvents extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            // takes it
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            // takes it
        }
    }

    @Test
    void writeBehindHandlersThatTakeEventsFails() throws Exception {
        try (ChannelPair pair = new ChannelPair(
                () -> Handlers.adding(new TakingEvents(), new RdmaFlowControlHandler(), server),
                () -> Handlers.adding(new TakingEvents(), new RdmaFlowControlHandler(), client))) {
            ChannelFuture write = pair.connect().writeAndFlush(ChannelPair.text("0123456789"));
            assertThatThrownBy(() -> ChannelPair.await(write, "write"))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("a handler in front takes events");
            client.awaitInactive();
        }
        assertThat(server.messages).isEmpty();
    }

    /** As encoders do, whose messages the peer would take for those of flow control. */
    @Test
    void handlerInFrontThatChangesWhatIsWrittenIsNamed() throws Exception {
        ChannelHandler encoding = new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
                ByteBuf content = (ByteBuf) message;
                context.write(
                        context.alloc()
                                .buffer()
                                .writeInt(content.readableBytes())
                                .writeBytes(content),
                        promise);
                content.release();
            }
        };
        try (ChannelPair pair = new ChannelPair(
                () -> Handlers.adding(new RdmaFlowControlHandler(), server),
                () -> Handlers.adding(encoding, new RdmaFlowControlHandler(), client))) {
            ChannelFuture write = pair.connect().writeAndFlush(ChannelPair.text("0123456789"));
            assertThatThrownBy(() -> ChannelPair.await(write, "write"))
                    .cause()
                    .hasMessageContaining(
                            "wrote or changed a message: " + encoding.getClass().getName());
            assertThat(client.nextFailure()).isSameAs(write.cause());
            server.awaitInactive();
        }
        assertThat(server.messages).isEmpty();
    }

    /** Tells when it has left the pipeline: its executor must not end before. */
    private static final class Leaving extends ChannelInboundHandlerAdapter {
        private final CountDownLatch removed;

        Leaving(CountDownLatch removed) {
            this.removed = removed;
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext context) {
            removed.countDown();
        }
    }

    /** A handler in front would pass the events on too late, by which the sides agree. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @SuppressWarnings("deprecation") // programs do so
    void anotherExecutorIsRefused(boolean ofFlowControl) throws Exception {
        EventExecutorGroup others = new DefaultEventExecutorGroup(1);
        CountDownLatch removed = new CountDownLatch(1);
        ChannelHandler leaving = new Leaving(removed);
        ChannelHandler initializer = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                if (ofFlowControl) {
                    channel.pipeline()
                            .addLast(others, new RdmaFlowControlHandler(), leaving)
                            .addLast(client);
                } else {
                    channel.pipeline().addLast(others, leaving).addLast(new RdmaFlowControlHandler(), client);
                }
            }
        };
        try (ChannelPair pair =
                new ChannelPair(() -> Handlers.adding(new RdmaFlowControlHandler(), server), () -> initializer)) {
            ExecutionException failed = catchThrowableOfType(ExecutionException.class, pair::connect);
            assertThat(ofFlowControl ? client.nextFailure() : failed.getCause())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(
                            ofFlowControl
                                    ? "flow control must run on the event loop of its channel"
                                    : Leaving.class.getName()
                                            + " in front of RdmaFlowControlHandler runs on another executor");
            assertThat(removed.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            ChannelPair.await(others.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the executor");
        }
    }

    /** Without flow control, the handler in front has messages of its own again. */
    @Test
    void handlersInFrontOfOneThatHasLeftMayTakeMessages() throws Exception {
        RdmaFlowControlConfig allowing =
                RdmaFlowControlConfig.builder().allowsPeersWithout(true).build();
        Inbox front = new Inbox();
        ChannelHandler taking = Handlers.onRead(front::channelRead);
        try (ChannelPair pair = new ChannelPair(
                () -> Handlers.adding(taking, new RdmaFlowControlHandler(allowing), server), () -> client)) {
            pair.connect().writeAndFlush(ChannelPair.text("0123456789"));
            assertThat(front.nextText()).isEqualTo("0123456789");
        }
        assertThat(server.failures).isEmpty();
    }

    /** As most handlers do. */
    @Test
    void connectFailsWithTheReasonThoughItsHandlerCloses() throws Exception {
        ChannelHandler closing = new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                context.close();
            }
        };
        try (ChannelPair pair =
                new ChannelPair(() -> server, () -> Handlers.adding(new RdmaFlowControlHandler(), closing))) {
            assertThatThrownBy(pair::connect).cause().isInstanceOf(RdmaFlowControlException.class);
        }
    }

    @Test
    void connectOfAByteStreamFailsWithTheReason() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            ChannelFuture connect = new Bootstrap()
                    .group(group)
                    .channel(NioSocketChannel.class)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .handler(Handlers.adding(new RdmaFlowControlHandler(), client))
                    .connect(new InetSocketAddress(TestProvider.address(), 1));
            assertThatThrownBy(() -> ChannelPair.await(connect, "connect"))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("flow control is for " + RdmaChannel.class.getName());
            assertThat(connect.channel().isOpen()).isFalse();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    @Test
    void privateDataThatLeavesFlowControlNoRoomIsNamed() throws Exception {
        try (ChannelPair pair =
                new ChannelPair(() -> server, () -> Handlers.adding(new RdmaFlowControlHandler(), client))) {
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_PRIVATE_DATA, new byte[250]);
            assertThatThrownBy(pair::connect)
                    .cause()
                    .hasMessage("RDMA_PRIVATE_DATA length: 250 (expected: 0 to 235 with flow control, which needs 16 of"
                            + " the 251 bytes)");
            assertThat(client.nextFailure()).hasMessageContaining("with flow control");
        }
    }

    @Test
    void addressThatIsTakenIsNamed() throws Exception {
        try (ChannelPair pair = new ChannelPair(() -> server, () -> client).listen()) {
            InetSocketAddress taken = pair.address();
            assertThatThrownBy(() -> ChannelPair.await(pair.serverBootstrap.bind(taken), "bind"))
                    .cause()
                    .isInstanceOf(BindException.class)
                    .hasMessage("Address already in use: " + taken);
        }
    }

    @Test
    void optionsThatAreTooLateSayWhereToSetThem() throws Exception {
        try (ChannelPair pair = new ChannelPair(() -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            assertThatThrownBy(() -> channel.config().setReceiveSize(8192))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("RDMA_RECEIVE_SIZE cannot change once the queue pair exists; set it as an option of"
                            + " the bootstrap, or in the channel's initializer");
        }
    }
}
