// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What a byte stream over RDMA costs beside epoll, with the same handlers on both. */
final class StreamBenchmark {

    private static final Set<Stack> STACKS = EnumSet.of(
            Stack.EPOLL,
            Stack.EPOLL_SPINNING,
            Stack.EPOLL_UNIX,
            Stack.RDMA_STREAM,
            Stack.RDMA_STREAM_SPINNING,
            Stack.RDMA_STREAM_DEFAULT,
            Stack.RDMA_STREAM_SHARED,
            Stack.RDMA_STREAM_SHARED_SPINNING);

    private static final int LONG_BYTES = 65_536;
    private static final int TLS_BYTES = 16 << 10;
    private static final int GIB_IN_WRITES = (1 << 30) / LONG_BYTES;

    static final Scenario ALONE = echo("64 bytes, 1 in flight", 64, 1, 1, 100_000);
    static final Scenario MANY = echo("64 bytes, 64 in flight", 64, 64, 1, 1_500_000);
    static final Scenario LONG = echo("65,536 bytes, 16 in flight", LONG_BYTES, 16, 1, 40_000);
    static final Scenario ONE_WAY =
            scenario("one way, writes of 65,536 bytes", OneWayLoad::new, LONG_BYTES, 1, 1, GIB_IN_WRITES);
    static final Scenario HTTP = scenario(
            "HTTP/1.1, bodies of 1 KiB, 16 connections", (stack, row) -> new HttpLoad(row), 1 << 10, 1, 16, 200_000);
    static final Scenario HTTP_LONG = scenario(
            "HTTP/1.1, bodies of 64 KiB, 16 connections", (stack, row) -> new HttpLoad(row), 64 << 10, 1, 16, 40_000);
    static final Scenario HTTP_2 = scenario(
            "HTTP/2, bodies of 1 KiB, 100 streams", (stack, row) -> new Http2Load(row), 1 << 10, 100, 1, 200_000);
    static final Scenario TLS = scenario("TLS 1.3, 16 KiB, 16 in flight", TlsEchoLoad::new, TLS_BYTES, 16, 1, 40_000);

    static final Scenario CONNECTS = scenario("connects, one at a time", ConnectLoad::new, 4, 1, 1, 4_000);
    static final Scenario CONNECTS_AT_ONCE = scenario("connects, 1,000 at once", ConnectLoad::new, 4, 1000, 1, 10_000);

    static final Scenario THOUSAND = echo("64 bytes, 1 in flight, 1,000 connections", 64, 1, 1000, 200_000);

    private static final List<Scenario> GROWTH =
            List.of(ALONE, echo("64 bytes, 1 in flight, 10 connections", 64, 1, 10, 200_000), THOUSAND);

    static final List<Scenario> SCENARIOS = List.of(
            ALONE,
            MANY,
            LONG,
            ONE_WAY,
            HTTP,
            HTTP_LONG,
            HTTP_2,
            TLS,
            CONNECTS,
            CONNECTS_AT_ONCE,
            GROWTH.get(1),
            THOUSAND);

    private StreamBenchmark() {}

    private static Scenario echo(String name, int sizeBytes, int inFlight, int connections, int messages) {
        return scenario(name, EchoLoad::new, sizeBytes, inFlight, connections, messages);
    }

    private static Scenario scenario(
            String name, Workload.Factory workload, int sizeBytes, int inFlight, int connections, int messages) {
        return new Scenario("streams: " + name, workload, STACKS, sizeBytes, inFlight, connections, messages);
    }

    /** Each way of waiting beside epoll's. */
    static String table(Map<Scenario, Map<Stack, List<EchoResult>>> results) {
        StringBuilder table = new StringBuilder("### Byte streams\n\n"
                + "| scenario | transport | messages/s | rate / epoll | CPU ns/message | heap B/message |\n"
                + "|---|---|---:|---:|---:|---:|\n");
        for (Scenario scenario : SCENARIOS) {
            results.getOrDefault(scenario, Map.of()).forEach((stack, rounds) -> {
                Stack peer = stack.name().endsWith("SPINNING") ? Stack.EPOLL_SPINNING : Stack.EPOLL;
                List<EchoResult> others = results.get(scenario).get(peer);
                double rate = EchoBenchmark.median(rounds, EchoResult::messagesPerSecond);
                table.append(String.format(
                        Locale.ROOT,
                        "| %s | %s | %,.0f | %s | %,.0f | %,.0f |%n",
                        scenario.name(),
                        stack.label(),
                        rate,
                        others == null
                                ? "-"
                                : String.format(
                                        Locale.ROOT,
                                        "%.2f",
                                        rate / EchoBenchmark.median(others, EchoResult::messagesPerSecond)),
                        EchoBenchmark.median(rounds, EchoResult::cpuNanos),
                        EchoBenchmark.median(rounds, EchoResult::allocatedBytes)));
            });
        }
        return table.toString();
    }

    /** How the CPU time per echo grows with the number of connections. */
    static String growth(Map<Scenario, Map<Stack, List<EchoResult>>> results) {
        return EchoBenchmark.growth(GROWTH, results);
    }
}
