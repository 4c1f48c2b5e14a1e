// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire;

import io.netty.util.internal.UnstableApi;

/** The features that calls in the reverse direction of version 2 may use (draft -01, section 5.2.5; C12). */
@UnstableApi
public enum ReverseLevel {
    // In the order of their numbers. V2-090
    /** There are none. */
    NONE,
    /** One Send each way. */
    SIMPLE,
    /** As many Sends as it takes, but no chunks. */
    CONT,
    /** Everything. */
    GENL;

    private static final ReverseLevel[] VALUES = values();

    /** The number on the wire, 0 to 3. */
    public int number() {
        return ordinal();
    }

    /** Whether messages may be continued. */
    public boolean mayContinue() {
        return this == CONT || this == GENL;
    }

    /** Whether calls may have chunks. */
    public boolean mayHaveChunks() {
        return this == GENL;
    }

    /**
     * The level with a number.
     *
     * @param number 0 to 2<sup>32</sup>-1; {@link #NONE} above 3 (C21)
     */
    public static ReverseLevel of(long number) {
        return number < VALUES.length ? VALUES[(int) number] : NONE;
    }
}
