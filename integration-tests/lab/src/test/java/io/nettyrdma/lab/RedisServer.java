// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.redis.ArrayRedisMessage;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.handler.codec.redis.SimpleStringRedisMessage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * PING, SET and GET of Redis behind Netty's codec, in memory.
 *
 * <p>Threading: the event loops of its channels; the getters on any thread.
 */
@Sharable
final class RedisServer extends SimpleChannelInboundHandler<ArrayRedisMessage> {

    private final Map<String, byte[]> values = new ConcurrentHashMap<>();
    private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();

    /** Returns the values that clients have set. */
    Map<String, byte[]> values() {
        return values;
    }

    /** Returns the exceptions of all connections. */
    BlockingQueue<Throwable> failures() {
        return failures;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ArrayRedisMessage message) {
        List<byte[]> words = new ArrayList<>();
        for (RedisMessage word : message.children()) {
            words.add(ByteBufUtil.getBytes(((FullBulkStringRedisMessage) word).content()));
        }
        context.write(answer(words));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }

    private RedisMessage answer(List<byte[]> words) {
        String call = text(words.get(0)).toUpperCase(Locale.ROOT) + "/" + words.size();
        return switch (call) {
            case "PING/1" -> new SimpleStringRedisMessage("PONG");
            case "SET/3" -> {
                values.put(text(words.get(1)), words.get(2));
                yield new SimpleStringRedisMessage("OK");
            }
            case "GET/2" -> {
                byte[] value = values.get(text(words.get(1)));
                yield value == null
                        ? FullBulkStringRedisMessage.NULL_INSTANCE
                        : new FullBulkStringRedisMessage(Unpooled.wrappedBuffer(value));
            }
            default -> new ErrorRedisMessage("ERR unknown call " + call);
        };
    }

    private static String text(byte[] word) {
        return new String(word, StandardCharsets.US_ASCII);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failures.add(cause);
        context.close();
    }
}
