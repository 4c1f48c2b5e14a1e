// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.nfs.client.CopyListener;
import io.nettyrdma.examples.nfs.client.NfsLocation;
import io.nettyrdma.examples.nfs.client.NfsSession;
import io.nettyrdma.examples.nfs.client.NfsSettings;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files go to {@code nfs-server} and back while it is killed and started again. */
class NfsServerRestartTest {

    private static final int FILE_BYTES = 16 << 20;

    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void copiesAreEqualThoughTheServerIsKilledOnTheWay(int version) throws Exception {
        byte[] octets = new byte[FILE_BYTES];
        new Random(version).nextBytes(octets);
        Path source = Files.write(dir.resolve("source"), octets);
        Path export = Files.createDirectory(dir.resolve("export"));
        Path copy = dir.resolve("copy");
        try (NfsServerProcess server = NfsServerProcess.start(export, dir, "--rdma-version=" + version)) {
            NfsSettings settings = new NfsSettings(
                    server.port(),
                    1,
                    server.mountPort(),
                    false,
                    new AuthSys(AuthSys.ownUid(), AuthSys.ownGid(), "test"),
                    Deadline.DURATION,
                    1 << 20,
                    4,
                    version,
                    version);
            NfsLocation location = NfsLocation.parse("127.0.0.1:/file", null);
            KillsAtHalf kills = new KillsAtHalf(server);
            try (NfsSession session = NfsSession.open(location, settings)) {
                session.upload(source, kills);
            }
            assertThat(kills.killed).as("killed during the upload").isTrue();
            kills = new KillsAtHalf(server);
            try (NfsSession session = NfsSession.open(location, settings)) {
                session.download(copy, kills);
            }
            assertThat(kills.killed).as("killed during the download").isTrue();
        }

        assertThat(export.resolve("file")).hasSameBinaryContentAs(source);
        assertThat(copy).hasSameBinaryContentAs(source);
    }

    private static final class KillsAtHalf implements CopyListener {

        boolean killed;
        private final NfsServerProcess server;
        private long copied;

        KillsAtHalf(NfsServerProcess server) {
            this.server = server;
        }

        @Override
        public void onStarted(long totalBytes) {}

        @Override
        public void onCopied(long bytes) {
            copied += bytes;
            if (copied < FILE_BYTES / 2 || killed) {
                return;
            }
            killed = true;
            try {
                server.kill();
                server.startAgain();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
