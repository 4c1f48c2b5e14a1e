// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoded;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import org.jspecify.annotations.Nullable;

/**
 * Joins the fragments of a set of the peer's properties.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: of what has come of the set.
 */
final class PropertySet {

    private final Rdma2Decoder decoder;
    private @Nullable ByteBuf kept;

    PropertySet(Rdma2Decoder decoder) {
        this.decoder = decoder;
    }

    /** Whether a part of a set has come, and others are to follow. */
    boolean isBegun() {
        return kept != null;
    }

    /** Appends a part to what was kept of the set, and returns that. */
    ByteBuf keep(ByteBufAllocator alloc, ByteBuf message) {
        int bytes = message.readableBytes() - Rdma2.PREFIX_BYTES;
        ByteBuf present = kept;
        if (present == null) {
            present = alloc.buffer(bytes);
            kept = present;
        }
        return present.writeBytes(message, message.readerIndex() + Rdma2.PREFIX_BYTES, bytes);
    }

    /** Returns the message with the whole set, or the answer to it. */
    Rdma2Decoded join(ByteBufAllocator alloc, ByteBuf last, Rdma2Message.ConnProp header) {
        if (kept == null) {
            return header;
        }
        ByteBuf joined = keep(alloc, last);
        try {
            return decoder.decodeJoined(last, joined);
        } finally {
            drop();
        }
    }

    /** Drops what has come of a set that never will be whole. Idempotent. */
    void drop() {
        if (kept != null) {
            kept.release();
            kept = null;
        }
    }
}
