// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import java.util.EnumSet;
import java.util.Set;

/**
 * What is measured: messages of a size, a number of them unanswered at a time, over a number of connections.
 *
 * @param name        heading of the table
 * @param workload    what is sent back and forth
 * @param stacks      on what
 * @param sizeBytes   octets per message that count, at least 4
 * @param inFlight    unanswered messages per connection
 * @param connections connections, all on one event loop per side
 * @param messages    messages measured per round, after as many to warm up
 * @param neighbours  processes that compute all the time beside those that are measured
 */
record Scenario(
        String name,
        Workload.Factory workload,
        Set<Stack> stacks,
        int sizeBytes,
        int inFlight,
        int connections,
        int messages,
        int neighbours) {

    /** A scenario without neighbours. */
    Scenario(
            String name,
            Workload.Factory workload,
            Set<Stack> stacks,
            int sizeBytes,
            int inFlight,
            int connections,
            int messages) {
        this(name, workload, stacks, sizeBytes, inFlight, connections, messages, 0);
    }

    Scenario withMessages(int count) {
        return new Scenario(name, workload, stacks, sizeBytes, inFlight, connections, count, neighbours);
    }

    Scenario withNeighbours(int count) {
        return new Scenario(
                "busy neighbours: " + name, workload, stacks, sizeBytes, inFlight, connections, messages, count);
    }

    /** The same on those of its stacks that are among {@code some}. */
    Scenario withStacks(Set<Stack> some) {
        Set<Stack> both = EnumSet.copyOf(stacks);
        both.retainAll(some);
        return new Scenario(name, workload, both, sizeBytes, inFlight, connections, messages, neighbours);
    }
}
