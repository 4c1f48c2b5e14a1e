// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

import org.jspecify.annotations.Nullable;

/** How safe written data are: {@code stable_how} (RFC 1813, section 3.3.7), in the order of the numbers. */
public enum Stability {
    /** In the server's memory. */
    UNSTABLE,
    /** On stable storage, but for the file's attributes. */
    DATA_SYNC,
    /** On stable storage. */
    FILE_SYNC;

    private static final Stability[] ALL = values();

    /** The number on the wire. */
    public int number() {
        return ordinal();
    }

    /** The stability of a number, if there is one. */
    public static @Nullable Stability of(int number) {
        return number >= 0 && number < ALL.length ? ALL[number] : null;
    }
}
