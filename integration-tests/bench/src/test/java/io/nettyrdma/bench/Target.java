// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * A bound on a value of one stack, relative to the same value of a peer in the same run.
 *
 * @param scenario what has to run
 * @param name     what the value is
 * @param value    the value, of which the median over the rounds counts
 * @param stack    whose value
 * @param peer     compared with whose
 * @param relation how the two are compared
 * @param limit    bound on the outcome
 */
record Target(
        String scenario,
        String name,
        ToDoubleFunction<EchoResult> value,
        Stack stack,
        Stack peer,
        Relation relation,
        double limit) {

    /** How values are compared. */
    enum Relation {
        RATIO_AT_LEAST("≥ %.2f x"),
        RATIO_AT_MOST("≤ %.2f x"),
        DIFFERENCE_AT_MOST("≤ %.0f more");

        private final String format;

        Relation(String format) {
            this.format = format;
        }
    }

    static final List<Target> ALL = List.of(
            latency("64 bytes, 1 in flight", Stack.RDMA, Stack.EPOLL, 1.05),
            latency("64 bytes, 1 in flight", Stack.RDMA_SPINNING, Stack.EPOLL_SPINNING, 1.2),
            rate("64 bytes, 64 in flight", Stack.RDMA, Stack.EPOLL, 0.75),
            rate("64 bytes, 64 in flight", Stack.RDMA, Stack.EPOLL_FRAMED, 1.1),
            rate("64 bytes, 64 in flight", Stack.RDMA_FLOW_CONTROL, Stack.RDMA, 0.95),
            rate(EchoBenchmark.LONG.name(), Stack.RDMA, Stack.EPOLL, 1),
            rate(EchoBenchmark.LONG.name(), Stack.RDMA_DEFAULT, Stack.EPOLL, 0.9),
            rate(EchoBenchmark.LONG.name(), Stack.RDMA_FLOW_CONTROL, Stack.EPOLL, 0.9),
            rate(EchoBenchmark.THOUSAND.name(), Stack.RDMA, Stack.EPOLL, 0.95),
            allocation("64 bytes, 1 in flight", 16),
            allocation("64 bytes, 64 in flight", 16),
            allocation(EchoBenchmark.LONG.name(), 16),
            rate(NeighbourBenchmark.MANY.name(), Stack.RDMA_DEFAULT, Stack.EPOLL, 0.6),
            latency(NeighbourBenchmark.ALONE.name(), Stack.RDMA_DEFAULT, Stack.EPOLL, 1.5),
            tail(NeighbourBenchmark.ALONE.name(), Stack.RDMA_DEFAULT, Stack.EPOLL, 2),
            rate(NeighbourBenchmark.LONG.name(), Stack.RDMA_DEFAULT, Stack.EPOLL, 0.9),
            rate(RpcBenchmark.NULL_ALONE.name(), Stack.RDMA, Stack.EPOLL, 0.95),
            rate(RpcBenchmark.NULL_MANY.name(), Stack.RDMA, Stack.EPOLL, 1.2),
            cpu(RpcBenchmark.NULL_MANY, Stack.RDMA, 1),
            rate(RpcBenchmark.THOUSAND.name(), Stack.RDMA, Stack.EPOLL, 0.95),
            rate(RpcBenchmark.READ.name(), Stack.RDMA, Stack.EPOLL, 1.5),
            rate(RpcBenchmark.WRITE.name(), Stack.RDMA, Stack.EPOLL, 1.5),
            allocation(RpcBenchmark.NULL_ALONE.name(), 64),
            allocation(RpcBenchmark.NULL_MANY.name(), 64),
            version(VersionBenchmark.NULL_ALONE, 0.95),
            version(VersionBenchmark.NULL_MANY, 0.95),
            version(VersionBenchmark.LONG_CALLS, 1.3),
            version(VersionBenchmark.LONG_REPLIES, 0.95),
            version(VersionBenchmark.LONG_BOUNDS, 1.3),
            latency(StreamBenchmark.ALONE.name(), Stack.RDMA_STREAM, Stack.EPOLL, 1.1),
            stream(StreamBenchmark.MANY, 1),
            stream(StreamBenchmark.LONG, 0.9),
            cpu(StreamBenchmark.LONG, Stack.RDMA_STREAM, 1.15),
            stream(StreamBenchmark.ONE_WAY, 0.95),
            cpu(StreamBenchmark.ONE_WAY, Stack.RDMA_STREAM, 1.15),
            stream(StreamBenchmark.HTTP, 0.95),
            stream(StreamBenchmark.HTTP_LONG, 0.95),
            stream(StreamBenchmark.HTTP_2, 0.95),
            stream(StreamBenchmark.TLS, 0.95),
            stream(StreamBenchmark.THOUSAND, 0.95),
            stream(StreamBenchmark.CONNECTS, 0.67),
            stream(StreamBenchmark.CONNECTS_AT_ONCE, 0.67),
            allocation(StreamBenchmark.ALONE.name(), Stack.RDMA_STREAM, Stack.EPOLL, 16),
            allocation(StreamBenchmark.MANY.name(), Stack.RDMA_STREAM, Stack.EPOLL, 16));

    private static Target stream(Scenario scenario, double limit) {
        return rate(scenario.name(), Stack.RDMA_STREAM, Stack.EPOLL, limit);
    }

    private static Target latency(String scenario, Stack stack, Stack peer, double limit) {
        return new Target(
                scenario, "median round trip", EchoResult::p50Nanos, stack, peer, Relation.RATIO_AT_MOST, limit);
    }

    private static Target tail(String scenario, Stack stack, Stack peer, double limit) {
        return new Target(
                scenario, "99th percentile", EchoResult::p99Nanos, stack, peer, Relation.RATIO_AT_MOST, limit);
    }

    private static Target rate(String scenario, Stack stack, Stack peer, double limit) {
        return new Target(
                scenario, "messages/s", EchoResult::messagesPerSecond, stack, peer, Relation.RATIO_AT_LEAST, limit);
    }

    private static Target version(Scenario scenario, double limit) {
        return rate(scenario.name(), Stack.RDMA_VERSION_2, Stack.RDMA, limit);
    }

    private static Target cpu(Scenario scenario, Stack stack, double limit) {
        return new Target(
                scenario.name(), "CPU time", EchoResult::cpuNanos, stack, Stack.EPOLL, Relation.RATIO_AT_MOST, limit);
    }

    private static Target allocation(String scenario, double limitBytes) {
        return allocation(scenario, Stack.RDMA, Stack.EPOLL, limitBytes);
    }

    private static Target allocation(String scenario, Stack stack, Stack peer, double limitBytes) {
        return new Target(
                scenario,
                "heap B/message",
                EchoResult::allocatedBytes,
                stack,
                peer,
                Relation.DIFFERENCE_AT_MOST,
                limitBytes);
    }

    static String header() {
        return "### Targets\n\n| scenario | value | transport | peer | target | measured | |\n"
                + "|---|---|---|---|---|---:|---|\n";
    }

    /** One line of the table, or nothing if this machine lacks the peer. */
    String row(Map<Stack, List<EchoResult>> results) {
        List<EchoResult> own = results.get(stack);
        List<EchoResult> others = results.get(peer);
        if (own == null || others == null) {
            return "";
        }
        double a = EchoBenchmark.median(own, value);
        double b = EchoBenchmark.median(others, value);
        double outcome = relation == Relation.DIFFERENCE_AT_MOST ? a - b : a / b;
        boolean met = relation == Relation.RATIO_AT_LEAST ? outcome >= limit : outcome <= limit;
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | " + relation.format + " | %.2f | %s |%n",
                scenario,
                name,
                stack.label(),
                peer.label(),
                limit,
                outcome,
                met ? "met" : "missed");
    }
}
