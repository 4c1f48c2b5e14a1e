// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.redis.ArrayRedisMessage;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.RedisArrayAggregator;
import io.netty.handler.codec.redis.RedisBulkStringAggregator;
import io.netty.handler.codec.redis.RedisDecoder;
import io.netty.handler.codec.redis.RedisEncoder;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.handler.codec.redis.SimpleStringRedisMessage;
import io.nettyrdma.channel.StreamTransport;
import io.nettyrdma.deadline.Deadline;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A server of Redis that knows PING, SET and GET. It answers other commands with an error. Netty's codec reads and
 * writes the messages.
 *
 * <p>Ownership: the caller closes it.
 */
final class SmallRedis implements AutoCloseable {

    private static final int MAX_ELEMENTS = 16;
    private static final int MAX_DEPTH = 1;

    private final Map<String, byte[]> values = new ConcurrentHashMap<>();
    private final Channel listener;

    SmallRedis() {
        ChannelFuture bound = StreamTransport.UNDER_TEST
                .newServer()
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        new RedisDecoder(),
                                        new RedisBulkStringAggregator(),
                                        new RedisArrayAggregator(MAX_ELEMENTS, MAX_DEPTH),
                                        new RedisEncoder(),
                                        new Commands());
                    }
                })
                .bind(new InetSocketAddress("127.0.0.1", 0));
        await(bound);
        listener = bound.channel();
    }

    int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    @Override
    public void close() {
        await(listener.close());
    }

    private static void await(ChannelFuture future) {
        assertThat(future.awaitUninterruptibly(Deadline.SECONDS, TimeUnit.SECONDS))
                .isTrue();
        assertThat(future.cause()).isNull();
    }

    private final class Commands extends SimpleChannelInboundHandler<ArrayRedisMessage> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, ArrayRedisMessage command) {
            context.writeAndFlush(reply(command));
        }

        private RedisMessage reply(ArrayRedisMessage command) {
            String name = text(command, 0).toUpperCase(Locale.ROOT);
            return switch (name) {
                case "PING" -> new SimpleStringRedisMessage("PONG");
                case "SET" -> {
                    values.put(text(command, 1), bytes(command, 2));
                    yield new SimpleStringRedisMessage("OK");
                }
                case "GET" -> {
                    byte[] value = values.get(text(command, 1));
                    yield value == null
                            ? FullBulkStringRedisMessage.NULL_INSTANCE
                            : new FullBulkStringRedisMessage(Unpooled.wrappedBuffer(value));
                }
                default -> new ErrorRedisMessage("ERR unknown command '" + name + "'");
            };
        }

        private static String text(ArrayRedisMessage command, int index) {
            return new String(bytes(command, index), StandardCharsets.UTF_8);
        }

        private static byte[] bytes(ArrayRedisMessage command, int index) {
            return ByteBufUtil.getBytes(
                    ((FullBulkStringRedisMessage) command.children().get(index)).content());
        }
    }
}
