// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A cluster of Spark over RDMA by the agent has the results of one over NIO. */
@Tag("programs")
class SparkClusterTest {

    private static final String AGENT = "-javaagent:" + System.getProperty("spark.agent");
    private static final int ROWS = 100_000;
    private static final int KILLED = 2;

    private static List<String> expected;

    @BeforeAll
    static void runOverNio() throws Exception {
        expected = run("nio", List.of("-Dio.netty.transport.noNative=true"));
        assertThat(expected).hasSize(5);
    }

    private static List<String> run(String name, List<String> options) throws Exception {
        try (SparkCluster cluster = cluster(name, options)) {
            return cluster.run(ROWS, print(name));
        }
    }

    private static SparkCluster cluster(String name, List<String> options) throws IOException {
        return new SparkCluster(Path.of("target", "spark", name).toAbsolutePath(), options);
    }

    private static Consumer<String> print(String name) {
        return line -> {
            if (!line.equals(SparkJob.FETCHED)) {
                System.out.println(name + ": " + line);
            }
        };
    }

    @Test
    void resultsAreEqual() throws Exception {
        try (SparkCluster cluster = cluster("rdma", List.of(AGENT))) {
            assertThat(cluster.run(ROWS, print("rdma"))).isEqualTo(expected);
            assertThat(cluster.driverErrors())
                    .anySatisfy(line -> assertThat(line).contains("TCP sockets of Netty become RDMA"))
                    .anySatisfy(line -> assertThat(line).matches(".* [1-9]\\d* connections over RDMA, 0 over TCP"));
        }
    }

    @Test
    void resultsAreEqualWhenSparkEncrypts() throws Exception {
        assertThat(run(
                        "rdma-encrypted",
                        List.of(
                                AGENT,
                                "-Dspark.network.crypto.enabled=true",
                                "-Dspark.authenticate=true",
                                "-Dspark.authenticate.secret=only-for-this-test")))
                .isEqualTo(expected);
    }

    @Test
    void resultsAreEqualWhenExecutorsAreKilledInAShuffle() throws Exception {
        try (SparkCluster cluster = cluster("rdma-killed", List.of(AGENT))) {
            Consumer<String> print = print("rdma-killed");
            AtomicInteger killed = new AtomicInteger();
            List<String> results = cluster.run(ROWS, line -> {
                print.accept(line);
                if (line.equals(SparkJob.FETCHED) && killed.getAndIncrement() < KILLED) {
                    cluster.killExecutor();
                }
            });
            assertThat(results).isEqualTo(expected);
            assertThat(killed).hasValueGreaterThanOrEqualTo(KILLED);
        }
    }
}
