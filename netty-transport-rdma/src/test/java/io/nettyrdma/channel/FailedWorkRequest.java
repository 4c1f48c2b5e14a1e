// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.nettyrdma.error.RdmaWorkRequestException;

/** Lets tests of other packages fail a write as the transport does. */
public final class FailedWorkRequest {

    private static final int WR_FLUSH_ERR = 5;

    private FailedWorkRequest() {}

    /** Of a queue pair that was in error already. */
    public static RdmaWorkRequestException flushed() {
        return new RdmaWorkRequestException("work request", WR_FLUSH_ERR, true, null);
    }
}
