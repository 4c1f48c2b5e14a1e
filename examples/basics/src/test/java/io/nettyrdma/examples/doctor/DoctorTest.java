// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.ProviderNeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {

    /** Of which a step has a tenth. */
    private static final int SECONDS = 10 * Deadline.SECONDS;

    @TempDir
    private Path root;

    private final List<String> lines = new ArrayList<>();

    @Test
    void machineWithoutADeviceWorksInSoftwareAndIsToldWhatIsMissing() throws Exception {
        Map<String, List<ProviderNeed>> needs = new LinkedHashMap<>();
        needs.put(
                "native",
                List.of(
                        new ProviderNeed("an RDMA device", "no RDMA device in /sys", "modprobe siw"),
                        new ProviderNeed("Java 22 or newer", null, "export JAVA_HOME=FOLDER"),
                        new ProviderNeed("access to /dev/rdma_cm", "may not read it", "usermod -aG rdma $USER")));
        needs.put("soft", List.of());
        Path report = Files.writeString(root.resolve("report.txt"), "an older one");

        int code = Doctor.run(root, needs, lines::add, report, SECONDS);

        assertThat(lines)
                .endsWith(
                        "== verdict",
                        "works, but only in software: no RDMA device in /sys",
                        "Please send report.txt, the report of examples/run doctor: CONTRIBUTING.md says where, under"
                                + " \"Ask and report\".");
        assertThat(code).isOne();
        assertThat(lines)
                .containsSubsequence(
                        "== needs of provider native",
                        "missing an RDMA device: no RDMA device in /sys",
                        "        mend by: modprobe siw",
                        "ok      Java 22 or newer",
                        "missing access to /dev/rdma_cm: may not read it",
                        "        mend by: usermod -aG rdma $USER",
                        "== needs of provider soft: none");
        int software = lines.indexOf("== proof of the software provider");
        int tcp = lines.indexOf("== proof of TCP, to compare with");
        assertThat(lines.subList(software + 1, tcp))
                .zipSatisfy(
                        List.of(
                                "connects to itself, private data both ways: compared; RdmaCapabilities[",
                                "messages: 34 lengths from 1 to 4,096 bytes compared",
                                "RDMA Write and Read: 52 lengths from 1 to 262,144 bytes compared",
                                "invalidated memory is refused: the read fails, and both sides close",
                                "messages: loss of the peer: seen after ",
                                "messages: round trip of 64 bytes: p50 ",
                                "messages: 16 times 4096 bytes in flight, there and back: ",
                                "byte stream: 4,194,304 bytes there and back, the checksum is right",
                                "byte stream: loss of the peer: seen after ",
                                "byte stream: round trip of 64 bytes: p50 ",
                                "byte stream: 16 times 65536 bytes in flight, there and back: "),
                        (line, step) -> assertThat(line).startsWith("ok      " + step));
        assertThat(lines.subList(tcp + 1, lines.indexOf("== verdict")))
                .hasSize(4)
                .allMatch(line -> line.startsWith("ok      byte stream"));
        assertThat(Files.readAllLines(report)).isEqualTo(lines);
    }

    @Test
    void reportFollowsNoLink() throws Exception {
        Path other = Files.writeString(root.resolve("other"), "of another user");
        Path link = Files.createSymbolicLink(root.resolve("link"), other);

        assertThatThrownBy(() -> Doctor.run(root, Map.of(), lines::add, link, SECONDS))
                .isInstanceOf(IOException.class)
                .hasMessage(link + " is not a regular file; choose another place for the report");

        assertThat(lines).isEmpty();
        assertThat(other).hasContent("of another user");
    }

    @Test
    void stepThatFailsHidesNoOther() throws Exception {
        // An address for documents, which no machine has.
        String failure = Trial.run(
                "soft", List.of("rdma", "timed", "1", "203.0.113.1"), TimeUnit.SECONDS.toMillis(SECONDS), lines::add);

        assertThat(failure).startsWith("connects to itself, private data both ways: ");
        assertThat(lines)
                .filteredOn(line -> line.startsWith("failed  "))
                .hasSizeGreaterThan(5)
                .anyMatch(line -> line.startsWith("failed  RDMA Write and Read: "))
                .anyMatch(line -> line.startsWith("failed  messages: loss of the peer: "));
    }

    @Test
    void providerThatIsNotThereFailsByItsReason() throws Exception {
        String failure = Trial.run(
                "nowhere", List.of("rdma", "timed", "1", "127.0.0.1"), TimeUnit.SECONDS.toMillis(SECONDS), lines::add);

        assertThat(failure).contains("-Dio.nettyrdma.provider=nowhere names no provider");
    }

    @Test
    void proofTellsNoTimesIfTheyWouldSayNothing() throws Exception {
        String failure = Trial.run(
                "soft", List.of("tcp", "untimed", "60", "127.0.0.1"), TimeUnit.SECONDS.toMillis(SECONDS), lines::add);

        assertThat(failure).isNull();
        assertThat(lines)
                .contains("ok      byte stream: loss of the peer: seen")
                .contains("ok      byte stream: round trip of 64 bytes: done");
    }

    @Test
    void proofThatDoesNotEndIsEnded() throws Exception {
        assertThat(Trial.run("soft", List.of("rdma", "timed", "1", "127.0.0.1"), 1, lines::add))
                .startsWith("the proof did not reach its end (exit status ");
    }
}
