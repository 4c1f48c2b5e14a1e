// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.CombinedChannelDuplexHandler;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.MessageToMessageEncoder;
import io.netty.handler.codec.TooLongFrameException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * RPC messages over TCP: records of one or more fragments, each behind a word with its length and, in the highest bit,
 * whether it is the last one (RFC 5531, section 11). {@link io.nettyrdma.rpc.RpcRecordMarkHandler} is the other way
 * round: it gives marks to messages that come over RDMA, for stacks that want some.
 *
 * <p>Threading: confined to the event loop of its channel. Ownership: owns the fragments of the message that is coming;
 * passes on views of what was received and sent, not copies.
 */
public final class RecordMarkCodec
        extends CombinedChannelDuplexHandler<RecordMarkCodec.Decoder, RecordMarkCodec.Encoder> {

    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final int MARK_BYTES = Integer.BYTES;

    /** @param maxRecordBytes longest inbound record, marks included, for empty fragments take room as well */
    public RecordMarkCodec(int maxRecordBytes) {
        super(new Decoder(maxRecordBytes), new Encoder());
    }

    /** Puts fragments together. */
    static final class Decoder extends ByteToMessageDecoder {

        private final int maxRecordBytes;
        private @Nullable CompositeByteBuf fragments;
        /** Of the fragments that are there, marks included. */
        private int recordBytes;

        Decoder(int maxRecordBytes) {
            this.maxRecordBytes = maxRecordBytes;
        }

        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
            if (in.readableBytes() < MARK_BYTES) {
                return;
            }
            int mark = in.getInt(in.readerIndex());
            int length = mark & ~LAST_FRAGMENT;
            if (length > maxRecordBytes - recordBytes - MARK_BYTES) {
                in.skipBytes(in.readableBytes()); // what follows is not known to be a mark
                throw new TooLongFrameException("a record of more than " + maxRecordBytes + " bytes");
            }
            if (in.readableBytes() - MARK_BYTES < length) {
                return;
            }
            in.skipBytes(MARK_BYTES);
            if (fragments == null) {
                fragments = context.alloc().compositeBuffer();
            }
            fragments.addComponent(true, in.readRetainedSlice(length));
            recordBytes += MARK_BYTES + length;
            if ((mark & LAST_FRAGMENT) != 0) {
                out.add(fragments);
                fragments = null;
                recordBytes = 0;
            }
        }

        @Override
        protected void handlerRemoved0(ChannelHandlerContext context) {
            if (fragments != null) {
                fragments.release();
                fragments = null;
            }
        }
    }

    /** Sends each message as one fragment. */
    static final class Encoder extends MessageToMessageEncoder<ByteBuf> {

        Encoder() {
            super(ByteBuf.class);
        }

        @Override
        protected void encode(ChannelHandlerContext context, ByteBuf message, List<Object> out) {
            out.add(context.alloc().buffer(MARK_BYTES).writeInt(LAST_FRAGMENT | message.readableBytes()));
            out.add(message.retain());
        }
    }
}
