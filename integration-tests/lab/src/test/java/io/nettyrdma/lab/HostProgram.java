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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A program of this machine. */
final class HostProgram {

    private HostProgram() {}

    /** What a program prints, which has to succeed. */
    static String run(Duration limit, String... command) throws IOException {
        Path out = Files.createTempFile("program", ".out");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            boolean ended = Await.ended(process, limit);
            String text = Files.readString(out, StandardCharsets.UTF_8);
            if (!ended) {
                process.destroyForcibly();
                throw new AssertionError(command[0] + " has not ended within " + limit + ":\n" + text);
            }
            assertThat(process.exitValue()).as(text).isZero();
            return text;
        } finally {
            Files.delete(out);
        }
    }
}
