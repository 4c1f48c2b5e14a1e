// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

/**
 * Part of a file.
 *
 * @param offset first octet
 * @param bytes  length
 */
record Range(long offset, long bytes) {

    long end() {
        return offset + bytes;
    }

    /** The first octets, at most so many. */
    Range first(long maxBytes) {
        return new Range(offset, Math.min(bytes, maxBytes));
    }

    /** What is left without the first octets. */
    Range without(long firstBytes) {
        return new Range(offset + firstBytes, bytes - firstBytes);
    }
}
