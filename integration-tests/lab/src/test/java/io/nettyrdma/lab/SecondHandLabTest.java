// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The implementation of version 2 that is not this project's Java, and the judge of captures that came with it. */
@Tag("lab")
class SecondHandLabTest {

    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Path HERE = LabRequirements.moduleDir().resolve("v2peer");

    @TempDir
    private Path directory;

    @Test
    void peerIsCompiledWithoutAWarning() throws Exception {
        LabRequirements.requireVerbsHeaders();
        assertThat(HostProgram.run(LIMIT, "make", "-C", HERE.toString(), "OUT=" + directory))
                .doesNotContain("warning");
        assertThat(HostProgram.run(LIMIT, directory.resolve("v2peer").toString(), "--help"))
                .contains("--listen");
    }

    @Test
    void checkerFindsOneViolationOfEachRuleAndNoneInACleanCapture() throws Exception {
        LabRequirements.requireTshark();
        assertThat(HostProgram.run(LIMIT, HERE.resolve("check-the-checker").toString(), directory.toString()))
                .contains("each one as expected");
    }
}
