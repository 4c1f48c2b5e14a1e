// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.nettyrdma.rpc.message.XdrItem;
import java.util.List;

/**
 * How one call is conveyed, and what memory it offers for its reply. Every chunk is one segment.
 *
 * @param form            where the payload stream goes
 * @param readChunks      arguments that leave the payload stream, in ascending order, none empty; none in a long call
 * @param writeChunkBytes capacity of each write chunk, in octets
 * @param replyChunkBytes capacity of the reply chunk, in octets; 0 for none
 */
public record CallPlan(Form form, List<XdrItem> readChunks, List<Integer> writeChunkBytes, int replyChunkBytes) {

    /** Where the payload stream of a call goes (RFC 8166, section 3.5). */
    public enum Form {
        /** Into the Send, behind the header: {@code RDMA_MSG}. */
        INLINE,
        /** Into a read chunk of position zero, the whole message: {@code RDMA_NOMSG}. */
        LONG
    }

    /** Everything inline, nothing offered. */
    public static final CallPlan NO_CHUNKS = new CallPlan(Form.INLINE, List.of(), List.of(), 0);

    /** Copies the lists. */
    public CallPlan {
        readChunks = List.copyOf(readChunks);
        writeChunkBytes = List.copyOf(writeChunkBytes);
    }

    /** Whether no memory has to be registered. */
    public boolean hasNoChunks() {
        return form == Form.INLINE && readChunks.isEmpty() && writeChunkBytes.isEmpty() && replyChunkBytes == 0;
    }
}
