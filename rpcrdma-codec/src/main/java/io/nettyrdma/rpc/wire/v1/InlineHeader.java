// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v1;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;

/**
 * The header that most messages have: an {@code RDMA_MSG} of version 1 without chunks. It is read in place, so that it
 * costs no object, and two words at a time, as every access to a buffer is checked.
 *
 * <p>Threading: confined to one thread. Ownership: messages are neither released nor are their indices moved.
 */
public final class InlineHeader {

    /** Octets in front of the payload stream. */
    public static final int BYTES = V1.MIN_HEADER_BYTES;

    private int xid;
    private int credits;

    /**
     * Reads the header if this is such a message, and its payload stream the start of what the receiver expects.
     * Exactly then {@link RpcRdmaDecoder#decode} would return a {@link RpcRdmaMessage.Msg} with {@link
     * ChunkLists#ABSENT}.
     *
     * @return whether it is; if not, what was read before still holds
     */
    public boolean read(ByteBuf message, Direction direction) {
        if (message.readableBytes() < BYTES + 8) {
            return false; // V1-104
        }
        int start = message.readerIndex();
        long xidAndVersion = message.getLong(start + V1.XID);
        long creditsAndProcedure = message.getLong(start + V1.CREDIT);
        int found = (int) (xidAndVersion >>> Integer.SIZE);
        if ((int) xidAndVersion != V1.VERSION
                || (int) creditsAndProcedure != V1.RDMA_MSG
                || message.getLong(start + V1.FIXED_BYTES) != 0 // read list, write list
                // No reply chunk, and the XID again. V1-115
                || message.getLong(start + V1.FIXED_BYTES + 8) != Integer.toUnsignedLong(found)
                || message.getInt(start + BYTES + 4)
                        != (direction == Direction.CALL ? RpcHeaders.CALL : RpcHeaders.REPLY)) { // BIS-015
            return false;
        }
        xid = found;
        credits = (int) (creditsAndProcedure >>> Integer.SIZE);
        return true;
    }

    /** Transaction the message belongs to; opaque. */
    public int xid() {
        return xid;
    }

    /** Credits requested (call) or granted (reply), 0 to 2<sup>32</sup>-1. */
    public long credits() {
        return Integer.toUnsignedLong(credits);
    }

    /** The payload stream, with a reference of its own. Programs may count on its index 0. */
    public static ByteBuf payload(ByteBuf message) {
        return message.retainedSlice(message.readerIndex() + BYTES, message.readableBytes() - BYTES);
    }
}
