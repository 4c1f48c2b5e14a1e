// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.onesided;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.channel.RemoteSegment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The side that lends memory. It sends the peer a key, an address and a length. The peer answers with the number of
 * bytes that it has written. Then this side ends the key, looks at the bytes, and says so by an empty answer.
 */
public final class LendingHandler extends SimpleChannelInboundHandler<ByteBuf> {

    private static final int BYTES = 64;

    private final Consumer<String> log;
    /** There from the begin of the connection on. */
    private @Nullable RdmaMemory memory;

    /** @param log gets a line for each step */
    public LendingHandler(Consumer<String> log) {
        this.log = log;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws Exception {
        RdmaMemory lent = ((RdmaChannel) context.channel()).allocateMemory(BYTES, RdmaAccess.REMOTE_READ_WRITE);
        memory = lent;
        RemoteSegment segment = lent.segment();
        log.accept("lends " + segment.lengthBytes() + " bytes");
        context.writeAndFlush(Unpooled.buffer()
                .writeInt(segment.key())
                .writeLong(segment.address())
                .writeInt(segment.lengthBytes()));
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) throws Exception {
        RdmaMemory lent = memory;
        if (lent == null || message.readableBytes() != Integer.BYTES) {
            throw new IOException("message of the peer: " + message.readableBytes() + " bytes (expected: 4)");
        }
        lent.invalidate(); // from here on the peer can neither change the bytes nor read them
        int claimed = message.readInt();
        int written = lent.writtenBytes(); // -1 if the device does not know; the memory was zeroed
        if (claimed < 0 || claimed > (written < 0 ? BYTES : written)) {
            throw new IOException(
                    "bytes that the peer says it has written: " + claimed + " (in fact: " + written + ')');
        }
        log.accept("finds: " + lent.content().toString(0, claimed, StandardCharsets.UTF_8));
        context.writeAndFlush(Unpooled.buffer().writeInt(claimed));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (memory != null) {
            memory.release();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        log.accept("refuses: " + cause.getMessage());
        context.close();
    }
}
