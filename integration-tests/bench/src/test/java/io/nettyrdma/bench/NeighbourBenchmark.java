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

    static final Scenario ALONE = messages("64 bytes, 1 in flight", 1, 50_000);
    static final Scenario MANY = messages("64 bytes, 64 in flight", 64, 1_500_000);

    static final List<Scenario> SCENARIOS = List.of(
            ALONE,
            MANY,
            streams(StreamBenchmark.ALONE),
            streams(StreamBenchmark.MANY),
            streams(StreamBenchmark.LONG),
            streams(StreamBenchmark.HTTP));

    private NeighbourBenchmark() {}

    private static Scenario messages(String name, int inFlight, int messages) {
        return new Scenario(name, EchoLoad::new, MESSAGES, 64, inFlight, 1, messages).withNeighbours(NEIGHBOURS);
    }

    private static Scenario streams(Scenario quiet) {
        return quiet.withStacks(STREAMS).withNeighbours(NEIGHBOURS);
    }
}
