// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.deadline.Deadline;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** An allocator that a program may bring, whose handlers then read its own class of buffers and no other. */
final class StrangersAllocator extends AbstractByteBufAllocator {

    private static final class Strangers extends UnpooledHeapByteBuf {

        Strangers(ByteBufAllocator allocator, int initialCapacity, int maxCapacity) {
            super(allocator, initialCapacity, maxCapacity);
        }
    }

    private final Map<Class<?>, Integer> read = new ConcurrentHashMap<>();
    private final CompletableFuture<Void> all = new CompletableFuture<>();

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return new Strangers(this, initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        return new Strangers(this, initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }

    /** Returns a handler that reads bytes, until it has as many as are awaited, and counts them by their class. */
    ChannelInboundHandlerAdapter reader(int awaitedBytes) {
        return new ChannelInboundHandlerAdapter() {
            private int bytes;

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ByteBuf buffer = (ByteBuf) message;
                read.merge(buffer.getClass(), buffer.readableBytes(), Integer::sum);
                bytes += buffer.readableBytes();
                buffer.release();
                if (bytes == awaitedBytes) {
                    all.complete(null);
                }
            }
        };
    }

    /** Asserts that the handler has read all bytes in buffers of this allocator. */
    void assertMadeAll(int bytes) throws Exception {
        all.get(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(read).isEqualTo(Map.of(Strangers.class, bytes));
    }
}
