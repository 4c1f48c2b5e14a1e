// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import java.util.List;
import java.util.stream.Stream;

/** All that is measured in messages. */
final class Scenarios {

    static final List<Scenario> ALL = Stream.of(
                    EchoBenchmark.SCENARIOS,
                    NeighbourBenchmark.SCENARIOS,
                    RpcBenchmark.SCENARIOS,
                    VersionBenchmark.SCENARIOS,
                    StreamBenchmark.SCENARIOS)
            .flatMap(List::stream)
            .toList();

    private Scenarios() {}

    /** The scenario of this name. */
    static Scenario named(String name) {
        return ALL.stream()
                .filter(scenario -> scenario.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
