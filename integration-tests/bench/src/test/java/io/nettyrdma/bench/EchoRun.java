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
