// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Programs of other projects, unmodified, each in a JVM of its own: over NIO, and over RDMA by the agent. Both runs
 * print the same results.
 */
@Tag("programs")
class ProgramsTest {

    /** A program and, by the property of this name, its version. */
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
        SOCKETIO(SocketIoProgram.class);

        private final Class<?> main;

        Program(Class<?> main) {
            this.main = main;
        }

        private String version() {
            return System.getProperty("programs." + name().toLowerCase(Locale.ROOT));
        }
    }

    private static final Path FOLDER = Path.of("target", "programs").toAbsolutePath();

    @ParameterizedTest
    @EnumSource
    void runsOverNio(Program program) throws Exception {
        ProgramRun nio = run(program, "nio");
        System.out.printf(Locale.ROOT, "| %s | %s | %.1f |%n", program, program.version(), nio.seconds());
        System.out.println(String.join("\n", nio.results()));
        assertThat(nio.results()).as(nio.toString()).isNotEmpty();
    }

    private static ProgramRun run(Program program, String transport, String... options) throws Exception {
        // Without the native transports, programs that could choose epoll run over NIO.
        List<String> all = new ArrayList<>(List.of(
                "-Dio.netty.transport.noNative=true", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Xmx1g"));
        all.addAll(List.of(options));
        ProgramRun run = ProgramRun.of(program.main, FOLDER.resolve(program + "-" + transport), all);
        assertThat(run.status()).as("%s over %s: %s", program, transport, run).isZero();
        return run;
    }
}
