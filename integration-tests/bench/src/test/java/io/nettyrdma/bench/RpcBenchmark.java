// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** RPC-over-RDMA against RPC over TCP with record marks: the same calls, the same replies, the same futures. */
final class RpcBenchmark {

    private static final Set<Stack> CALL_STACKS =
            EnumSet.of(Stack.EPOLL, Stack.EPOLL_SPINNING, Stack.RDMA, Stack.RDMA_SPINNING, Stack.RDMA_DEFAULT);
    private static final Set<Stack> BULK_STACKS =
            EnumSet.of(Stack.EPOLL, Stack.RDMA, Stack.RDMA_DEFAULT, Stack.RDMA_SHARED);
    private static final int NULL_BYTES = 40;
    private static final int BULK_BYTES = 1 << 20;
    private static final int SEGMENTED_BYTES = 1 << 16;

    static final Scenario NULL_ALONE = nullCalls("NULL calls, 1 in flight", 1, 1, 100_000);
    static final Scenario NULL_MANY = nullCalls("NULL calls, 64 in flight", 64, 1, 1_000_000);
    static final Scenario READ = bulk("NFS READ of 1 MiB, 4 in flight", Nfs3Call.READ);
    static final Scenario WRITE = bulk("NFS WRITE of 1 MiB, 4 in flight", Nfs3Call.WRITE);

    static final Scenario THOUSAND = nullCalls("NULL calls, 1 in flight, 1,000 connections", 1, 1000, 100_000);

    private static final List<Scenario> CONNECTIONS = List.of(
            NULL_ALONE,
            nullCalls("NULL calls, 1 in flight, 10 connections", 1, 10, 100_000),
            nullCalls("NULL calls, 1 in flight, 100 connections", 1, 100, 100_000),
            THOUSAND);

    private static final List<Integer> SEGMENTS = List.of(1, 4, 16, 64);

    static final List<Scenario> SCENARIOS = scenarios();

    private RpcBenchmark() {}

    private static List<Scenario> scenarios() {
        List<Scenario> all = new ArrayList<>(CONNECTIONS);
        all.addAll(List.of(NULL_MANY, READ, WRITE));
        for (int segments : SEGMENTS) {
            all.add(segmented(Nfs3Call.READ, segments));
            all.add(segmented(Nfs3Call.WRITE, segments));
        }
        return List.copyOf(all);
    }

    private static Scenario nullCalls(String name, int inFlight, int connections, int calls) {
        return new Scenario(
                name,
                (stack, scenario) -> new RpcLoad(Nfs3Call.NULL, stack, scenario),
                CALL_STACKS,
                NULL_BYTES,
                inFlight,
                connections,
                calls);
    }

    private static Scenario bulk(String name, Nfs3Call call) {
        return new Scenario(
                name, (stack, scenario) -> new RpcLoad(call, stack, scenario), BULK_STACKS, BULK_BYTES, 4, 1, 2000);
    }

    private static Scenario segmented(Nfs3Call call, int segments) {
        return new Scenario(
                segmentedName(call, segments),
                (stack, scenario) -> new SegmentLoad(call, segments, scenario),
                EnumSet.of(Stack.RDMA),
                SEGMENTED_BYTES,
                1,
                1,
                10_000);
    }

    private static String segmentedName(Nfs3Call call, int segments) {
        return String.format(Locale.ROOT, "NFS %s of 64 KiB, %d segments", call, segments);
    }

    /** How the CPU time per call grows with the number of connections. */
    static String connectionGrowth(Map<Scenario, Map<Stack, List<EchoResult>>> results) {
        return EchoBenchmark.growth(CONNECTIONS, results);
    }

    /** How the CPU time per call grows with the number of segments its data is divided into. */
    static String segmentGrowth(Map<Scenario, Map<Stack, List<EchoResult>>> results) {
        StringBuilder table = new StringBuilder("### CPU ns/call by segments of one chunk, 64 KiB\n\n"
                + "| call | segments: ns | ns/segment, each step |\n|---|---|---|\n");
        for (Nfs3Call call : List.of(Nfs3Call.READ, Nfs3Call.WRITE)) {
            StringBuilder totals = new StringBuilder();
            StringBuilder steps = new StringBuilder();
            int fewer = 0;
            double before = 0;
            for (int segments : SEGMENTS) {
                String name = segmentedName(call, segments);
                for (Map.Entry<Scenario, Map<Stack, List<EchoResult>>> entry : results.entrySet()) {
                    if (entry.getKey().name().equals(name)) {
                        double nanos = EchoBenchmark.median(entry.getValue().get(Stack.RDMA), EchoResult::cpuNanos);
                        totals.append(String.format(Locale.ROOT, "%d: %,.0f  ", segments, nanos));
                        if (fewer > 0) {
                            steps.append(String.format(Locale.ROOT, "%,.0f  ", (nanos - before) / (segments - fewer)));
                        }
                        fewer = segments;
                        before = nanos;
                    }
                }
            }
            if (fewer > 0) {
                table.append("| ")
                        .append(call)
                        .append(" | ")
                        .append(totals)
                        .append("| ")
                        .append(steps)
                        .append("|\n");
            }
        }
        return table.toString();
    }
}
