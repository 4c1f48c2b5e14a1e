// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import com.ibm.disni.verbs.IbvMr;

/** A peer's rights to {@link RdmaMemory}. */
public enum RdmaAccess {
    /** Nothing: only local work requests use the memory, for example as the target of an {@link RdmaRead}. */
    LOCAL(IbvMr.IBV_ACCESS_LOCAL_WRITE),
    /** The peer may read it by RDMA Read. */
    REMOTE_READ(IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_READ),
    /** The peer may write it by RDMA Write. */
    REMOTE_WRITE(IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE),
    /** The peer may read and write it. */
    REMOTE_READ_WRITE(IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_READ | IbvMr.IBV_ACCESS_REMOTE_WRITE);

    private final int flags;

    RdmaAccess(int flags) {
        this.flags = flags;
    }

    /** {@code IbvMr.IBV_ACCESS_*}. */
    int flags() {
        return flags;
    }
}
