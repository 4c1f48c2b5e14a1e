// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

/** The procedures of MOUNT version 3, in the order of their numbers (RFC 1813, section 5.2). */
public enum MountProcedure {
    /** Does nothing. */
    NULL,
    /** The handle of a directory. */
    MNT,
    /** Who has mounted what. */
    DUMP,
    /** The caller does not use a directory any more. */
    UMNT,
    /** The caller uses none any more. */
    UMNTALL,
    /** What there is to mount. */
    EXPORT;

    /** The number on the wire. */
    public int number() {
        return ordinal();
    }
}
