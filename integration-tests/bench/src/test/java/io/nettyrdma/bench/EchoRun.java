// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

/** One round of one competitor: server and client with an event loop each, real sockets on loopback. */
final class EchoRun {

    private final Stack stack;
    private final Scenario scenario;

    EchoRun(Stack stack, Scenario scenario) {
        this.stack = stack;
        this.scenario = scenario;
    }

    EchoResult run(long timeoutSeconds) throws Exception {
        long memory = Surroundings.memoryBytes();
        try (LoadedConnections connections = LoadedConnections.open(stack, scenario)) {
            connections.turn(timeoutSeconds); // warm-up
            long cpu = connections.cpuNanos();
            long allocated = connections.allocatedBytes();
            long started = System.nanoTime();
            connections.turn(timeoutSeconds);
            double seconds = (System.nanoTime() - started) / 1e9;
            double count = scenario.messages();
            double cpuPerMessage = (connections.cpuNanos() - cpu) / count;
            double allocatedPerMessage = (connections.allocatedBytes() - allocated) / count;
            Workload load = connections.load();
            double p50 = load.percentile(50);
            double p99 = load.percentile(99);
            load.forget();
            return new EchoResult(
                    count / seconds,
                    p50,
                    p99,
                    cpuPerMessage,
                    allocatedPerMessage,
                    (double) (Surroundings.memoryBytes() - memory) / scenario.connections());
        }
    }
}
