// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

import org.jspecify.annotations.Nullable;

/**
 * What CREATE does about a file that exists: {@code createmode3} (RFC 1813, section 3.3.8), in the order of the
 * numbers.
 */
public enum CreateMode {
    /** Takes it. */
    UNCHECKED,
    /** Fails. */
    GUARDED,
    /** Fails unless the same caller has made it, and only lost the reply. */
    EXCLUSIVE;

    private static final CreateMode[] ALL = values();

    /** The number on the wire. */
    public int number() {
        return ordinal();
    }

    /** The mode of a number, if there is one. */
    public static @Nullable CreateMode of(int number) {
        return number >= 0 && number < ALL.length ? ALL[number] : null;
    }
}
