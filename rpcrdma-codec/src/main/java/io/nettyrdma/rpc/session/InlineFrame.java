// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;

/** A header and the payload stream behind it, as one Send. */
public final class InlineFrame {

    /** Up to here header and payload are copied together: one buffer is cheaper to send than two. */
    private static final int MAX_COPIED_BYTES = 4096;

    private InlineFrame() {}

    /** Where the header goes. If there is no memory for it, the payload is released, and that is thrown. */
    public static ByteBuf header(ByteBufAllocator alloc, int headerBytes, ByteBuf payload) {
        boolean copied = isCopied(headerBytes, payload);
        try {
            return alloc.directBuffer(copied ? headerBytes + payload.readableBytes() : headerBytes);
        } catch (RuntimeException | OutOfMemoryError e) {
            payload.release();
            throw e;
        }
    }

    /** Both, which belong to the result from now on. */
    public static ByteBuf join(ByteBufAllocator alloc, ByteBuf header, ByteBuf payload) {
        if (isCopied(header.readableBytes(), payload)) {
            header.writeBytes(payload); // V1-008, V1-009, V1-058
            payload.release();
            return header;
        }
        CompositeByteBuf message = alloc.compositeDirectBuffer(2);
        return message.addComponent(true, header).addComponent(true, payload);
    }

    private static boolean isCopied(int headerBytes, ByteBuf payload) {
        return headerBytes + payload.readableBytes() <= MAX_COPIED_BYTES;
    }
}
