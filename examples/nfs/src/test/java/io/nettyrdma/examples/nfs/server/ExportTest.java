// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.examples.nfs.server.HandleTable.Location;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import io.nettyrdma.examples.nfs.server.OpenFiles.Held;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportTest {

    @TempDir
    Path directory;

    private Path given;
    private Export export;

    @BeforeEach
    void open() throws IOException {
        Files.createDirectory(directory.resolve("real"));
        given = Files.createSymbolicLink(directory.resolve("link"), Path.of("real"));
        export = new Export(given, 1000, line -> {});
    }

    @AfterEach
    void close() {
        export.open.close(node -> true);
    }

    private Node file(String name) throws Exception {
        Files.createFile(given.resolve(name));
        Location location = new Location(export.table.root, Path.of(name));
        return export.table.bind(location, export.entry(location));
    }

    /** Another client that commits next must not take the verifier from before the failure for a success. */
    @Test
    void writeVerifierChangesWithEachFailureToWriteToTheDisk() throws Exception {
        long start = export.writeVerifier();
        FileChannel failing = FileChannel.open(Files.createFile(given.resolve("failing")), StandardOpenOption.WRITE);
        failing.close(); // the nearest to a disk that fails
        for (int i = 0; i < 2; i++) {
            long previous = export.writeVerifier();
            assertThatThrownBy(() -> export.force(failing, true)).isInstanceOf(IOException.class);
            assertThat(export.writeVerifier()).isNotEqualTo(previous).isNotEqualTo(start);
        }
        long before = export.writeVerifier();
        try (Held file = export.file(file("file"), true)) {
            export.force(file.channel, true);
        }
        assertThat(export.writeVerifier()).isEqualTo(before);
    }

    @Test
    void exportIsNamedAsClientsTheUserAndTheHostDo() throws Exception {
        assertThat(export.isNamed(Path.of("/"))).isTrue();
        assertThat(export.isNamed(given)).isTrue();
        assertThat(export.isNamed(given.toRealPath())).isTrue();
        assertThat(export.isNamed(given.resolve("a"))).isFalse();
    }

    @Test
    void fewFilesStayOpenHoweverManyAreUsed() throws Exception {
        List<Held> used = new ArrayList<>();
        for (int i = 0; i < OpenFiles.MAX_OPEN + 10; i++) {
            Held file = export.file(file("file-" + i), false);
            used.add(file);
            file.close();
        }
        assertThat(used).filteredOn(file -> file.channel.isOpen()).hasSizeLessThanOrEqualTo(OpenFiles.MAX_OPEN);
        Held inUse = export.file(file("last"), false);
        export.open.close(node -> true);
        assertThat(inUse.channel.isOpen()).as("until its call is done").isTrue();
        inUse.close();
        assertThat(inUse.channel.isOpen()).isFalse();
    }
}
