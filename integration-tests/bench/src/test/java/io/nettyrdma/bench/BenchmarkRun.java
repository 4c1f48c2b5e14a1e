// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The benchmarks, run by {@code mvn verify -Pbenchmark}; results go to the console and to {@code
 * integration-tests/bench/target/benchmarks.md}. {@code -Dbench.rounds=5} sets the number of rounds, {@code
 * -Dbench.only=64} selects scenarios in whose name the regular expression is found, {@code -Dbench.share=0.2} sends
 * that share of the messages. {@code -Dio.nettyrdma.soft.crcMode=never} measures without CRCs.
 */
@Tag("benchmark")
class BenchmarkRun {

    private static final int HEADER_OPERATIONS = 5_000_000;

    @Test
    void benchmarks() throws Exception {
        int rounds = Integer.getInteger("bench.rounds", 5);
        Pattern only = Pattern.compile(System.getProperty("bench.only", ""));
        double share = Double.parseDouble(System.getProperty("bench.share", "1"));
        StringBuilder report = new StringBuilder();
        add(report, Surroundings.text(rounds));
        if (only.matcher("headers of versions").find()) {
            add(report, HeaderBenchmark.table(rounds, HEADER_OPERATIONS));
        }
        StringBuilder targets = new StringBuilder(Target.header());
        Map<Scenario, Map<Stack, List<EchoResult>>> results = new HashMap<>();
        for (Scenario scenario : Scenarios.ALL) {
            if (only.matcher(scenario.name()).find()) {
                Map<Stack, List<EchoResult>> measured = EchoBenchmark.measure(
                        scenario.withMessages((int) Math.max(1, share * scenario.messages())), rounds);
                results.put(scenario, measured);
                add(report, EchoBenchmark.table(scenario, measured));
                Target.ALL.stream()
                        .filter(target -> target.scenario().equals(scenario.name()))
                        .forEach(target -> targets.append(target.row(measured)));
            }
        }
        add(report, EchoBenchmark.growth(results));
        add(report, RpcBenchmark.connectionGrowth(results));
        add(report, RpcBenchmark.segmentGrowth(results));
        add(report, VersionBenchmark.table(results));
        add(report, VersionBenchmark.growth(results));
        add(report, StreamBenchmark.table(results));
        add(report, StreamBenchmark.growth(results));
        add(report, targets.toString());
        Files.writeString(Path.of("target", "benchmarks.md"), report);
    }

    private static void add(StringBuilder report, String table) {
        System.out.println(table);
        report.append(table).append(System.lineSeparator());
    }
}
