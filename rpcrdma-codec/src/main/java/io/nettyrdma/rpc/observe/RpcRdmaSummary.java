// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * Summary of the header of one message.
 *
 * @param role of this end of the connection, for sent and received messages
 * @param procedure kind of message
 * @param error        the error of an {@code RDMA2_ERROR}, {@code null} for all other kinds
 * @param xid          transaction; opaque
 * @param credits      requested or granted
 * @param headerBytes bytes of the header
 * @param payloadBytes bytes behind it in the same Send
 * @param readSegments entries of the read list
 * @param writeChunks  entries of the write list
 * @param replyChunks  1 if there is a reply chunk, otherwise 0
 */
public record RpcRdmaSummary(
        RpcRdmaRole role,
        Procedure procedure,
        @Nullable Rdma2ErrorCode error,
        int xid,
        long credits,
        int headerBytes,
        int payloadBytes,
        int readSegments,
        int writeChunks,
        int replyChunks) {

    /** The kinds of messages, named as in RFC 8166, also for kinds of version 2 with the same meaning. */
    public enum Procedure {
        /** An RPC message in the Send, without the parts that are in chunks. */
        RDMA_MSG,
        /** An RPC message in a chunk. */
        RDMA_NOMSG,
        /** An error: the version is not supported. */
        ERR_VERS,
        /** An error: the call cannot be executed, or its reply cannot be conveyed. */
        ERR_CHUNK,
        /** An error of version 2: {@link RpcRdmaSummary#error} says which. */
        RDMA2_ERROR
    }

    /** Returns one line, such as {@code RDMA_MSG xid 0x1a2b3c4d credits 64 header 28 payload 40}. */
    @Override
    public String toString() {
        String line = (error == null ? procedure.name() : error.draftName()) + " xid 0x" + Integer.toHexString(xid)
                + " credits " + credits + " header " + headerBytes + " payload " + payloadBytes;
        if (readSegments + writeChunks + replyChunks == 0) {
            return line;
        }
        return line + " read segments " + readSegments + " write chunks " + writeChunks + " reply chunks "
                + replyChunks;
    }
}
