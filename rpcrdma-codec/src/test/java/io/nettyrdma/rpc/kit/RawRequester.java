// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RdmaSend;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.channel.RdmaWrite;
import io.nettyrdma.channel.RemoteSegment;
import io.nettyrdma.channel.TestProvider;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.internal.CapturedLog;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.Decoded;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import io.nettyrdma.verbs.soft.ClockedProvider;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A responder on an RDMA channel, and a requester without any protocol of its own: it writes Sends as it is told and
 * exposes memory. The provider's time stands still. {@link #close} makes sure that nothing of either is left.
 */
public final class RawRequester implements AutoCloseable {

    /** Those that are open at a time, because only the last can look whether anything is left. */
    private static final AtomicInteger OPEN = new AtomicInteger();

    public final BlockingQueue<byte[]> calls = new LinkedBlockingQueue<>();
    /** What the responder's handler posted, one word each: read, write, send, or invalidate and the handle. */
    public final List<String> posted = Collections.synchronizedList(new ArrayList<>());

    /** What the responder's connection holds. */
    public final HighWater peak = new HighWater();

    /** What the responder logs. */
    public final CapturedLog log = new CapturedLog();

    public final List<Throwable> failures = new CopyOnWriteArrayList<>();
    public final RpcRdmaResponderHandler responder;
    public volatile Function<ByteBuf, Object> service =
            call -> RpcHeaders.accepted(call.alloc(), RpcHeaders.xid(call), RpcHeaders.SUCCESS);
    public volatile RdmaChannel serverSide;
    public volatile Future<?> lastReply;
    public final RdmaChannel channel;

    private final ClockedProvider clock;
    private final EventLoopGroup serverLoop;
    private final EventLoopGroup clientLoop;
    private final BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
    private final List<RdmaMemory> memories = new ArrayList<>();

    public RawRequester(RpcRdmaConfig.Builder config) throws Exception {
        this(config, new CmPrivateData(false, 4096, 4096));
    }

    public RawRequester(RpcRdmaConfig.Builder config, CmPrivateData own) throws Exception {
        this(config, own, new ClockedProvider(LoopsOver.config(SoftProviderConfig.builder())), null);
    }

    /** One whose responder shares the event loop of another's. */
    public static RawRequester beside(RawRequester other, RpcRdmaConfig.Builder config) throws Exception {
        return new RawRequester(config, new CmPrivateData(false, 4096, 4096), other.clock, other.serverLoop);
    }

    private RawRequester(
            RpcRdmaConfig.Builder config, CmPrivateData own, ClockedProvider clock, @Nullable EventLoopGroup shared)
            throws Exception {
        this.clock = clock;
        serverLoop = shared != null ? shared : newLoop();
        clientLoop = newLoop();
        OPEN.incrementAndGet();
        responder =
                new RpcRdmaResponderHandler(TestLimits.log(config, log.log()).build());
        var listener = new ServerBootstrap()
                .group(serverLoop)
                .channel(RdmaServerChannel.class)
                .childOption(ChannelOption.ALLOCATOR, peak.alloc)
                .childHandler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel child) {
                        serverSide = child;
                        child.pipeline().addLast(peak, new Recorder(), responder, new Service());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        channel = (RdmaChannel) new Bootstrap()
                .group(clientLoop)
                .channel(RdmaChannel.class)
                .option(RdmaChannelOption.RDMA_PRIVATE_DATA, own.encode())
                .option(RdmaChannelOption.RDMA_RECEIVE_SIZE, own.receiveBytes())
                .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
                        received.add(ByteBufUtil.getBytes(message));
                    }

