/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * This requester and this responder, with many connections that break and one that does not. Counts how often each call
 * ends, what is exposed and what is allocated; {@link #close} checks that nothing of it is left.
 */
final class FaultedCalls implements AutoCloseable {

    static final int FIRST = 1;
    static final int UNDER_TEST = 2;
    static final int LAST = 3;

    private static final int CHUNK_BYTES = 1201;

    /** The ways a call and its reply can travel. */
    enum Kind {
        INLINE(List.of(), List.of(), 8, 1),
        READ_CHUNK(List.of(CHUNK_BYTES), List.of(), 0, 1),
        POSITION_ZERO(List.of(CHUNK_BYTES), List.of(), 0, 0),
        WRITE_CHUNK(List.of(), List.of(CHUNK_BYTES), 0, 1),
        REPLY_CHUNK(List.of(), List.of(), CHUNK_BYTES + 3, 1),
        READ_AND_REPLY_CHUNK(List.of(CHUNK_BYTES), List.of(), CHUNK_BYTES + 3, 1);

        private final List<Integer> arguments;
        private final List<Integer> results;
        private final int trailer;
        private final RpcRdmaConfig config;

        Kind(List<Integer> arguments, List<Integer> results, int trailer, int readChunks) {
            this.arguments = arguments;
            this.results = results;
            this.trailer = trailer;
            config = config().readChunksPerCall(readChunks).build();
        }

        ByteBuf call(int xid) {
            return TestProgram.call(xid, arguments, results, trailer);
        }
    }

    static RpcRdmaConfig.Builder config() {
        return RpcRdmaConfig.builder()
                .bindings(TestProgram.BINDINGS)
                .inlineSendBytes(1024)
                .inlineReceiveBytes(1024)
                .creditsGranted(4)
                .creditsRequested(4)
                .receiveReserve(4)
                .callTimeout(Duration.ofMillis(300));
    }

    private final EventLoopGroup requesters = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final EventLoopGroup responders = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
    private final Queue<Channel> accepted = new ConcurrentLinkedQueue<>();
    private final List<CountingMemory> memories = new ArrayList<>();
    private final List<ChannelFuture> replies = new ArrayList<>();
    private final Channel listener;
    private final Channel bystander;
    private int bystanderXid;
    /** What stands between the handler and the channel on the responder's side of the next connection. */
    volatile Supplier<ChannelHandler> meddler = ChannelOutboundHandlerAdapter::new;

    FaultedCalls() throws Exception {
        listener = RdmaLoopback.await(
                        new ServerBootstrap()
                                .group(responders)
                                .channel(RdmaServerChannel.class)
                                .childOption(ChannelOption.ALLOCATOR, alloc)
                                .childHandler(new ChannelInitializer<>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        accepted.add(channel);
                                        channel.pipeline()
                                                .addLast(
                                                        meddler.get(),
                                                        new RpcRdmaResponderHandler(config().build()),
                                                        new Service());
                                    }
                                })
                                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                        "bind")
                .channel();
        bystander = connect(Kind.READ_AND_REPLY_CHUNK, address(), new ChannelOutboundHandlerAdapter(), true);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    private Channel connect(Kind kind, SocketAddress address, ChannelHandler between, boolean trusting)
            throws Exception {
        ChannelFuture connected = new Bootstrap()
                .group(requesters)
                .channel(RdmaChannel.class)
                .option(ChannelOption.ALLOCATOR, alloc)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        between,
                                        new RpcRdmaRequesterHandler(kind.config, FaultedCalls.this::memory),
                                        new Endings(kind, trusting));
                    }
                })
                .connect(address);
        if (!connected.await(RdmaLoopback.WAIT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("connect did not end");
        }
        if (!connected.isSuccess()) {
            assertThat(connected.cause()).isInstanceOf(IOException.class);
        }
        return connected.channel();
    }

    private CallMemory memory(ChannelHandlerContext ctx) {
        CountingMemory memory = new CountingMemory(Objects.requireNonNull(CallMemory.of(ctx)));
        synchronized (memories) {
            memories.add(memory);
        }
        return memory;
    }

    /** Three calls on a connection of their own: inline, of that kind, inline. */
    Endings begin(Kind kind, SocketAddress address) throws Exception {
        return begin(kind, address, new ChannelOutboundHandlerAdapter(), true);
    }

    /** The same with a handler below that of the requester. */
    Endings begin(Kind kind, SocketAddress address, ChannelHandler between, boolean trusting) throws Exception {
        Channel channel = connect(kind, address, between, trusting);
        Endings endings = channel.pipeline().get(Endings.class);
        if (endings == null) {
            endings = new Endings(kind, trusting); // broken before it began
            endings.refused = true;
            return endings;
        }
        endings.begin(channel);
        return endings;
    }

    /** Waits for the ends of the calls, closes what is still open, and looks whether anybody else has suffered. */
    void end(List<Endings> runs) throws Exception {
        for (Endings run : runs) {
            run.await();
        }
        List<Future<?>> closed = new ArrayList<>();
        for (Endings run : runs) {
            if (run.channel != null) {
                closed.add(run.channel.close());
            }
        }
        for (Channel channel = accepted.poll(); channel != null; channel = accepted.poll()) {
            if (!channel.remoteAddress().equals(bystander.localAddress())) {
                closed.add(channel.close());
            }
        }
        for (Future<?> close : closed) {
            RdmaLoopback.await(close, "close");
        }
        for (Endings run : runs) {
            assertThat(run.counts.values()).as("%s", run.counts).allMatch(count -> count.get() == 1);
        }
        checkBystander();
    }

    private void checkBystander() throws Exception {
        for (Kind kind : Kind.values()) {
            ByteBuf call = kind.call(++bystanderXid);
            ByteBuf expected = TestProgram.reply(call);
            ByteBuf reply = RdmaLoopback.await(
                            RpcRdmaRequester.of(bystander).call(call, Duration.ofSeconds(20)), "bystander's call")
                    .getNow();
            assertThat(reply).isEqualTo(expected);
            reply.release();
            expected.release();
        }
    }

    @Override
    public void close() {
        for (Future<?> end : List.of(
                requesters.shutdownGracefully(0, 10, TimeUnit.SECONDS),
                responders.shutdownGracefully(0, 10, TimeUnit.SECONDS))) {
            assertThat(end.awaitUninterruptibly(RdmaLoopback.WAIT_SECONDS, TimeUnit.SECONDS))
                    .as("a loop ends")
                    .isTrue();
        }
        assertThat(memories).allSatisfy(memory -> {
            assertThat(memory.exposed).hasValue(0);
            assertThat(memory.held).hasValue(0);
        });
        synchronized (replies) {
            assertThat(replies).allMatch(Future::isDone);
        }
        assertThat(alloc.metric().usedDirectMemory() + alloc.metric().usedHeapMemory())
                .as("octets not released")
                .isZero();
    }

    /** How the calls of a connection end. */
    final class Endings extends ChannelInboundHandlerAdapter {
        final Map<Integer, AtomicInteger> counts = new HashMap<>();
        final Map<Integer, Boolean> answered = new HashMap<>();
        /** Whether a reply that comes has to be the right one. */
        private final boolean trusting;

        /** Said if this run fails. */
        String what = "";

        boolean refused;
        private final Kind kind;
        private final CountDownLatch open = new CountDownLatch(3);
        private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();
        private Channel channel;

        private Endings(Kind kind, boolean trusting) {
            this.kind = kind;
            this.trusting = trusting;
            for (int xid : new int[] {FIRST, UNDER_TEST, LAST}) {
                counts.put(xid, new AtomicInteger());
            }
        }

        private Kind kind(int xid) {
            return xid == UNDER_TEST ? kind : Kind.INLINE;
        }

        private void begin(Channel connected) {
            channel = connected;
            for (int xid : new int[] {FIRST, UNDER_TEST, LAST}) {
                int id = xid;
                channel.writeAndFlush(kind(xid).call(xid)).addListener(written -> {
                    if (written.cause() instanceof IOException) {
                        refused(id);
                    }
                });
            }
        }

        /** A call that was not accepted ends with its promise; one whose Send failed, with an event that follows it. */
        private void refused(int xid) {
            channel.eventLoop().execute(() -> {
                if (!answered.containsKey(xid)) {
                    ended(xid, false);
                }
            });
        }

        private void ended(int xid, boolean success) {
            answered.put(xid, success);
            counts.get(xid).incrementAndGet();
            open.countDown();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf reply = (ByteBuf) message;
            try {
                int xid = reply.getInt(0);
                if (trusting) {
                    ByteBuf call = kind(xid).call(xid);
                    ByteBuf expected = TestProgram.reply(call);
                    call.release();
                    assertThat(reply).isEqualTo(expected);
                    expected.release();
                }
                ended(xid, true);
            } catch (AssertionError e) {
                surprises.add(e);
            } finally {
                reply.release();
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof RpcCallFailedEvent failed) {
                if (!(failed.cause() instanceof IOException)) {
                    surprises.add(failed.cause());
                }
                ended(failed.xid(), false);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (!(cause instanceof IOException)) {
                surprises.add(cause);
            }
        }

        private void await() throws Exception {
            if (refused) {
                counts.clear();
                return;
            }
            assertThat(open.await(RdmaLoopback.WAIT_SECONDS, TimeUnit.SECONDS))
                    .as("all calls end: %s %s", what, counts)
                    .isTrue();
            assertThat(surprises).isEmpty();
        }
    }

    private final class Service extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
            final ByteBuf reply;
            try {
                reply = TestProgram.reply(call);
            } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
                ctx.writeAndFlush(new RpcCallRefusal(OncRpc.xid(call))); // octets were changed on their way
                return;
            }
            ByteBuf counted = alloc.directBuffer(reply.readableBytes()).writeBytes(reply);
            reply.release();
            synchronized (replies) {
                replies.add(ctx.writeAndFlush(counted));
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (!(cause instanceof IOException)) {
                throw new AssertionError(cause);
            }
        }
    }
}
