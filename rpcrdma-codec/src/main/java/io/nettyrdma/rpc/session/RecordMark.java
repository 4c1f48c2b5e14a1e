// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;

/**
 * The word that stacks for TCP put in front of a message: its length, with the highest bit set in the last fragment
 * (RFC 5531, section 11). Where an XID is expected, it means that a {@code RpcRecordMarkHandler} was forgotten.
 */
public final class RecordMark {

    private static final int LAST_FRAGMENT = 0x8000_0000;

    private RecordMark() {}

    /** Returns a hint for a message that begins with a record mark instead of its XID; empty if it does not. */
    public static String hint(ByteBuf message) {
        int bytes = message.readableBytes();
        if (bytes < 4) {
            return "";
        }
        int word = message.getInt(message.readerIndex());
        return word == (LAST_FRAGMENT | bytes - 4)
                ? "; that is the record mark of " + (bytes - 4)
                        + " bytes, so an RpcRecordMarkHandler is missing between"
                        + " the handler of RPC-over-RDMA and an RPC stack made for TCP"
                : "";
    }
}
