// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.message;

/**
 * Position of the content of a variable-length XDR item in an RPC message: behind its length word, without padding.
 *
 * @param offset      octets from the XID to the content, a multiple of 4
 * @param lengthBytes octets of content, at least 0
 */
public record XdrItem(int offset, int lengthBytes) {

    /** Checks the ranges. */
    public XdrItem {
        if (offset < 0 || !XdrLengths.isWholeWords(offset) || lengthBytes < 0) {
            throw new IllegalArgumentException("offset " + offset + ", length " + lengthBytes);
        }
    }
}
