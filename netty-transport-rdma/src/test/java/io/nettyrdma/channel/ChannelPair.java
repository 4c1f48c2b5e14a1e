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
package io.nettyrdma.channel;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A listener, and clients connected to it over loopback, each side on an event loop of its own. */
final class ChannelPair implements AutoCloseable {

    static final long WAIT_SECONDS = 10;

    final EventLoopGroup serverGroup;
    final EventLoopGroup clientGroup;
    final ServerBootstrap serverBootstrap;
    final Bootstrap clientBootstrap;
    final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    Channel listener;

    ChannelPair(Supplier<ChannelHandler> serverHandler, Supplier<ChannelHandler> clientHandler) {
        this(TestProvider.tested(), serverHandler, clientHandler);
    }

    ChannelPair(TestProvider provider, Supplier<ChannelHandler> serverHandler, Supplier<ChannelHandler> clientHandler) {
        this(provider, RdmaIoHandlerConfig.defaults(), provider.serverLoops, serverHandler, clientHandler);
    }

    ChannelPair(
            RdmaIoHandlerConfig config,
            int serverLoops,
            Supplier<ChannelHandler> serverHandler,
            Supplier<ChannelHandler> clientHandler) {
        this(TestProvider.tested(), config, serverLoops, serverHandler, clientHandler);
    }

    ChannelPair(
            TestProvider provider,
            RdmaIoHandlerConfig config,
            int serverLoops,
            Supplier<ChannelHandler> serverHandler,
            Supplier<ChannelHandler> clientHandler) {
        IoHandlerFactory factory = provider.newFactory(config);
        serverGroup = new MultiThreadIoEventLoopGroup(serverLoops, factory);
        clientGroup = new MultiThreadIoEventLoopGroup(1, factory);
        serverBootstrap = new ServerBootstrap()
                .group(serverGroup)
                .channel(RdmaServerChannel.class)
                .childHandler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        channel.pipeline().addLast(serverHandler.get());
                        accepted.add(channel);
                    }
                });
        clientBootstrap = new Bootstrap()
                .group(clientGroup)
                .channel(RdmaChannel.class)
                .handler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        channel.pipeline().addLast(clientHandler.get());
                    }
                });
    }

    <T> ChannelPair option(ChannelOption<T> option, T value) {
        serverBootstrap.childOption(option, value);
        clientBootstrap.option(option, value);
        return this;
    }

    ChannelPair listen() throws Exception {
        var future = serverBootstrap.bind(new InetSocketAddress(TestProvider.address(), 0));
        await(future, "bind");
        listener = future.channel();
        return this;
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    RdmaChannel connect() throws Exception {
        if (listener == null) {
            listen();
        }
        var future = clientBootstrap.connect(address());
        await(future, "connect");
        return (RdmaChannel) future.channel();
    }

    RdmaChannel accepted() throws InterruptedException {
        Channel channel = accepted.poll(WAIT_SECONDS, TimeUnit.SECONDS);
        if (channel == null) {
            throw new AssertionError("no connection was requested within " + WAIT_SECONDS + " s");
        }
        return (RdmaChannel) channel;
    }

    /** What is to be done on an event loop. */
    interface LoopCall {
        void run() throws Exception;
    }

    static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    /** Calls {@code call} on the event loop of {@code channel}. */
    static <T> T onLoop(Channel channel, Callable<T> call) throws Exception {
        return await(channel.eventLoop().submit(call), "call on the event loop").getNow();
    }

    static void onLoop(Channel channel, LoopCall call) throws Exception {
        onLoop(channel, () -> {
            call.run();
            return true;
        });
    }

    /** Waits for what another thread does a little later. */
    static void until(BooleanSupplier condition, String what) {
        until(condition, () -> what);
    }

    static void until(BooleanSupplier condition, Supplier<String> what) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + WAIT_SECONDS + " s: " + what.get());
            }
            Thread.yield();
        }
    }

    static <F extends Future<?>> F await(F future, String what) throws Exception {
        if (!future.await(WAIT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError(what + " did not end within " + WAIT_SECONDS + " s");
        }
        if (!future.isSuccess()) {
            throw new ExecutionException(what, future.cause());
        }
        return future;
    }

    @Override
    public void close() {
        var server = serverGroup.shutdownGracefully(0, 5, TimeUnit.SECONDS);
        var client = clientGroup.shutdownGracefully(0, 5, TimeUnit.SECONDS);
        boolean ended = server.awaitUninterruptibly(WAIT_SECONDS, TimeUnit.SECONDS)
                && client.awaitUninterruptibly(WAIT_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            throw new AssertionError("event loops did not end within " + WAIT_SECONDS + " s");
        }
    }
}
