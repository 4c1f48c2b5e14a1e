// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.onesided;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RdmaWrite;
import io.nettyrdma.channel.RemoteSegment;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The side that uses the memory of its peer. It writes a text there, reads it back, and tells the peer how long it is.
 * When the peer answers that the key has ended, it tries to read again, which fails and ends the connection.
 */
public final class BorrowingHandler extends SimpleChannelInboundHandler<ByteBuf> {

    private final String text;
    private final Consumer<String> log;
    /** There after the first message. */
    private @Nullable RemoteSegment source;

    /** @param log gets a line for each step */
    public BorrowingHandler(String text, Consumer<String> log) {
        this.text = text;
        this.log = log;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
        RemoteSegment written = source;
        if (written == null) {
            begin(context, new RemoteSegment(message.readInt(), message.readLong(), message.readInt()));
        } else {
            log.accept("reads again, with a key that has ended");
            read(context, written, back -> log.accept("reads: " + back));
        }
    }

    private void begin(ChannelHandlerContext context, RemoteSegment lent) {
        ByteBuf bytes = Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
        int length = bytes.readableBytes();
        // No slice, which would refuse a text that is too long: here the peer does.
        RemoteSegment used = new RemoteSegment(lent.key(), lent.address(), length);
        source = used;
        log.accept("writes: " + text);
        context.write(new RdmaWrite(bytes, used));
        // Behind the write: requests of one connection run in their order.
        read(context, used, back -> {
            log.accept("reads: " + back);
            context.writeAndFlush(Unpooled.buffer().writeInt(length));
        });
    }

    /** Reads from the peer's memory. The promise of a read completes when the bytes are there. */
    private void read(ChannelHandlerContext context, RemoteSegment from, Consumer<String> then) {
        ByteBuf target = Unpooled.directBuffer(from.lengthBytes(), from.lengthBytes());
        context.writeAndFlush(new RdmaRead(from, target.retain())).addListener(read -> {
            if (read.isSuccess()) {
                then.accept(target.toString(StandardCharsets.UTF_8));
            } else {
                log.accept("fails to read: " + read.cause().getMessage());
            }
            target.release();
        });
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
