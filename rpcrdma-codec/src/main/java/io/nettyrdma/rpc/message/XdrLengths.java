// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.message;

/** Lengths in XDR (RFC 4506, section 3): every item has whole words of four octets. */
public final class XdrLengths {

    private XdrLengths() {}

    /** Returns {@code bytes}, at most {@code Integer.MAX_VALUE - 3}, rounded up to whole words. */
    public static int padded(int bytes) {
        return bytes + 3 & ~3;
    }

    /** Returns {@code bytes} rounded up to whole words. */
    public static long padded(long bytes) {
        return bytes + 3 & ~3L;
    }

    /** Returns whether {@code bytes} are whole words. */
    public static boolean isWholeWords(int bytes) {
        return (bytes & 3) == 0;
    }
}
