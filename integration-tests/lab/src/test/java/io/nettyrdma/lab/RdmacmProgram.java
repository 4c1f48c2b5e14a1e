/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
