// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import java.time.Duration;

/** Changes limits that are the same for all programs; in the package of the configuration, which hides them. */
public final class TestLimits {

    private TestLimits() {}

    /** Sets the longest time to negotiate the version and exchange properties. */
    public static RpcRdmaConfig.Builder negotiationTimeout(RpcRdmaConfig.Builder config, Duration timeout) {
        return config.fixed(it -> it.negotiationTimeout = timeout);
    }

    /** Sets how many arguments a requester sends as read chunks. */
    public static RpcRdmaConfig.Builder readChunksPerCall(RpcRdmaConfig.Builder config, int chunks) {
        return config.fixed(it -> it.readChunksPerCall = chunks);
    }

    /** Sets what a header may have that a responder of version 2 receives. */
    public static RpcRdmaConfig.Builder received(RpcRdmaConfig.Builder config, int chunks, int segments) {
        return config.fixed(it -> it.maxReadChunks = chunks)
                .fixed(it -> it.maxWriteChunks = chunks)
                .fixed(it -> it.maxSegmentsPerHeader = segments);
    }

    /** Sets the longest message that is sent in several Sends even if chunks are available, in bytes. */
    public static RpcRdmaConfig.Builder continuationBytes(RpcRdmaConfig.Builder config, int bytes) {
        return config.fixed(it -> it.continuationBytes = bytes);
    }
}
