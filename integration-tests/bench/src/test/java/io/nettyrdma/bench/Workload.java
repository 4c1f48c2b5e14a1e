// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.channel.Channel;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What one round sends back and forth, on one stack.
 *
 * <p>Threading: all client connections are on one event loop, all server connections on another.
 */
abstract class Workload {

    /** Makes the workload for one round. */
    interface Factory {
        Workload create(Stack stack, Scenario scenario);
    }

    final RoundTrips trips = new RoundTrips();

    /** Adds the handlers of an accepted connection. */
    abstract void initServer(Channel channel);

    /** Adds the handlers of the connection's other end. */
    abstract void initClient(Channel channel);

    /** Sends the first messages of a round on a connection; each answer is to be followed by the next message. */
    abstract void begin(Channel channel);

    /** Starts a round of {@code count} messages over all connections. */
    final CompletableFuture<Void> start(List<Channel> channels, int count) {
        CompletableFuture<Void> future = new CompletableFuture<>();
        channels.get(0).eventLoop().execute(() -> {
            trips.begin(count, future);
            channels.forEach(this::begin);
        });
        return future;
    }

    /** Round trip in nanoseconds that so many percent of the last round stayed below. */
    final double percentile(int percent) {
        return trips.percentile(percent);
    }

    /** Drops what was noted, so that it does not count as memory of the connections. */
    void forget() {
        trips.forget();
    }
}
