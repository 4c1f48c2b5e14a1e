// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
