// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Version 2 of RPC-over-RDMA beside version 1: the same calls, with chunks in version 1 and continued in version 2 if
 * they do not fit into one Send.
 */
final class VersionBenchmark {

    private static final int NULL_BYTES = 40;
    private static final int CALL_BYTES = PlainCall.HEADER_BYTES + (8 << 10);
    private static final int REPLY_BYTES = 12 << 10;
    private static final int BOUND_BYTES = 64 << 10;
    private static final List<Integer> GROWTH_KIB = List.of(4, 8, 16, 32, 64, 128, 256);
    private static final List<Integer> GROWTH_IN_FLIGHT = List.of(1, 16);

    static final Scenario NULL_ALONE =
            scenario("versions: NULL calls, 1 in flight", Nfs3Call.NULL, NULL_BYTES, 1, 100_000);
    static final Scenario NULL_MANY =
            scenario("versions: NULL calls, 64 in flight", Nfs3Call.NULL, NULL_BYTES, 64, 1_000_000);
    static final Scenario LONG_CALL =
            scenario("versions: arguments of 8 KiB, 1 in flight", PlainCall.LONG_CALL, CALL_BYTES, 1, 50_000);
    static final Scenario LONG_CALLS =
            scenario("versions: arguments of 8 KiB, 16 in flight", PlainCall.LONG_CALL, CALL_BYTES, 16, 100_000);
    static final Scenario LONG_REPLY =
            scenario("versions: replies of 12 KiB, 1 in flight", PlainCall.LONG_REPLY, REPLY_BYTES, 1, 50_000);
    static final Scenario LONG_REPLIES =
            scenario("versions: replies of 12 KiB, 16 in flight", PlainCall.LONG_REPLY, REPLY_BYTES, 16, 100_000);
    static final Scenario LONG_BOUND = scenario(
            "versions: short replies, bound 64 KiB, 1 in flight", PlainCall.LONG_BOUND, BOUND_BYTES, 1, 50_000);
    static final Scenario LONG_BOUNDS = scenario(
            "versions: short replies, bound 64 KiB, 16 in flight", PlainCall.LONG_BOUND, BOUND_BYTES, 16, 100_000);

    private static final List<Scenario> ROWS =
            List.of(NULL_ALONE, NULL_MANY, LONG_CALL, LONG_CALLS, LONG_REPLY, LONG_REPLIES, LONG_BOUND, LONG_BOUNDS);

    static final List<Scenario> SCENARIOS = scenarios();

    private VersionBenchmark() {}

    private static List<Scenario> scenarios() {
        List<Scenario> all = new ArrayList<>(ROWS);
        for (int kib : GROWTH_KIB) {
            for (int inFlight : GROWTH_IN_FLIGHT) {
                all.add(growing(kib, inFlight));
            }
        }
        return List.copyOf(all);
    }

    private static Scenario growing(int kib, int inFlight) {
        String name = String.format(Locale.ROOT, "versions by length: %d KiB, %d in flight", kib, inFlight);
        return scenario(name, PlainCall.LONG_CALL, kib << 10, inFlight, 200_000 / kib);
    }

    private static Scenario scenario(String name, Procedure call, int sizeBytes, int inFlight, int calls) {
        return new Scenario(
                name,
                (stack, scenario) -> new RpcLoad(call, stack, scenario),
                EnumSet.of(Stack.RDMA, Stack.RDMA_VERSION_2),
                sizeBytes,
                inFlight,
                1,
                calls);
    }

    /** Both versions side by side. */
    static String table(Map<Scenario, Map<Stack, List<EchoResult>>> results) {
        StringBuilder table = new StringBuilder("### Versions 1 and 2\n\n"
                + "| scenario | 1: calls/s | 2: calls/s | 2 / 1 | 1: CPU ns/call | 2: CPU ns/call "
                + "| 1: heap B/call | 2: heap B/call |\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
        for (Scenario scenario : ROWS) {
            Map<Stack, List<EchoResult>> measured = results.get(scenario);
            if (measured != null) {
                table.append(String.format(
                        Locale.ROOT,
                        "| %s | %s | %s | %s |%n",
                        scenario.name(),
                        rates(measured),
                        both(measured, EchoResult::cpuNanos, "%,.0f"),
                        both(measured, EchoResult::allocatedBytes, "%,.1f")));
            }
        }
        return table.toString();
    }

    /** From what length on a read chunk of version 1 moves a call faster than several Sends of version 2. */
    static String growth(Map<Scenario, Map<Stack, List<EchoResult>>> results) {
        StringBuilder table = new StringBuilder("### Calls by length: a read chunk of version 1, Sends of version 2\n\n"
                + "| KiB | in flight | 1: calls/s | 2: calls/s | 2 / 1 |\n|---:|---:|---:|---:|---:|\n");
        for (int inFlight : GROWTH_IN_FLIGHT) {
            for (int kib : GROWTH_KIB) {
                String name = growing(kib, inFlight).name();
                results.forEach((scenario, measured) -> {
                    if (scenario.name().equals(name)) {
                        table.append(String.format(Locale.ROOT, "| %d | %d | %s |%n", kib, inFlight, rates(measured)));
                    }
                });
            }
        }
        return table.toString();
    }

    private static String rates(Map<Stack, List<EchoResult>> measured) {
        double one = EchoBenchmark.median(measured.get(Stack.RDMA), EchoResult::messagesPerSecond);
        double two = EchoBenchmark.median(measured.get(Stack.RDMA_VERSION_2), EchoResult::messagesPerSecond);
        return String.format(Locale.ROOT, "%,.0f | %,.0f | %.2f", one, two, two / one);
    }

    private static String both(
            Map<Stack, List<EchoResult>> measured, ToDoubleFunction<EchoResult> value, String format) {
        return String.format(
                Locale.ROOT,
                format + " | " + format,
                EchoBenchmark.median(measured.get(Stack.RDMA), value),
                EchoBenchmark.median(measured.get(Stack.RDMA_VERSION_2), value));
    }
}
