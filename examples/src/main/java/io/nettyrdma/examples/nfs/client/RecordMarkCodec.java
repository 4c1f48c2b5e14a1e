/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.examples.nfs.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageCodec;
import io.netty.handler.codec.TooLongFrameException;
import java.util.List;

/**
 * RPC messages over TCP: records of one or more fragments, each behind a word with its length and, in the highest bit,
 * whether it is the last one (RFC 5531, section 11).
 *
 * <p>Threading: the channel's event loop. Ownership: passes on a copy of each record.
 */
final class RecordMarkCodec extends ByteToMessageCodec<ByteBuf> {

    private static final int LAST_FRAGMENT = 0x80000000;
    private static final int MARK_BYTES = 4;

    private final int maxRecordBytes;

    /** Takes inbound records of up to so many octets, marks included. */
    RecordMarkCodec(int maxRecordBytes) {
        this.maxRecordBytes = maxRecordBytes;
    }

    @Override
    protected void encode(ChannelHandlerContext ctx, ByteBuf message, ByteBuf out) {
        out.writeInt(LAST_FRAGMENT | message.readableBytes()).writeBytes(message);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        int bytes = recordBytes(in);
        if (bytes < 0) {
            return;
        }
        ByteBuf record = ctx.alloc().buffer(bytes);
        out.add(record);
        for (int end = in.readerIndex() + bytes; in.readerIndex() < end; ) {
            record.writeBytes(in, in.readInt() & ~LAST_FRAGMENT);
        }
    }

    /** Length of the first record with its marks, or -1 if it is not all there. */
    private int recordBytes(ByteBuf in) {
        int bytes = 0;
        while (in.readableBytes() - bytes >= MARK_BYTES) {
            int mark = in.getInt(in.readerIndex() + bytes);
            int fragmentBytes = mark & ~LAST_FRAGMENT;
            bytes += MARK_BYTES;
            if (fragmentBytes > maxRecordBytes - bytes) {
                in.skipBytes(in.readableBytes()); // what follows is not known to be a mark
                throw new TooLongFrameException("a record of more than " + maxRecordBytes + " octets");
            }
            bytes += fragmentBytes;
            if (in.readableBytes() < bytes) {
                return -1;
            }
            if ((mark & LAST_FRAGMENT) != 0) {
                return bytes;
            }
        }
        return -1;
    }
}
