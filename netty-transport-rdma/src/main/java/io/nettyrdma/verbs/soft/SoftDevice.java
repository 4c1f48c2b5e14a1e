// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.nettyrdma.internal.PeerLog;
import io.nettyrdma.verbs.soft.rdmap.RegionTable;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * What all objects of one provider share: configuration, memory keys, numbers, and the counts of what is alive.
 *
 * <p>Threading: any thread.
 */
final class SoftDevice {

    /** Largest number of work requests of a queue. */
    static final int MAX_QUEUE_DEPTH = 1 << 20;

    final SoftProviderConfig config;
    final RegionTable regions = new RegionTable(new SecureRandom());

    final AtomicInteger eventChannels = new AtomicInteger();
    final AtomicInteger ids = new AtomicInteger();
    final AtomicInteger queuePairs = new AtomicInteger();
    final AtomicInteger completionQueues = new AtomicInteger();
    final AtomicInteger completionChannels = new AtomicInteger();
    final AtomicInteger protectionDomains = new AtomicInteger();
    final AtomicInteger connections = new AtomicInteger();
    final AtomicInteger sharedFiles = new AtomicInteger();

    /** Peers that do not speak the protocol. */
    final PeerLog strangers;

    final PeerLog listeners;

    final PeerLog faults;

    private final AtomicInteger handles = new AtomicInteger();

    private final LongSupplier nanoTime;

    SoftDevice(SoftProviderConfig config, LongSupplier nanoTime, PeerLog strangers, PeerLog listeners, PeerLog faults) {
        this.config = config;
        this.nanoTime = nanoTime;
        this.strangers = strangers;
        this.listeners = listeners;
        this.faults = faults;
    }

    /** The clock of deadlines. */
    long nanoTime() {
        return nanoTime.getAsLong();
    }

    int nextHandle() {
        return handles.incrementAndGet();
    }
}
