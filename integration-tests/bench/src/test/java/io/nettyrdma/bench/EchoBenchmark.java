// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * Echo over loopback against Netty's own transports. Competitors take turns within a round, so that what disturbs the
 * machine disturbs all; tables give medians over the rounds, and ratios of values of the same run.
 */
final class EchoBenchmark {

    static final long TIMEOUT_SECONDS = 300;

    /** The first turn of each process, which does not count: with fewer, compiling is a part of what is measured. */
    private static final int WARM_UP_MESSAGES = 20_000;

    // With fewer, what the loops and pools take once would count as memory of the connections.
    private static final int MEMORY_CONNECTIONS = 100;

    private static final Set<Stack> ECHO_STACKS = EnumSet.range(Stack.NIO, Stack.RDMA_FLOW_CONTROL);

    static {
        ECHO_STACKS.add(Stack.RDMA_SHARED);
        ECHO_STACKS.add(Stack.RDMA_SHARED_SPINNING);
    }

    static final Scenario LONG = echo("65,536 bytes, 16 in flight", 65_536, 16, 1, 40_000);
    static final Scenario THOUSAND = echo("64 bytes, 1 in flight, 1,000 connections", 64, 1, 1000, 200_000);

    static final List<Scenario> SCENARIOS = List.of(
            echo("64 bytes, 1 in flight", 64, 1, 1, 100_000),
            echo("64 bytes, 64 in flight", 64, 64, 1, 1_500_000),
            LONG,
            echo("64 bytes, 1 in flight, 10 connections", 64, 1, 10, 200_000),
            echo("64 bytes, 1 in flight, 100 connections", 64, 1, 100, 200_000),
            THOUSAND);

    private EchoBenchmark() {}

    private static Scenario echo(String name, int sizeBytes, int inFlight, int connections, int messages) {
        Set<Stack> stacks = EnumSet.copyOf(ECHO_STACKS);
        if (connections > 1) {
            stacks.remove(Stack.RDMA_FLOW_CONTROL);
        }
        return new Scenario(name, EchoLoad::new, stacks, sizeBytes, inFlight, connections, messages);
    }

    /** One round in this process, to see that everything runs. */
    static Map<Stack, List<EchoResult>> tryOut(Scenario scenario) throws Exception {
        Map<Stack, List<EchoResult>> results = new EnumMap<>(Stack.class);
        try (BusyNeighbours neighbours = BusyNeighbours.start(scenario.neighbours())) {
            for (Stack stack : scenario.stacks()) {
                if (stack.isAvailable()) {
                    results.put(stack, List.of(new EchoRun(stack, scenario).run(TIMEOUT_SECONDS)));
                }
            }
            neighbours.checkAlive();
        }
        return results;
    }

    /** So many rounds, with every stack in a process of its own. */
    static Map<Stack, List<EchoResult>> measure(Scenario scenario, int rounds) throws Exception {
        Map<Stack, StackProcess> processes = new EnumMap<>(Stack.class);
        Map<Stack, List<EchoResult>> results = new EnumMap<>(Stack.class);
        try {
            for (Stack stack : scenario.stacks()) {
                if (stack.isAvailable()) {
                    System.err.printf("%s: warming up %s%n", scenario.name(), stack.label());
                    processes.put(stack, StackProcess.start(scenario, stack));
                    processes.get(stack).run(Math.max(WARM_UP_MESSAGES, scenario.messages()));
                    results.put(stack, new ArrayList<>());
                }
            }
            // Not for the first turns: a compiler beside them would take minutes.
            try (BusyNeighbours neighbours = BusyNeighbours.start(scenario.neighbours())) {
                for (int round = 1; round <= rounds; round++) {
                    for (Map.Entry<Stack, StackProcess> competitor : processes.entrySet()) {
                        System.err.printf(
                                "%s: round %d of %d, %s%n",
                                scenario.name(),
                                round,
                                rounds,
                                competitor.getKey().label());
                        results.get(competitor.getKey())
                                .add(competitor.getValue().run(scenario.messages()));
                    }
                }
                neighbours.checkAlive();
            }
        } finally {
            for (StackProcess process : processes.values()) {
                process.close();
            }
        }
        return results;
    }

    static String table(Scenario scenario, Map<Stack, List<EchoResult>> results) {
        StringBuilder table = new StringBuilder("### " + scenario.name() + "\n\n"
                + "| transport | messages/s | MB/s | p50 µs | p99 µs | CPU ns/message | heap B/message "
                + "| KiB/connection | rate / epoll |\n"
                + "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        double epoll = results.containsKey(Stack.EPOLL)
                ? median(results.get(Stack.EPOLL), EchoResult::messagesPerSecond)
                : Double.NaN;
        results.forEach((stack, rounds) -> {
            double rate = median(rounds, EchoResult::messagesPerSecond);
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %,.0f | %,.0f | %.1f | %.1f | %,.0f | %.1f | %s | %s |%n",
                    stack.label(),
                    rate,
                    rate * scenario.sizeBytes() / 1e6,
                    median(rounds, EchoResult::p50Nanos) / 1e3,
                    median(rounds, EchoResult::p99Nanos) / 1e3,
                    median(rounds, EchoResult::cpuNanos),
                    median(rounds, EchoResult::allocatedBytes),
                    memory(scenario, rounds),
                    Double.isNaN(epoll) ? "-" : String.format(Locale.ROOT, "%.2f", rate / epoll)));
        });
        return table.toString();
    }

    private static String memory(Scenario scenario, List<EchoResult> rounds) {
        return scenario.connections() < MEMORY_CONNECTIONS
                ? "-"
                : String.format(Locale.ROOT, "%,.0f", median(rounds, EchoResult::memoryBytes) / 1024);
    }

    /** How the CPU time per message grows with the number of connections; one message in flight on each. */
    static String growth(Map<Scenario, Map<Stack, List<EchoResult>>> results) {
        return growth(
                SCENARIOS.stream()
                        .filter(scenario -> scenario.sizeBytes() == 64 && scenario.inFlight() == 1)
                        .toList(),
                results);
    }

    static String growth(List<Scenario> scenarios, Map<Scenario, Map<Stack, List<EchoResult>>> results) {
        StringBuilder table = new StringBuilder("### CPU ns/message by connections\n\n"
                + "| transport | connections: ns | most / with 1 (target of RDMA: ≤ 1.50) |\n|---|---|---:|\n");
        for (Stack stack : Stack.values()) {
            StringBuilder cells = new StringBuilder();
            double most = 0;
            double one = 0;
            for (Scenario scenario : scenarios) {
                List<EchoResult> rounds =
                        results.getOrDefault(scenario, Map.of()).get(stack);
                if (rounds != null) {
                    double nanos = median(rounds, EchoResult::cpuNanos);
                    cells.append(String.format(Locale.ROOT, "%,d: %,.0f  ", scenario.connections(), nanos));
                    most = Math.max(most, nanos);
                    one = scenario.connections() == 1 ? nanos : one;
                }
            }
            if (one > 0) {
                table.append(String.format(
                        Locale.ROOT,
                        "| %s | %s | %.2f |%n",
                        stack.label(),
                        cells.toString().trim(),
                        most / one));
            }
        }
        return table.toString();
    }

    static double median(List<EchoResult> rounds, ToDoubleFunction<EchoResult> value) {
        double[] sorted = rounds.stream().mapToDouble(value).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
