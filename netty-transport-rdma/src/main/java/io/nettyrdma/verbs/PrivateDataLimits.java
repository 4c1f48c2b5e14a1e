// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs;

/**
 * The longest private data by direction, in bytes. InfiniBand and RoCE have fields of fixed sizes: the peer always gets
 * this many bytes, padded with zeros (InfiniBand Architecture, volume 1, section 12.6). With iWARP it gets the length
 * that was sent (RFC 5044, section 7.1).
 *
 * @param connectBytes of a connection request, 0 to 512
 * @param acceptBytes  of its acceptance, 0 to 512
 * @param rejectBytes  of its rejection, 0 to 512
 */
public record PrivateDataLimits(int connectBytes, int acceptBytes, int rejectBytes) {

    /** Limits of a device without private data. */
    public static final PrivateDataLimits NONE = new PrivateDataLimits(0, 0, 0);

    /** Returns the same limit for all directions. */
    public static PrivateDataLimits of(int bytes) {
        return new PrivateDataLimits(bytes, bytes, bytes);
    }

    /** Returns whether the device carries private data at all. */
    public boolean any() {
        return connectBytes > 0;
    }
}
