// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.kit.CountingMemory;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.requester.CallMemory;
import io.nettyrdma.verbs.soft.ClockedProvider;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
        private final int readChunks;

        Kind(List<Integer> arguments, List<Integer> results, int trailer, int readChunks) {
            this.arguments = arguments;
            this.results = results;
            this.trailer = trailer;
            this.readChunks = readChunks;
        }

        ByteBuf call(int xid) {
            return TestProgram.call(xid, arguments, results, trailer);
        }
    }

    private RpcRdmaConfig.Builder config() {
        return TestLimits.receiveReserve(RpcRdmaConfig.builder(), 4)
                .bindings(TestProgram.BINDINGS)
                .inlineSendBytes(inlineBytes)
                .inlineReceiveBytes(inlineBytes)
                .creditsGranted(4)
                .creditsRequested(4)
                .callTimeout(callTimeout);
    }

    RpcRdmaConfig config(Kind kind) {
        return TestLimits.readChunksPerCall(config(), kind.readChunks).build();
    }

    /** {@code null} with the installed provider, whose time passes by itself. */
    private final @Nullable ClockedProvider clock;

    private Duration callTimeout;
    private final int inlineBytes;
    /** How long the channel lets the provider try. */
    int connectTimeoutMillis = Deadline.MILLIS;

    /** One loop, of all clients. */
    final EventLoopGroup requesters;

    private final EventLoopGroup responders;
    private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
    /** The responder's sides of the connections under test. */
    final Queue<Channel> accepted = new ConcurrentLinkedQueue<>();

    final CountingService.Log log = new CountingService.Log();
    /** What calls on each connection have of its memory: counters alone, so that the connection can be collected. */
    private final Queue<AtomicInteger> counters = new ConcurrentLinkedQueue<>();

    private final Channel listener;
    private final Channel bystander;
    private int bystanderXid;
    /** What stands between the handler and the channel on the responder's side of the next connection. */
    volatile Supplier<ChannelHandler> meddler = ChannelOutboundHandlerAdapter::new;

    /** Over the installed provider, with calls that soon give up. */
    FaultedCalls() throws Exception {
        this(null, LoopsOver.tested(), Duration.ofMillis(300), 1024);
    }

    /** Over a provider whose time passes by {@link #pass}; calls do not give up. */
    FaultedCalls(ClockedProvider clock) throws Exception {
        this(clock, 1024);
    }

    /** The same with other inline thresholds, both ways. */
    FaultedCalls(ClockedProvider clock, int inlineBytes) throws Exception {
        this(clock, LoopsOver.newFactory(clock.provider()), Deadline.DURATION, inlineBytes);
    }

    private FaultedCalls(
            @Nullable ClockedProvider clock, IoHandlerFactory factory, Duration callTimeout, int inlineBytes)
            throws Exception {
        this.clock = clock;
        this.callTimeout = callTimeout;
        this.inlineBytes = inlineBytes;
        requesters = new MultiThreadIoEventLoopGroup(1, factory);
        responders = new MultiThreadIoEventLoopGroup(1, factory);
        listener = RdmaLoopback.listen(responders, pipeline -> {
            accepted.add(pipeline.channel());
            pipeline.channel().config().setAllocator(alloc);
            pipeline.addLast(
                    meddler.get(), new RpcRdmaResponderHandler(config().build()), new CountingService(alloc, log));
        });
        bystander = RdmaLoopback.await(
                        connect(
                                new Endings(Kind.READ_AND_REPLY_CHUNK, true),
                                address(),
                                new ChannelOutboundHandlerAdapter()),
                        "bystander's connect")
                .channel();
        accepted.clear();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /** What a requester starts from. */
    Bootstrap bootstrap(SocketAddress address) {
        return new Bootstrap()
                .group(requesters)
                .channel(RdmaChannel.class)
                .option(ChannelOption.ALLOCATOR, alloc)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectTimeoutMillis)
                .remoteAddress(address);
    }

    private ChannelFuture connect(Endings endings, SocketAddress address, ChannelHandler between) {
        RpcRdmaRequesterHandler requester = TestLimits.requester(config(endings.kind), this::memory);
        return bootstrap(address)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(between, requester, endings);
                    }
                })
                .connect();
    }

    /** Memory that is looked at in the end. */
    CountingMemory memory(ChannelHandlerContext ctx) {
        CountingMemory memory = new CountingMemory(Objects.requireNonNull(CallMemory.of(ctx)));
        counters.add(memory.exposed);
        counters.add(memory.held);
        return memory;
    }

    /** Three calls on a connection of their own: inline, of that kind, inline. */
    Endings begin(Kind kind, SocketAddress address) throws Exception {
        return begin(kind, address, new ChannelOutboundHandlerAdapter(), true);
    }

    /** The same without a fault: they are answered, however long that takes. */
    void checkWhole(Kind kind, SocketAddress address) throws Exception {
        Duration soon = callTimeout;
        callTimeout = Deadline.DURATION;
        Endings whole = begin(kind, address);
        callTimeout = soon;
        end(List.of(whole));
        assertThat(whole.answered.values()).containsOnly(true);
    }

    /** As {@link #begin(Kind, SocketAddress)}, with a handler below that of the requester. */
    Endings begin(Kind kind, SocketAddress address, ChannelHandler between, boolean trusting) throws Exception {
        Endings endings = new Endings(kind, trusting);
        ChannelFuture connected = connect(endings, address, between);
        assertThat(connected.await(Deadline.SECONDS, TimeUnit.SECONDS))
                .as("connect ends")
                .isTrue();
        endings.begin(connected);
        return endings;
    }

    /** The same three, each when the one before has ended, so that what is sent is the same each time. */
    Endings beginInTurn(Kind kind, SocketAddress address) {
        Endings endings = new Endings(kind, true);
        endings.beginInTurn();
        endings.connecting(connect(endings, address, new ChannelOutboundHandlerAdapter()));
        return endings;
    }

    /** Lets time pass for the provider, and both loops notice. */
    void pass(Duration time) throws Exception {
        Objects.requireNonNull(clock).pass(time.toNanos());
        for (EventLoopGroup group : List.of(requesters, responders)) {
            for (int turn = 0; turn < 2; turn++) { // the second is after a look at the sockets for sure
                RdmaLoopback.await(group.schedule(() -> {}, 1, TimeUnit.MILLISECONDS), "turn of a loop");
            }
        }
    }

    /** Lets so much time pass again and again until something is the case. */
    void passUntil(Supplier<String> what, Duration time, BooleanSupplier condition) throws Exception {
        long end = System.nanoTime() + Deadline.DURATION.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as(what).isNegative();
            pass(time);
        }
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
            closed.add(channel.close());
        }
        for (Future<?> close : closed) {
            RdmaLoopback.await(close, "close");
        }
        runs.forEach(Endings::check);
        checkBystander();
    }

    void checkBystander() throws Exception {
        for (Kind kind : Kind.values()) {
            ByteBuf call = kind.call(++bystanderXid);
            TestProgram.check(RpcRdmaRequester.of(bystander), call);
        }
    }

    @Override
    public void close() {
        RdmaLoopback.end(requesters, responders);
        checkMemory();
        assertThat(log.replies).allMatch(Future::isDone);
        assertThat(usedBytes()).as("octets not released").isZero();
        if (clock != null) {
            NothingLeft.of(clock.provider());
        }
    }

    /** No call has memory. */
    void checkMemory() {
        assertThat(counters).as("exposed and held, by connection").allMatch(counter -> counter.get() == 0);
    }

    /** Octets allocated for calls and replies, on both sides. */
    long usedBytes() {
        return alloc.metric().usedDirectMemory() + alloc.metric().usedHeapMemory();
    }
}
