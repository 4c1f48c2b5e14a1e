// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.ring;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jcstress.Main;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;

/**
 * Runs each of the {@link RingRaces} millions of times. Each actor has a processor of its own, and is interpreted or
 * compiled by one of the two compilers. Any processor shows a read that overtakes a write, and so a missing fence. x86
 * keeps the order of two writes, so there only the compilers can show that the barrier between them is missing.
 */
@Tag("benchmark")
class RingRacesTest {

    private static final Map<String, String> OPTIONS = Map.of(
            "-t",
            RingRaces.class.getSimpleName(),
            // Short, because each way to compile the actors takes a JVM of its own.
            "-m",
            "quick",
            "-iters",
            "2",
            // Rings in use at a time: two times 64. More would not stay in a cache.
            "-strideSize",
            "64",
            "-strideCount",
            "2",
            // C2 chooses by chance among the orders that it may give to instructions. Results have cache lines of their
            // own; jcstress tries that by itself, but fails where class files are in folders.
            "-jvmArgs",
            "-XX:+StressLCM -XX:+StressGCM -XX:+StressIGVN -XX:+StressCCP -XX:-RestrictContended");

    @Test
    void noRaceHasAForbiddenOutcome(@TempDir Path folder) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "-v"));
        OPTIONS.forEach((option, value) -> command.addAll(List.of(option, value)));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getInputStream().transferTo(System.out);
        int status = process.waitFor();

        Map<String, List<TestResult>> results = results(folder);
        assertThat(results.values().stream()
                        .flatMap(List::stream)
                        .flatMap(RingRacesTest::failures)
                        .distinct())
                .isEmpty();
        for (Class<?> race : RingRaces.class.getDeclaredClasses()) {
            if (race.isAnnotationPresent(JCStressTest.class)) {
                assertThat(results).containsKey(race.getCanonicalName());
                assertThat(missing(race, results.get(race.getCanonicalName()))).isEmpty();
            }
        }
        assertThat(status).as("status of jcstress, whose output is above").isZero();
    }

    /** The results of each test, one for each way in which its actors were compiled. */
    private static Map<String, List<TestResult>> results(Path folder) throws Exception {
        InProcessCollector all = new InProcessCollector();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.bin.gz")) {
            for (Path file : files) {
                DiskReadCollector reader = new DiskReadCollector(file.toString(), all);
                reader.dump();
                reader.close();
            }
        }
        return all.getTestResults().stream().collect(groupingBy(TestResult::getName));
    }

    private static Stream<String> failures(TestResult result) {
        String name = result.getName().replaceAll(".*\\.", "");
        return result.status() == Status.NORMAL
                ? result.grading().failureMessages.stream().map(message -> name + ": " + message)
                : Stream.of(name + ": " + result.status() + ' ' + result.getMessages());
    }

    /** The outcomes that were not seen of those that are seen when the actors meet. */
    private static List<String> missing(Class<?> race, List<TestResult> results) {
        return Stream.of(race.getAnnotationsByType(Outcome.class))
                .filter(outcome -> outcome.expect() == Expect.ACCEPTABLE)
                .filter(outcome -> results.stream().allMatch(result -> result.getCount(outcome.id()[0]) == 0))
                .map(outcome -> race.getSimpleName() + ": " + outcome.desc())
                .toList();
    }
}
