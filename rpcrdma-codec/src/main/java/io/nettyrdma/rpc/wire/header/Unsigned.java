// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.header;

/** Checks for 32-bit unsigned numbers that travel as {@code long}. */
final class Unsigned {

    private static final long MAX_INT = 0xffff_ffffL;

    private Unsigned() {}

    /** @throws IllegalArgumentException unless {@code value} is 0 to 2<sup>32</sup>-1 */
    static void requireInt(long value, String what) {
        if (value < 0 || value > MAX_INT) {
            throw new IllegalArgumentException(what + ": " + value + " (expected: 0 to 4294967295)");
        }
    }
}
