// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.nettyrdma.internal.Ranges;

/**
 * The versions of the protocol that one side may speak.
 *
 * @param lowest  1 or 2
 * @param highest {@code lowest} to 2
 */
public record AllowedVersions(int lowest, int highest) {

    /** RFC 8166. */
    public static final int ONE = 1;

    /** The -01 wire format of version 2. */
    public static final int TWO = 2;

    /** @throws IllegalArgumentException if they are out of their range */
    public AllowedVersions {
        Ranges.require("lowest version", lowest, ONE, TWO);
        Ranges.require("highest version", highest, lowest, TWO);
    }

    /** Whether version 1 may be spoken. */
    public boolean hasOne() {
        return lowest == ONE;
    }

    /** Whether version 2 may be spoken. */
    public boolean hasTwo() {
        return highest == TWO;
    }
}
