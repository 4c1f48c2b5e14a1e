// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import java.util.List;
import java.util.function.Consumer;

/**
 * Looks at the first bytes of a connection in clear: a client of HTTP/2 that knows what the server speaks begins with a
 * preface that no request of HTTP/1.1 has (RFC 9113, section 3.3). Then it leaves, and the handlers that it has added
 * get the bytes.
 *
 * <p>Threading: confined to the event loop of its channel.
 */
final class ProtocolChoice extends ByteToMessageDecoder {

    private final Consumer<ChannelPipeline> http1;
    private final Consumer<ChannelPipeline> http2;

    ProtocolChoice(Consumer<ChannelPipeline> http1, Consumer<ChannelPipeline> http2) {
        this.http1 = http1;
        this.http2 = http2;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf received, List<Object> out) {
        ByteBuf preface = Http2CodecUtil.connectionPrefaceBuf();
        try {
            int length = Math.min(received.readableBytes(), preface.readableBytes());
            boolean same = ByteBufUtil.equals(received, received.readerIndex(), preface, 0, length);
            if (same && length < preface.readableBytes()) {
                return;
            }
            (same ? http2 : http1).accept(context.pipeline());
        } finally {
            preface.release();
        }
        context.pipeline().remove(this);
    }
}
