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

import org.junit.jupiter.api.Test;

/** Commands of the README, without the lab. */
class ReadmeProgramTest {

    @Test
    void labRunsAllCommandsThatTheReadmeHas() throws Exception {
        assertThat(ReadmeProgram.commands())
                .extracting(
                        command -> command.replaceFirst("^LD_PRELOAD=\\S+ ", "").split(" -| FILE")[0])
                .containsExactly("rstream", "rcopy", "rcopy", "curl", "wget", "redis-cli");
    }

    @Test
    void placeholdersAreReplaced() throws Exception {
        assertThat(ReadmeProgram.command("redis-cli", "ADDRESS", "10.0.2.2", "PORT", 6379))
                .isEqualTo("timeout 60 env LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so"
                        + " redis-cli -h 10.0.2.2 -p 6379 ping");
    }
}
