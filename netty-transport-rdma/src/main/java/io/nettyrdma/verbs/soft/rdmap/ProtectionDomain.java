// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory regions and work queues that may meet. It has no content but the number of those that are in it.
 *
 * <p>Threading: any thread.
 */
public final class ProtectionDomain {

    private final AtomicInteger members = new AtomicInteger();

    /** A region or a queue pair of this domain was made. */
    public void enter() {
        members.incrementAndGet();
    }

    /** A region or a queue pair of this domain is no more. */
    public void leave() {
        members.decrementAndGet();
    }

    /** Regions and queue pairs. */
    public int members() {
        return members.get();
    }
}
