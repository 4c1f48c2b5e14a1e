// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

/**
 * A complete transfer of the chunks of one kind of one call.
 *
 * @param role          of this end: a responder moves chunks itself; a requester learns of moved chunks from the reply,
 *                      which counts as proof that the read chunks were read
 * @param xid           transaction; opaque
 * @param kind          of chunk
 * @param chunks number of chunks, at least 1
 * @param bytes in all of them, without padding that was not transferred; at least 1
 * @param durationNanos at a responder from the first RDMA Read to the completion of the last, or from the first RDMA
 *                      Write to the completion of the Send behind the last; 0 at a requester, which moves nothing
 */
public record RpcRdmaTransferReport(RpcRdmaRole role, int xid, Kind kind, int chunks, long bytes, long durationNanos) {

    /** The kinds of chunks of RFC 8166, section 3.4. */
    public enum Kind {
        /** Arguments, from the requester to the responder. */
        READ,
        /** A long call, in a read chunk of position zero. */
        POSITION_ZERO,
        /** Results, from the responder to the requester. */
        WRITE,
        /** A long reply. */
        REPLY
    }

    /** Returns one line, such as {@code RESPONDER xid 0x1a2b3c4d WRITE chunks 1 bytes 65536 210 us}. */
    @Override
    public String toString() {
        return role + " xid 0x" + Integer.toHexString(xid) + ' ' + kind + " chunks " + chunks + " bytes " + bytes + ' '
                + durationNanos / 1000 + " us";
    }
}
