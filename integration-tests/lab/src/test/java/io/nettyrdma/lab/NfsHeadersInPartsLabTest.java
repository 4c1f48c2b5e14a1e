// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Headers of iWARP that TCP delivers in parts, to the kernel's {@code siw} and to the software provider. */
@Lab
class NfsHeadersInPartsLabTest {
    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final int TRANSFER = 16_384;
    private static final long SEED = 1;

    @TempDir
    Path dir;

    /** RDMA Reads and Sends towards the kernel, Writes and Read Responses of it. */
    @Test
    void fileIsWrittenAndReadInPartsOfAFewOctets(LabGuest guest) throws Exception {
        Path export = Files.createDirectory(dir.resolve("export"));
        try (NfsServerProcess server = NfsServerProcess.start(export, dir);
                SegmentCutter relay = new SegmentCutter(server.port(), SEED)) {
            guest.run(
                            server.scriptThrough(
                                    relay,
                                    TRANSFER,
                                    """
                                    head -c 100000 /dev/urandom > /tmp/data
                                    dd if=/tmp/data of=data bs=100003 conv=fsync status=none
                                    again
                                    cmp /tmp/data data
                                    rm /tmp/data data
                                    """),
                            LIMIT)
                    .assertSucceeded();
            assertThat(export).isEmptyDirectory();
            assertThat(server.output()).doesNotContain("LEAK", "ERROR", "Exception");
        }
    }
}
