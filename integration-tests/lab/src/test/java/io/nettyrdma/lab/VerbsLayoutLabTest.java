// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.ffm.LayoutConstants;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the provider {@code native} takes the fields of C's structs to be, against the headers of this machine. */
@Tag("lab")
class VerbsLayoutLabTest {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    @Test
    void fieldsLieWhereTheInstalledHeadersHaveThem() throws Exception {
        LabRequirements.requireVerbsHeaders();
        Path program = directory.resolve("verbs-layout");
        Path source = LabRequirements.moduleDir().resolve("verbs-layout.c");
        HostProgram.run(LIMIT, "gcc", "-Wall", "-Werror", "-o", program.toString(), source.toString());
        List<String> lines = HostProgram.run(LIMIT, program.toString()).lines().toList();

        assertThat(LayoutConstants.declared()).isEqualTo(LayoutConstants.printed(lines));
    }

    /** It is run by {@code integration-tests/bench/instructions} only. */
    @Test
    void pingPongThatIsCountedIsCompiledWithoutAWarning() throws Exception {
        LabRequirements.requireVerbsHeaders();
        Path source = LabRequirements.moduleDir().resolve("verbs-ping-pong.c");
        assertThat(HostProgram.run(LIMIT, "gcc", "-O2", "-Wall", "-Werror", "-fsyntax-only", source.toString()))
                .isEmpty();
    }
}
