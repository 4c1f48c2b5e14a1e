// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import org.jspecify.annotations.Nullable;

/**
 * An invalid message that this end received and did not process. The peer sent the message; this end decided the
 * reaction by RFC 8166, section 4.5, or by draft -01 of version 2, section 7. The report has the first defect only.
 *
 * @param reaction what this end does about the message
 * @param xid      word 0 of the message, opaque; 0 if the message is too short to be read
 * @param version  word 1 of the message, unsigned; 0 if the message is too short to be read
 * @param defect   the defect in words, which may change with every release; if the reaction is {@code RDMA2_ERROR}, the
 *                 name of that error comes first, such as {@code RDMA2_ERR_BAD_XDR}
 * @param offset   place of the defect in octets from the start of the header, at least 0; 0 also if the defect has no
 *                 single place
 * @param found    the value at {@code offset}, or a number of octets, chunks or segments, as {@code defect} says, at
 *                 least 0; 0 also if the defect has no value
 * @param expected the value or the limit that this end compared {@code found} with, at least 0
 * @param option   the setting of {@link io.nettyrdma.rpc.RpcRdmaConfig} whose value is {@code expected}; {@code null}
 *                 if none is: a rule of the protocol, or a limit that no setting changes
 */
public record RpcRdmaRejectionReport(
        Reaction reaction,
        int xid,
        int version,
        String defect,
        int offset,
        long found,
        long expected,
        @Nullable String option) {

    /** The ways an end can react to an invalid message. */
    public enum Reaction {
        /** It sends nothing; the connection and pending calls stay as they are. */
        DISCARD,
        /** It sends {@code RDMA_ERROR} with {@code ERR_CHUNK}. */
        ERR_CHUNK,
        /** It sends {@code RDMA_ERROR} with {@code ERR_VERS} and the supported versions. */
        ERR_VERS,
        /** It sends {@code RDMA2_ERROR} of version 2, with the code that {@code defect} begins with. */
        RDMA2_ERROR
    }

    /** Returns one line for logs. */
    @Override
    public String toString() {
        String said = reaction + ": xid 0x" + Integer.toHexString(xid) + ", " + defect;
        if (offset == 0 && found == 0 && expected == 0 && option == null) {
            return said; // it has neither place nor value
        }
        return said + " at octet " + offset + ": " + found
                + (option == null ? ", expected " + expected : ", RpcRdmaConfig." + option + " is " + expected);
    }
}
