// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.SimpleChannelInboundHandler;

/**
 * One connection that only writes, as fast as its peer takes it. The peer answers with one byte when all of a round has
 * come, so each message of a round has the time of the whole round.
 *
 * <p>Threading: the writer is on the client's event loop, the reader on the server's; the reader's count of a round is
 * set before its connection has any bytes of it.
 */
final class OneWayLoad extends Workload {

    private final int sizeBytes;
    private final long roundBytes;

    OneWayLoad(Stack stack, Scenario scenario) {
        sizeBytes = scenario.sizeBytes();
        roundBytes = (long) scenario.messages() * sizeBytes;
    }

    @Override
    void initServer(Channel channel) {
        channel.pipeline().addLast(new Reader());
    }

    @Override
    void initClient(Channel channel) {
        channel.pipeline().addLast(new Writer());
    }

    @Override
    void begin(Channel channel) {
        channel.pipeline().get(Writer.class).begin();
    }

    private final class Reader extends SimpleChannelInboundHandler<ByteBuf> {
        private long bytes;

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf received) {
            bytes += received.readableBytes();
            if (bytes == roundBytes) {
                bytes = 0;
                context.writeAndFlush(context.alloc().directBuffer(1).writeByte(1), context.voidPromise());
            }
        }
    }

    private final class Writer extends ChannelInboundHandlerAdapter {
        private ChannelHandlerContext context;
        private long began;

        @Override
        public void handlerAdded(ChannelHandlerContext added) {
            context = added;
        }

        void begin() {
            began = System.nanoTime();
            write();
        }

        private void write() {
            while (context.channel().isWritable() && trips.takeOne()) {
                ByteBuf message = context.alloc().directBuffer(sizeBytes);
                context.writeAndFlush(message.writerIndex(sizeBytes), context.voidPromise());
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ignored) {
            write();
        }

        @Override
        public void channelRead(ChannelHandlerContext ignored, Object answer) {
            ((ByteBuf) answer).release();
            for (long left = roundBytes; left > 0; left -= sizeBytes) {
                trips.answered(began);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext closed) {
            trips.fail(new IllegalStateException("connection closed in the middle of a round"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
            trips.fail(cause);
        }
    }
}
