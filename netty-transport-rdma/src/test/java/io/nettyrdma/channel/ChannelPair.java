// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.Future;
import io.nettyrdma.deadline.Deadline;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A {@link LoopbackPair} of channels that keep message boundaries, and what tests of all kinds wait with. */
final class ChannelPair extends LoopbackPair<RdmaChannel, ChannelPair> {

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
        this(provider.newFactory(config), serverLoops, serverHandler, clientHandler);
    }

    ChannelPair(
            IoHandlerFactory factory,
            int serverLoops,
            Supplier<ChannelHandler> serverHandler,
            Supplier<ChannelHandler> clientHandler) {
        super(RdmaServerChannel.class, RdmaChannel.class, factory, serverLoops, serverHandler, clientHandler);
    }

    @Override
    ChannelPair self() {
        return this;
    }

    /** What is to be done on an event loop. */
    interface LoopCall {
        void run() throws Exception;
    }

    static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    /**
     * Returns the readable bytes of a buffer, and releases it. Leak detection records each access of a buffer: byte by
     * byte, this takes minutes on an emulated machine.
     */
    static byte[] take(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes).release();
        return bytes;
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
        Deadline.until(condition, what);
    }

    static <F extends Future<?>> F await(F future, String what) throws Exception {
        if (!future.await(Deadline.SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError(what + " did not end within " + Deadline.SECONDS + " s");
        }
        if (!future.isSuccess()) {
            throw new ExecutionException(what, future.cause());
        }
        return future;
    }

    static void awaitAll(Iterable<? extends Future<?>> futures, String what) throws Exception {
        for (Future<?> future : futures) {
            await(future, what);
        }
    }

    /** Waits until an operation has ended, whether it went well or not. */
    static <F extends Future<?>> F done(F future) throws InterruptedException {
        if (!future.await(Deadline.SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError(future + " did not end within " + Deadline.SECONDS + " s");
        }
        return future;
    }
}
