// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.requester.CallMemory;
import io.nettyrdma.rpc.wire.CmPrivateData;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A listener on loopback, requesters connected to it, each side on an event loop of its own. */
public final class RdmaLoopback implements AutoCloseable {

    public final EventLoopGroup group;
    public final Queue<Channel> accepted = new ConcurrentLinkedQueue<>();
    private final EventLoopGroup serverGroup;
    private final Channel listener;

    /** What the requesters of {@link #connect} use. */
    public CountingMemory memory;

    public RdmaLoopback(CmPrivateData responder, Supplier<ChannelHandler> handler) throws Exception {
        this(responder, handler, LoopsOver.tested());
    }

    /** Over another provider than the installed one. */
    public RdmaLoopback(CmPrivateData responder, Supplier<ChannelHandler> handler, IoHandlerFactory factory)
            throws Exception {
        group = new MultiThreadIoEventLoopGroup(1, factory);
        serverGroup = new MultiThreadIoEventLoopGroup(1, factory);
        listener = await(
                        new ServerBootstrap()
                                .group(serverGroup)
                                .channel(RdmaServerChannel.class)
                                .childOption(RdmaChannelOption.RDMA_PRIVATE_DATA, responder.encode())
                                .childOption(RdmaChannelOption.RDMA_RECEIVE_SIZE, responder.receiveBytes())
                                .childOption(RdmaChannelOption.RDMA_MAX_SEND_SIZE, responder.sendBytes())
                                .childHandler(new ChannelInitializer<>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        accepted.add(channel);
                                        channel.pipeline().addLast(handler.get());
                                    }
                                })
                                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                        "bind")
                .channel();
    }

    /** Whose connections have a responder and a program behind it. */
    public static RdmaLoopback serving(RpcRdmaConfig config, Supplier<ChannelHandler> program) throws Exception {
        return serving(config, program, LoopsOver.tested());
    }

    public static RdmaLoopback serving(RpcRdmaConfig config, Supplier<ChannelHandler> program, IoHandlerFactory factory)
            throws Exception {
        return new RdmaLoopback(
                CmPrivateData.DEFAULTS,
                () -> initializer(pipeline -> pipeline.addLast(new RpcRdmaResponderHandler(config), program.get())),
                factory);
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /** The responder's side of a connection, when it is there: the requester's may be there before. */
    public Channel accepted() {
        Poll.until("the accepted connection", () -> accepted.stream().anyMatch(Channel::isActive));
        return accepted.remove();
    }

    public Channel connect(RpcRdmaConfig config) throws Exception {
        return connect(config, address());
    }

    public Channel connect(RpcRdmaConfig config, SocketAddress address) throws Exception {
        RpcRdmaRequesterHandler handler = TestLimits.requester(config, ctx -> {
            memory = new CountingMemory(Objects.requireNonNull(CallMemory.of(ctx)));
            return memory;
        });
        return await(
                        new Bootstrap()
                                .group(group)
                                .channel(RdmaChannel.class)
                                .handler(handler)
                                .connect(address),
                        "connect")
                .channel();
    }

    /** Listens on loopback; {@code handlers} adds those of each connection. */
    public static Channel listen(EventLoopGroup group, Consumer<ChannelPipeline> handlers) throws Exception {
        return await(
                        new ServerBootstrap()
                                .group(group)
                                .channel(RdmaServerChannel.class)
                                .childHandler(initializer(handlers))
                                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                        "bind")
                .channel();
    }

    /** Connects; {@code handlers} adds those of the connection. */
    public static Channel connect(EventLoopGroup group, SocketAddress address, Consumer<ChannelPipeline> handlers)
            throws Exception {
        return await(
                        new Bootstrap()
                                .group(group)
                                .channel(RdmaChannel.class)
                                .handler(initializer(handlers))
                                .connect(address),
                        "connect")
                .channel();
    }

    /** A client that connects to an address, with a configuration that the test may set. */
    public static RpcRdmaClient.Builder client(EventLoopGroup group, SocketAddress address) {
        return RpcRdmaClient.builder(
                new Bootstrap().group(group).channel(RdmaChannel.class).remoteAddress(address));
    }

    private static ChannelHandler initializer(Consumer<ChannelPipeline> handlers) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                handlers.accept(channel.pipeline());
            }
        };
    }

    public static <F extends Future<?>> F await(F future, String what) throws Exception {
        if (!future.await(Deadline.SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError(what + " did not end within " + Deadline.SECONDS + " s");
        }
        if (!future.isSuccess()) {
            throw new AssertionError(what, future.cause());
        }
        return future;
    }

    /** Awaits a reply whose content does not matter. */
    public static void answered(Future<ByteBuf> reply, String what) throws Exception {
        await(reply, what).getNow().release();
    }

    /** Why a future fails. */
    public static Throwable failure(Future<?> future) throws Exception {
        if (!future.await(Deadline.SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("no failure within " + Deadline.SECONDS + " s");
        }
        return Objects.requireNonNull(future.cause(), "did not fail");
    }

    /** Ends event loops. */
    public static void end(EventLoopGroup... groups) {
        List<Future<?>> ends = new ArrayList<>();
        for (EventLoopGroup group : groups) {
            ends.add(group.shutdownGracefully(0, 5, TimeUnit.SECONDS));
        }
        if (!ends.stream().allMatch(it -> it.awaitUninterruptibly(Deadline.SECONDS, TimeUnit.SECONDS))) {
            throw new AssertionError("event loops did not end within " + Deadline.SECONDS + " s");
        }
    }

    @Override
    public void close() {
        end(serverGroup, group);
    }
}
