// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one side of a captured connection did: a whole Send, or one FPDU of a Write, a Read Request or a Read Response.
 *
 * @param frame the frame that it ended in
 * @param connection names the TCP connection
 * @param fromInitiator whether the side did it that sent the MPA request, which is the requester, except in the reverse
 *     direction
 * @param memory what a Write fills and a Read Request asks for
 * @param sink where a Read Request wants the octets, and where a Read Response puts them
 * @param header of a Send; null if tshark took it for no RPC-over-RDMA message
 */
record RdmaOperation(
        int frame,
        String connection,
        boolean fromInitiator,
        Kind kind,
        int lengthBytes,
        @Nullable Memory memory,
        @Nullable Memory sink,
        @Nullable Integer invalidated,
        @Nullable Header header) {

    enum Kind {
        /** The initiator's first frame; a connection begins. */
        MPA_REQUEST,
        WRITE,
        READ_REQUEST,
        READ_RESPONSE,
        SEND,
        OTHER
    }

    /**
     * Whether a Send belongs to the reverse direction, in which the initiator answers calls of the other side (RFC
     * 8167). Nothing there is long or has chunks, so tshark always sees what it is; and requesters send no errors.
     */
    boolean isReverse() {
        if (header == null) {
            return false;
        }
        return fromInitiator
                ? header.rpcType == RpcType.REPLY || header.type == Header.ERROR
                : header.rpcType == RpcType.CALL;
    }

    /** Whether a Send that has a header is an RPC call, in whichever direction. */
    boolean isCall() {
        return fromInitiator != isReverse();
    }

    /** What the RPC message in a Send says it is. */
    enum RpcType {
        CALL,
        REPLY,
        /** tshark shows a message that travels in chunks elsewhere or not at all. */
        UNSEEN
    }

    /** A piece of registered memory. */
    record Memory(int handle, long offset, long lengthBytes) {
        boolean contains(Memory other) {
            long start = other.offset - offset;
            return handle == other.handle
                    && Long.compareUnsigned(start, lengthBytes) <= 0
                    && other.lengthBytes <= lengthBytes - start;
        }

        @Override
        public String toString() {
            return "0x%x+%d at 0x%x".formatted(handle, lengthBytes, offset);
        }
    }

    /** A segment of the read list. */
    record ReadSegment(long position, Memory memory) {}

    /** An RPC-over-RDMA header, and how many octets stood behind it. */
    record Header(
            int xid,
            long credits,
            int type,
            RpcType rpcType,
            List<ReadSegment> readList,
            List<List<Memory>> writeList,
            @Nullable List<Memory> replyChunk,
            int payloadBytes) {
        static final int MSG = 0;
        static final int NOMSG = 1;
        static final int ERROR = 4;

        /** Its own length, for {@link #MSG} and {@link #NOMSG}. */
        int lengthBytes() {
            int words = 7 + 6 * readList.size();
            for (List<Memory> chunk : writeList) {
                words += 2 + 4 * chunk.size();
            }
            return 4 * (words + (replyChunk == null ? 0 : 1 + 4 * replyChunk.size()));
        }

        /** What the requester lets the responder write to, in the order of the header. */
        List<List<Memory>> writable() {
            List<List<Memory>> chunks = new ArrayList<>(writeList);
            if (replyChunk != null) {
                chunks.add(replyChunk);
            }
            return chunks;
        }
    }
}
