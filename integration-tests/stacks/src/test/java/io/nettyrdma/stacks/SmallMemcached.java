// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import static io.netty.handler.codec.memcache.binary.BinaryMemcacheResponseStatus.KEY_ENOENT;
import static io.netty.handler.codec.memcache.binary.BinaryMemcacheResponseStatus.SUCCESS;
import static io.netty.handler.codec.memcache.binary.BinaryMemcacheResponseStatus.UNKNOWN_COMMAND;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.memcache.binary.BinaryMemcacheObjectAggregator;
import io.netty.handler.codec.memcache.binary.BinaryMemcacheOpcodes;
import io.netty.handler.codec.memcache.binary.BinaryMemcacheServerCodec;
import io.netty.handler.codec.memcache.binary.DefaultFullBinaryMemcacheResponse;
import io.netty.handler.codec.memcache.binary.FullBinaryMemcacheRequest;
import io.netty.handler.codec.memcache.binary.FullBinaryMemcacheResponse;
import io.nettyrdma.channel.StreamTransport;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A server of memcached's binary protocol that knows NOOP, SET and GET. It answers other commands with an error.
 * Netty's codec reads and writes the messages.
 *
 * <p>Ownership: the caller closes it.
 */
final class SmallMemcached implements AutoCloseable {

    private static final int MAX_VALUE_BYTES = 1 << 20;
    private static final int FLAGS_BYTES = 4;

    private final Map<String, byte[]> values = new ConcurrentHashMap<>();
    private final Channel listener = StreamTransport.UNDER_TEST
            .newServer()
            .childHandler(new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    channel.pipeline()
                            .addLast(
                                    new BinaryMemcacheServerCodec(),
                                    new BinaryMemcacheObjectAggregator(MAX_VALUE_BYTES),
                                    new Commands());
                }
            })
            .bind("127.0.0.1", 0)
            .syncUninterruptibly()
            .channel();

    int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
    }

    private final class Commands extends SimpleChannelInboundHandler<FullBinaryMemcacheRequest> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullBinaryMemcacheRequest command) {
            FullBinaryMemcacheResponse reply = reply(command);
            reply.setOpcode(command.opcode());
            reply.setOpaque(command.opaque());
            context.writeAndFlush(reply);
        }

        private FullBinaryMemcacheResponse reply(FullBinaryMemcacheRequest command) {
            return switch (command.opcode()) {
                case BinaryMemcacheOpcodes.NOOP -> reply(SUCCESS);
                case BinaryMemcacheOpcodes.SET -> {
                    values.put(key(command), ByteBufUtil.getBytes(command.content()));
                    yield reply(SUCCESS);
                }
                case BinaryMemcacheOpcodes.GET -> {
                    byte[] value = values.get(key(command));
                    ByteBuf flags = Unpooled.buffer(FLAGS_BYTES).writeZero(FLAGS_BYTES);
                    yield value == null ? reply(KEY_ENOENT) : reply(SUCCESS, flags, Unpooled.wrappedBuffer(value));
                }
                default -> reply(UNKNOWN_COMMAND);
            };
        }

        private static String key(FullBinaryMemcacheRequest command) {
            return command.key().toString(StandardCharsets.UTF_8);
        }

        private static FullBinaryMemcacheResponse reply(short status) {
            return reply(status, Unpooled.EMPTY_BUFFER, Unpooled.EMPTY_BUFFER);
        }

        private static FullBinaryMemcacheResponse reply(short status, ByteBuf extras, ByteBuf value) {
            FullBinaryMemcacheResponse reply =
                    new DefaultFullBinaryMemcacheResponse(Unpooled.EMPTY_BUFFER, extras, value);
            reply.setStatus(status);
            reply.setTotalBodyLength(extras.readableBytes() + value.readableBytes());
            return reply;
        }
    }
}
