/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.verbs.soft;

import io.nettyrdma.internal.PeerLog;
import io.nettyrdma.verbs.soft.rdmap.RegionTable;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What all objects of one provider share: configuration, memory keys, numbers, and the counts of what is alive.
 *
 * <p>Threading: any thread.
 */
final class SoftDevice {

    /** Largest number of scatter-gather entries of a Send, Write or Receive. */
    static final int MAX_SGE = 16;
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

    /** Peers that do not speak the protocol. */
    final PeerLog strangers;
    /** What ails listeners. */
    final PeerLog listeners;
    /** Faults of this provider. */
    final PeerLog faults;

    private final AtomicInteger handles = new AtomicInteger();
    private @Nullable SoftContext context;
    private @Nullable SoftContext reactorContext;
    private @Nullable Reactor reactor;

    private final LongSupplier nanoTime;

    /** @param logs the log of what peers cause in a class */
    SoftDevice(SoftProviderConfig config, LongSupplier nanoTime, Function<Class<?>, PeerLog> logs) {
        this.config = config;
        this.nanoTime = nanoTime;
        strangers = logs.apply(ResponderStartup.class);
        listeners = logs.apply(SoftListener.class);
        faults = logs.apply(TcpConnection.class);
    }

    /** The clock of deadlines. */
    long nanoTime() {
        return nanoTime.getAsLong();
    }

    int nextHandle() {
        return handles.incrementAndGet();
    }

    /** The context of event loops. Made late, because DiSNI objects can only be made once a provider is installed. */
    synchronized SoftContext context() throws IOException {
        SoftContext c = context;
        if (c == null) {
            c = new SoftContext(this, true);
            context = c;
        }
        return c;
    }

    /** The context of programs without an event loop. */
    synchronized SoftContext reactorContext() throws IOException {
        SoftContext c = reactorContext;
        if (c == null) {
            c = new SoftContext(this, false);
            reactorContext = c;
        }
        return c;
    }

    /** A new event channel of the reactor, which is started if need be. */
    synchronized ReactorEventChannel reactorEventChannel() throws IOException {
        Reactor r = reactor;
        if (r == null || r.isEnded()) {
            r = new Reactor(this);
            reactor = r;
        }
        ReactorEventChannel channel = new ReactorEventChannel(this, r);
        r.users().add(channel);
        return channel;
    }

    /** An event channel is no more; the last one ends the reactor. */
    void releaseReactor(Reactor r, ReactorEventChannel channel) {
        synchronized (this) {
            r.users().remove(channel);
            if (!r.users().isEmpty()) {
                return;
            }
            if (reactor == r) {
                reactor = null;
            }
        }
        // Without the lock: octets under way may take some time, and others may start anew.
        r.end();
    }
}
