// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.rpc.error.RpcRdmaException;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Keeps what is sent in a queue. Its time stands still until the test sets it. */
final class TestWire implements Wire {

    final Deque<ByteBuf> sent = new ArrayDeque<>();
    final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
    private final EmbeddedChannel promises = new EmbeddedChannel();
    long nanos;
    long wakeNanos = Version2Connection.NO_DEADLINE;

    @Nullable
    RpcRdmaException end;

    @Override
    public ByteBufAllocator alloc() {
        return alloc;
    }

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public void wakeBy(long nanos) {
        wakeNanos = Math.min(wakeNanos, nanos);
    }

    @Override
    public @Nullable SocketAddress remoteAddress() {
        return null;
    }

    @Override
    public ChannelPromise newPromise() {
        return promises.newPromise();
    }

    @Override
    public void write(ByteBuf message, int invalidateHandle, ChannelPromise promise) {
        sent.add(message);
        promise.setSuccess();
    }

    @Override
    public void flush() {}

    @Override
    public void end(RpcRdmaException why) {
        end = why;
    }

    @Override
    public void close() {}

    @Override
    public void onClosed() {}
}
