// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host whose own name means nothing, which Hadoop's RPC stack cannot bear. */
class NfsHostNameTest {

    @TempDir
    Path directory;

    @Test
    void serverThatCouldNotAnswerDoesNotStart() throws Exception {
        NamespaceProgram.requireRootOrSkip(directory, "NfsHostNameTest");
        Path export = Files.createDirectory(directory.resolve("export"));
        String rename = "echo no-such-name.invalid > /proc/sys/kernel/hostname";
        Process resolving = new ProcessBuilder(
                        "/usr/bin/unshare", "--uts", "sh", "-c", rename + "; getent hosts no-such-name.invalid")
                .start();
        if (resolving.waitFor() == 0) {
            System.out.println("NfsHostNameTest is skipped: this host resolves its own name whatever it is");
            abort("this host resolves its own name whatever it is");
        }
        try (NamespaceProgram program = NamespaceProgram.start(directory, "--uts", rename, "--export=" + export)) {
            NamespaceProgram.Start start = program.awaitStart();
            assertThat(start.nfs()).as(start.printed()).isNull();
            assertThat(start.printed())
                    .contains("no-such-name.invalid", "/etc/hosts")
                    .doesNotContain("\tat ");
            assertThat(program.awaitEnd()).isNotZero();
        }
    }
}
