// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Programs of other projects, unmodified, each in a JVM of its own: over NIO, and over RDMA by the agent. Both runs
 * print the same results.
 */
@Tag("programs")
class ProgramsTest {

    /** A program, the options of its JVM and, by the property of this name, its version. */
    enum Program {
        ARMERIA(ArmeriaProgram.class),
        S3(S3Program.class),
        VERTX(VertxProgram.class),
        ZOOKEEPER(ZooKeeperProgram.class),
        ARTEMIS(ArtemisProgram.class),
        BOOKKEEPER(BookKeeperProgram.class),
        DUBBO(DubboProgram.class),
        MOQUETTE(MqttProgram.class),
        ROCKETMQ(RocketMqProgram.class),
        SOCKETIO(SocketIoProgram.class),
        SPRING(SpringProgram.class),
        RSOCKET(RSocketProgram.class),
        CASSANDRA(
                CassandraProgram.class,
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "--add-opens=java.base/java.io=ALL-UNNAMED",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
                "--add-opens=java.base/java.util=ALL-UNNAMED",
                "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED"),
        // Most of its time is the start of its many classes.
        PULSAR(PulsarProgram.class, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

        private final Class<?> main;
        private final List<String> options;

        Program(Class<?> main, String... options) {
            this.main = main;
            this.options = List.of(options);
        }

        private String version() {
            return System.getProperty("programs." + name().toLowerCase(Locale.ROOT));
        }
    }

    private static final Path FOLDER = Path.of("target", "programs").toAbsolutePath();
    private static final Pattern MOVED =
            Pattern.compile("netty-rdma-agent: .*?(\\d+) listeners and (\\d+) connections over RDMA.*");

    @ParameterizedTest
    @EnumSource
    void hasTheSameResultsOverRdma(Program program) throws Exception {
        int tcpPort = Results.closedPort();
        ProgramRun nio = run(program, "nio", tcpPort);
        ProgramRun rdma =
                run(program, "rdma", tcpPort, "-javaagent:" + System.getProperty("programs.agent") + "=tcp=" + tcpPort);
        System.out.printf(
                Locale.ROOT,
                "| %s | %s | %.1f | %.1f |%n",
                program.name().toLowerCase(Locale.ROOT),
                program.version(),
                nio.seconds(),
                rdma.seconds());
        assertThat(nio.results()).as(nio.toString()).isNotEmpty();
        assertThat(rdma.results()).as(rdma.toString()).isEqualTo(nio.results());
        assertThat(rdma.errors()).as("the last line of the agent").anySatisfy(line -> assertThat(MOVED.matcher(line))
                .matches()
                .satisfies(moved -> assertThat(Integer.parseInt(moved.group(1))).isPositive())
                .satisfies(moved -> assertThat(Integer.parseInt(moved.group(2))).isPositive()));
    }

    private static ProgramRun run(Program program, String transport, int tcpPort, String... options) throws Exception {
        List<String> all = new ArrayList<>(program.options);
        all.add("-D" + Results.TCP_PORT + "=" + tcpPort);
        all.addAll(List.of(options));
        // Without the native transports, programs that could choose epoll run over NIO.
        all.add("-Dio.netty.transport.noNative=true");
        all.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        all.add("-Xmx1g");
        ProgramRun run = ProgramRun.of(program.main, FOLDER.resolve(program + "-" + transport), all);
        assertThat(run.status()).as("%s over %s: %s", program, transport, run).isZero();
        return run;
    }
}
