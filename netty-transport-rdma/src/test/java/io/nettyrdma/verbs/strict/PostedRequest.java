// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A work request that was posted and has not completed. */
final class PostedRequest {

    /** What the provider knows it by. */
    final long number;
    /** What the program knows it by. */
    final long wrId;

    final boolean signalled;
    /** Whether a key of it was wrong. */
    boolean wrong;

    /** Where an RDMA Read leaves its octets, if that is to be late. */
    @Nullable
    StrictMr sink;

    long sinkAddress;
    int sinkBytes;

    private final List<StrictMr> regions = new ArrayList<>(1);

    PostedRequest(long number, long wrId, boolean signalled) {
        this.number = number;
        this.wrId = wrId;
        this.signalled = signalled;
    }

    void uses(StrictMr region) {
        region.use();
        regions.add(region);
    }

    /** The device does not touch the memory any more. */
    void done() {
        regions.forEach(StrictMr::unuse);
        regions.clear();
    }
}
