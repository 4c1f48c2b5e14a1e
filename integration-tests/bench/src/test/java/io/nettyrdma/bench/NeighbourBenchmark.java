// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What the way of waiting costs beside programs that compute: default options against epoll. */
final class NeighbourBenchmark {

    /** As many as the machines of our results have processors. */
    private static final int NEIGHBOURS = 2;

    private static final Set<Stack> MESSAGES = EnumSet.of(Stack.EPOLL, Stack.RDMA, Stack.RDMA_DEFAULT);
    private static final Set<Stack> STREAMS = EnumSet.of(Stack.EPOLL, Stack.RDMA_STREAM, Stack.RDMA_STREAM_DEFAULT);

    static final Scenario ALONE = messages("64 bytes, 1 in flight", 64, 1, 50_000);
    static final Scenario MANY = messages("64 bytes, 64 in flight", 64, 64, 1_500_000);
    static final Scenario LONG = messages("65,536 bytes, 16 in flight", 65_536, 16, 40_000);

    static final List<Scenario> SCENARIOS = List.of(
            ALONE,
            MANY,
            LONG,
            RpcBenchmark.NULL_MANY.withNeighbours(NEIGHBOURS),
            RpcBenchmark.READ.withNeighbours(NEIGHBOURS),
            streams(StreamBenchmark.ALONE),
            streams(StreamBenchmark.MANY),
            streams(StreamBenchmark.LONG),
            streams(StreamBenchmark.HTTP));

    private NeighbourBenchmark() {}

    private static Scenario messages(String name, int sizeBytes, int inFlight, int messages) {
        return new Scenario(name, EchoLoad::new, MESSAGES, sizeBytes, inFlight, 1, messages).withNeighbours(NEIGHBOURS);
    }

    private static Scenario streams(Scenario quiet) {
        return quiet.withStacks(STREAMS).withNeighbours(NEIGHBOURS);
    }
}
