// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.redis.ArrayRedisMessage;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.handler.codec.redis.SimpleStringRedisMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * A client of Redis behind Netty's codec. Replies come in the order of the calls.
 *
 * <p>Threading: {@link #call} and {@link #flush} on any thread. The calls of one thread are sent in their order.
 */
final class RedisClient extends SimpleChannelInboundHandler<RedisMessage> {

    private final Queue<CompletableFuture<byte[]>> pending = new ArrayDeque<>(); // the event loop's
    private volatile Channel channel; // set before the connect is over

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        channel = context.channel();
    }

    /** Writes a call. The future gets the bytes of the reply, a status or a value, after the next flush. */
    CompletableFuture<byte[]> call(byte[]... words) {
        List<RedisMessage> strings = new ArrayList<>();
        for (byte[] word : words) {
            strings.add(new FullBulkStringRedisMessage(Unpooled.wrappedBuffer(word)));
        }
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        channel.eventLoop().execute(() -> {
            pending.add(reply);
            channel.write(new ArrayRedisMessage(strings)).addListener(written -> {
                if (!written.isSuccess()) {
                    reply.completeExceptionally(written.cause());
                }
            });
        });
        return reply;
    }

    void flush() {
        channel.eventLoop().execute(channel::flush);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, RedisMessage message) throws IOException {
        CompletableFuture<byte[]> reply = pending.poll();
        if (reply == null) {
            throw new IOException("a reply without a call: " + message);
        }
        if (message instanceof FullBulkStringRedisMessage value && !value.isNull()) {
            reply.complete(ByteBufUtil.getBytes(value.content()));
        } else if (message instanceof SimpleStringRedisMessage status) {
            reply.complete(status.content().getBytes(StandardCharsets.US_ASCII));
        } else if (message instanceof ErrorRedisMessage error) {
            reply.completeExceptionally(new IOException("Redis answers: " + error.content()));
        } else {
            reply.completeExceptionally(new IOException("Redis answers " + message + " (expected: a status or value)"));
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        fail(new IOException("the connection ended before the reply"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        fail(cause);
        context.close();
    }

    private void fail(Throwable cause) {
        pending.forEach(reply -> reply.completeExceptionally(cause));
        pending.clear();
    }
}
