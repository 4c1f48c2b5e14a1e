// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.nio.file.Path;

/** A program in C of the lab that uses librdmacm. */
final class RdmacmProgram {

    private RdmacmProgram() {}

    /** Compiles {@code lab/NAME.c} into a directory, and returns the program. */
    static Path make(Path directory, String name) throws IOException {
        LabRequirements.requireVerbsHeaders();
        Path program = directory.resolve(name);
        Path source = LabRequirements.moduleDir().resolve(name + ".c");
        HostProgram.run(
                Deadline.DURATION,
                "gcc",
                "-O2",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-o",
                program.toString(),
                source.toString(),
                "-lrdmacm");
        return program;
    }
}
