// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

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

    @Test
    void writeInTheListenerOfAWriteIsSentOnce() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
                for (int i = 0; i < 20; i++) {
                    int number = i;
                    channel.write(ChannelPair.text("m" + i))
                            .addListener(f -> channel.writeAndFlush(ChannelPair.text("n" + number)));
                }
                channel.flush();
            });
            List<String> received = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                received.add(server.nextText());
            }
            assertThat(received).doesNotHaveDuplicates().startsWith("m0", "m1").contains("n19");
        }
    }

    @Test
    void closeInTheListenerOfAWriteLetsTheOthersComplete() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            List<Boolean> outcomes = new CopyOnWriteArrayList<>();
            ChannelPair.onLoop(channel, () -> {
                channel.write(ChannelPair.text("a")).addListener(ChannelFutureListener.CLOSE);
                for (int i = 0; i < 5; i++) {
                    channel.write(ChannelPair.text("b" + i)).addListener(f -> outcomes.add(f.isSuccess()));
                }
                channel.flush();
            });
            ChannelPair.await(channel.closeFuture(), "close");
            assertThat(outcomes).hasSize(5);
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

    @Test
    void closeFromEveryInboundEventEndsBothSides() throws Exception {
        for (String event : List.of("read", "readComplete", "active", "exception")) {
            Inbox inbox = new Inbox();
            ChannelHandler closing = new ChannelInboundHandlerAdapter() {
                @Override
                public void channelActive(ChannelHandlerContext context) {
                    on("active", context);
                    context.fireChannelActive();
                }

                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                    ((ByteBuf) message).release();
                    on("read", context);
                    if (event.equals("exception")) {
                        throw new IllegalStateException("wanted");
                    }
                }

                @Override
                public void channelReadComplete(ChannelHandlerContext context) {
                    on("readComplete", context);
                }

                @Override
                public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                    on("exception", context);
                }

                private void on(String now, ChannelHandlerContext context) {
                    if (now.equals(event)) {
                        context.writeAndFlush(ChannelPair.text("bye"));
                        context.close();
                        context.writeAndFlush(ChannelPair.text("too late"));
                        context.read();
                    }
                }
            };
            try (ChannelPair pair = new ChannelPair(provider, () -> closing, () -> inbox)) {
                RdmaChannel channel = pair.connect();
                for (int i = 0; i < 3; i++) {
                    channel.writeAndFlush(ChannelPair.text("m" + i));
                }
                inbox.awaitInactive();
                ChannelPair.await(pair.accepted().closeFuture(), "close after " + event);
                assertThat(inbox.nextText()).isEqualTo("bye");
                assertThat(inbox.messages).isEmpty();
            }
        }
    }

    @Test
    void listenerOfTheConnectThatClosesSeesActiveBeforeInactive() throws Exception {
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
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> ordering)) {
            pair.listen();
            pair.clientBootstrap.connect(pair.address()).addListener(ChannelFutureListener.CLOSE);
            client.awaitInactive();
            assertThat(order).containsExactly("active", "inactive", "unregistered");
        }
    }

    @Test
    void cancelledCloseStillCloses() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
                channel.writeAndFlush(ChannelPair.text("last words"));
                channel.close().cancel(false);
            });
            ChannelPair.await(channel.closeFuture(), "close");
            assertThat(server.nextText()).isEqualTo("last words");
        }
    }

    /** netty #14506, #14510, #14913, #14921: requests were counted wrong, and closing twice hung. */
    @Test
    void closingTwiceCompletesBothPromises() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            channel.writeAndFlush(ChannelPair.text("last words"));
            ChannelFuture first = channel.close();
            ChannelFuture second = channel.close();
            ChannelPair.await(first, "first close");
            ChannelPair.await(second, "second close");
            ChannelPair.await(channel.close(), "third close");
        }
    }

    @Test
    void writesWithoutAPromiseFailThroughThePipelineOnClose() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
                channel.write(ChannelPair.text("never flushed"), channel.voidPromise());
                channel.close();
            });
            ChannelPair.await(channel.closeFuture(), "close");
            assertThat(client.nextFailure()).isInstanceOf(ClosedChannelException.class);
        }
    }
}
