// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Benchmarks that nobody runs rot: a few messages through each. */
@Tag("benchmark")
class BenchmarkSmokeTest {

    /** More make no difference to what runs, but to how long it takes. */
    private static final int MOST_CONNECTIONS = 100;

    private static final int MESSAGES = 200;

    @Test
    void headerBenchmarkRuns() {
        assertThat(HeaderBenchmark.table(1, 1000)).contains("| encode, no chunks |", "| decode, no chunks |");
    }

    @Test
    void everyStackRuns() throws Exception {
        Scenario scenario = EchoBenchmark.SCENARIOS.get(0).withMessages(MESSAGES);
        assertThat(EchoBenchmark.table(scenario, EchoBenchmark.tryOut(scenario))
                        .lines()
                        .filter(line -> line.startsWith("| RDMA")))
                .hasSize(4);
    }

    @Test
    void everyScenarioRuns() throws Exception {
        Map<Scenario, Map<Stack, List<EchoResult>>> all = new HashMap<>();
        for (Scenario scenario : EchoBenchmark.SCENARIOS) {
            if (scenario.connections() <= MOST_CONNECTIONS) {
                Scenario few = scenario.withMessages(MESSAGES).withStacks(EnumSet.of(Stack.EPOLL, Stack.RDMA));
                Map<Stack, List<EchoResult>> results = EchoBenchmark.tryOut(few);
                assertThat(EchoBenchmark.table(few, results)).contains("| " + Stack.RDMA.label());
                all.put(scenario, results);
            }
        }
        assertThat(EchoBenchmark.growth(all)).contains("| " + Stack.RDMA.label());
    }

    @Test
    void neighboursComputeBesideBothTransportsAndEnd() throws Exception {
        Scenario few =
                NeighbourBenchmark.MANY.withMessages(MESSAGES).withStacks(EnumSet.of(Stack.EPOLL, Stack.RDMA_DEFAULT));
        Map<Stack, List<EchoResult>> results = EchoBenchmark.tryOut(few);
        assertThat(Target.ALL.stream()
                        .filter(target -> target.scenario().equals(few.name()))
                        .map(target -> target.row(results)))
                .hasSize(1)
                .allMatch(row -> row.contains("| " + Stack.RDMA_DEFAULT.label()));
    }

    @Test
    void everyKindOfStreamRuns() throws Exception {
        Map<Scenario, Map<Stack, List<EchoResult>>> all = new HashMap<>();
        for (Scenario scenario : StreamBenchmark.SCENARIOS) {
            if (scenario.connections() <= MOST_CONNECTIONS) {
                Scenario few =
                        scenario.withMessages(MESSAGES / 10).withStacks(EnumSet.of(Stack.EPOLL, Stack.RDMA_STREAM));
                all.put(scenario, EchoBenchmark.tryOut(few));
            }
        }
        assertThat(StreamBenchmark.table(all).lines().filter(line -> line.contains(Stack.RDMA_STREAM.label())))
                .hasSize(all.size());
    }

    @Test
    void everyKindOfCallRunsOverTcpAndRdma() throws Exception {
        Map<Scenario, Map<Stack, List<EchoResult>>> all = new HashMap<>();
        for (Scenario scenario : RpcBenchmark.SCENARIOS) {
            if (scenario.connections() <= MOST_CONNECTIONS / 10) {
                Scenario few = scenario.withMessages(MESSAGES / 10).withStacks(EnumSet.of(Stack.EPOLL, Stack.RDMA));
                Map<Stack, List<EchoResult>> results = EchoBenchmark.tryOut(few);
                assertThat(results).containsKey(Stack.RDMA);
                all.put(few, results);
            }
        }
        assertThat(RpcBenchmark.segmentGrowth(all)).contains("| READ | 1: ").contains("| WRITE | 1: ");
    }

    @Test
    void bothVersionsRunEachKindOfCall() throws Exception {
        Map<Scenario, Map<Stack, List<EchoResult>>> all = new HashMap<>();
        StringBuilder targets = new StringBuilder();
        for (Scenario scenario : VersionBenchmark.SCENARIOS) {
            Map<Stack, List<EchoResult>> results = EchoBenchmark.tryOut(scenario.withMessages(MESSAGES / 10));
            all.put(scenario, results);
            Target.ALL.stream()
                    .filter(target -> target.scenario().equals(scenario.name()))
                    .forEach(target -> targets.append(target.row(results)));
        }
        assertThat(VersionBenchmark.table(all).lines().filter(line -> line.startsWith("| versions: ")))
                .hasSize(8);
        assertThat(VersionBenchmark.growth(all).lines().filter(line -> line.matches("\\| [0-9]+ \\| (1|16) \\|.*")))
                .hasSize(14);
        assertThat(targets.toString().lines()).hasSize(5).allMatch(line -> line.contains("| " + Stack.RDMA.label()));
    }

    @Test
    void targetIsMetOrMissedByTheMedianOfTheRounds() {
        Target rate = new Target(
                "any",
                "messages/s",
                EchoResult::messagesPerSecond,
                Stack.RDMA,
                Stack.NIO,
                Target.Relation.RATIO_AT_LEAST,
                0.9);

        assertThat(rate.row(Map.of(Stack.NIO, List.of(result(100)), Stack.RDMA, List.of(result(90)))))
                .contains("| 0.90 | met |");
        assertThat(rate.row(Map.of(Stack.NIO, List.of(result(100)), Stack.RDMA, List.of(result(89)))))
                .contains("| 0.89 | missed |");
        assertThat(rate.row(Map.of(Stack.RDMA, List.of(result(90))))).isEmpty();
    }

    @Test
    void instructionsAreCountedRoundByRoundAfterAWarmUp() throws Exception {
        List<InstructionCount.Row> rows = Stream.concat(InstructionCount.ECHO.stream(), InstructionCount.NULL.stream())
                .map(row -> new InstructionCount.Row(row.scenario().withMessages(100), 1))
                .toList();
        assertThat(counted("RDMA", rows, 2))
                .hasSize(2 * rows.size())
                .first()
                .asString()
                .matches("count:64 bytes, 1 in flight\tRDMA\t[0-9.]+\t[0-9.]+\t[0-9.]+");
    }

    @Test
    void instructionsOfVerbsAreCountedToo() throws Exception {
        List<InstructionCount.Row> rows = InstructionCount.PING_PONG.stream()
                .map(row -> new InstructionCount.Row(row.scenario().withMessages(100), 1))
                .toList();
        for (String name : List.of("NONE", "REGISTRATION")) {
            assertThat(counted(name, rows, 3))
                    .hasSize(3)
                    .allMatch(line -> line.contains("64 bytes, 1 in flight\t" + name));
        }
    }

    private static List<String> counted(String name, List<InstructionCount.Row> rows, int rounds) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (InstructionCount count = new InstructionCount(
                name, InstructionCount.opener(name), Double.POSITIVE_INFINITY, new PrintStream(out, true, UTF_8))) {
            count.run(rows, rounds);
        }
        return out.toString(UTF_8)
                .lines()
                .filter(line -> line.startsWith(InstructionCount.RESULT))
                .toList();
    }

    @Test
    void processOfAStackHasItsTurnsAndEnds() throws Exception {
        try (StackProcess process = StackProcess.start(EchoBenchmark.SCENARIOS.get(0), Stack.RDMA)) {
            assertThat(process.run(100).messagesPerSecond()).isPositive();
            assertThat(process.run(200).p50Nanos()).isPositive();
        }
    }

    private static EchoResult result(double messagesPerSecond) {
        return new EchoResult(messagesPerSecond, 0, 0, 0, 0, 0);
    }
}
