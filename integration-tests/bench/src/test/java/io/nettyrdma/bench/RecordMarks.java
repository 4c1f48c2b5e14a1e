// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.nio.ByteOrder;

/** RPC messages on a byte stream, each as one record of one fragment (RFC 5531, section 11). */
final class RecordMarks {

    private static final int MARK_BYTES = 4;
    private static final int LAST_FRAGMENT = 0x80000000;
    private static final int MAX_RECORD_BYTES = 1 << 24;

    /** As {@code Version1Link} does it: one buffer is cheaper to send than two. */
    private static final int MAX_COPIED_BYTES = 4096;

    private RecordMarks() {}

    /** Cuts messages out of the stream, as Netty's protocols do it. */
    static final class Decoder extends LengthFieldBasedFrameDecoder {

        Decoder() {
            super(MAX_RECORD_BYTES, 0, MARK_BYTES, 0, MARK_BYTES);
        }

        @Override
        protected long getUnadjustedFrameLength(ByteBuf stream, int offset, int length, ByteOrder order) {
            return stream.getInt(offset) & ~LAST_FRAGMENT;
        }
    }

    /** Puts marks in front of messages. */
    static final class Encoder extends ChannelOutboundHandlerAdapter {

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            ByteBuf record = message instanceof ByteBufHolder holder ? holder.content() : (ByteBuf) message;
            int bytes = record.readableBytes();
            boolean copied = bytes + MARK_BYTES <= MAX_COPIED_BYTES;
            ByteBuf out = context.alloc().directBuffer(copied ? MARK_BYTES + bytes : MARK_BYTES);
            out.writeInt(LAST_FRAGMENT | bytes);
            if (copied) {
                out.writeBytes(record);
                record.release();
                context.write(out, promise);
            } else {
                context.write(out, context.voidPromise());
                context.write(record, promise);
            }
        }
    }
}
