// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.ScheduledFuture;
import io.nettyrdma.channel.RdmaSend;
import io.nettyrdma.rpc.error.RpcRdmaException;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The wire of a handler: its channel, and one task of its executor for all deadlines.
 *
 * <p>Threading: confined to the executor of the handler.
 */
final class ChannelWire implements Wire {

    private final NegotiatedLink link;
    private @Nullable ScheduledFuture<?> task;
    private long taskNanos;

    ChannelWire(NegotiatedLink link) {
        this.link = link;
    }

    @Override
    public ByteBufAllocator alloc() {
        return link.context().alloc();
    }

    @Override
    public long nanoTime() {
        return link.context().executor().ticker().nanoTime();
    }

    /** A task that comes too early is left alone: it costs less than another one for each message. */
    @Override
    public void wakeBy(long nanos) {
        if (task != null && taskNanos <= nanos) {
            return;
        }
        onClosed();
        taskNanos = nanos;
        task = link.context().executor().schedule(this::wake, nanos - nanoTime(), TimeUnit.NANOSECONDS);
    }

    private void wake() {
        task = null;
        link.onTime(nanoTime());
    }

    @Override
    public void onClosed() {
        if (task != null) {
            task.cancel(false);
            task = null;
        }
    }

    @Override
    public @Nullable SocketAddress remoteAddress() {
        return link.context().channel().remoteAddress();
    }

    @Override
    public ChannelPromise newPromise() {
        return link.context().newPromise();
    }

    @Override
    public void write(ByteBuf message, int invalidateHandle, ChannelPromise promise) {
        link.context()
                .write(invalidateHandle == 0 ? message : RdmaSend.invalidating(message, invalidateHandle), promise);
    }

    @Override
    public void flush() {
        link.context().flush();
    }

    @Override
    public void end(RpcRdmaException why) {
        ChannelHandlerContext ctx = link.context();
        try {
            ((ChannelInboundHandler) ctx.handler()).exceptionCaught(ctx, why);
        } catch (Exception e) {
            ctx.fireExceptionCaught(e);
        }
        close();
    }

    @Override
    public void close() {
        link.onClosing();
        link.context().close();
    }
}