                    @Override
                    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                        failures.add(cause);
                    }
                })
                .connect(listener.localAddress())
                .sync()
                .channel();
    }

    private EventLoopGroup newLoop() {
        return new MultiThreadIoEventLoopGroup(1, LoopsOver.newFactory(clock.provider()));
    }

    /**
     * Lets the provider's time pass until a side of the connection has ended. Otherwise it stands still, so that nobody
     * is given up because a machine is slow.
     */
    public void passTimeUntilClosed(Channel side) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Deadline.SECONDS);
        while (!side.closeFuture().isDone()) {
            assertThat(System.nanoTime() - end)
                    .as("the connection ends: %s", side)
                    .isNegative();
            clock.pass(TimeUnit.SECONDS.toNanos(1));
            RdmaLoopback.await(serverLoop.schedule(() -> {}, 1, TimeUnit.MILLISECONDS), "turn of a loop");
        }
    }

    /** Asserts why the connection ended, unless the device is one that does not tell it. */
    public void assertFailed(Class<? extends Throwable> type, String part) {
        if (TestProvider.tested().tellsReasons()) {
            assertThat(failures)
                    .anySatisfy(it -> assertThat(it).isInstanceOf(type).hasMessageContaining(part));
        }
    }

    /** Memory with content that the responder may read. */
    public RdmaMemory readable(byte[] content) throws Exception {
        return memory(content.length, RdmaAccess.REMOTE_READ, content);
    }

    /** Memory, filled with 0xee, that the responder may write. */
    public RdmaMemory writable(int bytes) throws Exception {
        byte[] content = new byte[bytes];
        Arrays.fill(content, (byte) 0xee);
        return memory(bytes, RdmaAccess.REMOTE_WRITE, content);
    }

    private RdmaMemory memory(int bytes, RdmaAccess access, byte[] content) throws Exception {
        return onLoop(() -> {
            RdmaMemory memory = channel.allocateMemory(bytes, access);
            memory.content().setBytes(0, content);
            memories.add(memory);
            return memory;
        });
    }

    private <T> T onLoop(Callable<T> task) throws Exception {
        return channel.eventLoop().submit(task).get(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    public static PlainSegment segment(RdmaMemory memory) {
        return segment(memory, 0, memory.segment().lengthBytes());
    }

    public static PlainSegment segment(RdmaMemory memory, int offset, int bytes) {
        RemoteSegment whole = memory.segment();
        return new PlainSegment(whole.key(), bytes, whole.address() + offset);
    }

    public byte[] content(RdmaMemory memory) throws Exception {
        return onLoop(() -> {
            byte[] octets = new byte[memory.content().capacity()];
            memory.content().getBytes(0, octets);
            return octets;
        });
    }

    public void send(RpcRdmaMessage header, byte[] payload) {
        ByteBuf message = Unpooled.buffer();
        RpcRdmaEncoder.encode(header, message);
        channel.writeAndFlush(message.writeBytes(payload));
    }

    public void send(byte[] octets) {
        channel.writeAndFlush(Unpooled.wrappedBuffer(octets));
    }

    /**
     * Lets this side do nothing any more after {@code last}, neither read nor answer RDMA Reads, until the latch is
     * counted down.
     */
    public CountDownLatch stallAfter(Runnable last) {
        CountDownLatch resume = new CountDownLatch(1);
        channel.eventLoop().execute(() -> {
            last.run();
            try {
                assertThat(resume.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return resume;
    }

    /** The next Send of the responder. */
    public byte[] received() throws InterruptedException {
        byte[] message = received.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(message)
                .as("a Send of the responder, failures: %s", failures)
                .isNotNull();
        return message;
    }

    /** A Send taken apart. */
    public record Reply(RpcRdmaMessage header, byte[] payload) {}

    public Reply reply() throws InterruptedException {
        ByteBuf message = Unpooled.wrappedBuffer(received());
        Decoded decoded = new RpcRdmaDecoder(DecodeLimits.NONE).decode(message, Direction.REPLY);
        assertThat(decoded).isInstanceOf(RpcRdmaMessage.class);
        RpcRdmaMessage header = (RpcRdmaMessage) decoded;
        message.skipBytes(RpcRdmaEncoder.encodedBytes(header));
        return new Reply(header, ByteBufUtil.getBytes(message));
    }

    /** Whether nothing but this message came. */
    public boolean hasReceivedNothing() {
        return received.isEmpty();
    }

    /** The next call that was handed up. */
    public byte[] call() throws InterruptedException {
        byte[] call = calls.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(call).as("a call, failures: %s", failures).isNotNull();
        return call;
    }

    /** Waits for what the responder has to do on its loop. */
    public void settle() throws Exception {
        serverSide.eventLoop().submit(() -> {}).get(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    public void awaitClosed() throws Exception {
        assertThat(serverSide.closeFuture().await(Deadline.SECONDS, TimeUnit.SECONDS))
                .as("the responder closes")
                .isTrue();
    }

    @Override
    public void close() throws IOException {
        memories.forEach(RdmaMemory::release);
        var client = clientLoop.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        assertThat(client.awaitUninterruptibly(Deadline.SECONDS, TimeUnit.SECONDS))
                .isTrue();
        var server = serverLoop.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        assertThat(server.awaitUninterruptibly(Deadline.SECONDS, TimeUnit.SECONDS))
                .isTrue();
        boolean last = OPEN.decrementAndGet() == 0;
        if (last) {
            assertThat(clock.provider().openResources()).isEqualTo(SoftProvider.OpenResources.NONE);
        }
        assertThat(peak.alloc.metric().usedDirectMemory() + peak.alloc.metric().usedHeapMemory())
                .as("octets not released")
                .isZero();
    }

    private final class Recorder extends ChannelDuplexHandler {
        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            if (message instanceof RdmaRead) {
                posted.add("read");
            } else if (message instanceof RdmaWrite) {
                posted.add("write");
            } else if (message instanceof RdmaSend send) {
                posted.add("invalidate " + send.invalidateKey());
            } else {
                posted.add("send");
            }
            ctx.write(message, promise);
        }
    }

    private final class Service extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf call = (ByteBuf) message;
            assertThat(call.readerIndex()).isZero();
            assertThat(call.refCnt()).isOne();
            calls.add(ByteBufUtil.getBytes(call));
            Object reply = service.apply(call);
            call.release();
            if (reply != null) {
                lastReply = ctx.writeAndFlush(reply);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            failures.add(cause);
        }
    }
}
