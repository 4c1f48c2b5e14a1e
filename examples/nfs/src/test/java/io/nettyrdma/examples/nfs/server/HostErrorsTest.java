// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The C library's texts come in the user's language. */
class HostErrorsTest {

    private static final String FULL = "Auf dem Ger\u00e4t ist kein Speicherplatz mehr verf\u00fcgbar";

    @TempDir
    Path directory;

    private Nfs3Status status(IOException failure) {
        return HostErrors.status(failure, directory, Nfs3Status.IO);
    }

    @Test
    void classesOfJavaTellTheStatus() {
        String german = "Der Vorgang ist nicht zul\u00e4ssig";
        Map<IOException, Nfs3Status> all = Map.of(
                new NoSuchFileException("f", null, german), Nfs3Status.NOENT,
                new FileAlreadyExistsException("f", null, german), Nfs3Status.EXIST,
                new AccessDeniedException("f", null, german), Nfs3Status.ACCES,
                new DirectoryNotEmptyException("f"), Nfs3Status.NOTEMPTY,
                new NotDirectoryException("f"), Nfs3Status.NOTDIR,
                new AtomicMoveNotSupportedException("f", "g", german), Nfs3Status.XDEV);
        all.forEach((failure, expected) -> assertThat(status(failure)).isEqualTo(expected));
    }

    @Test
    void textTellsNothing() {
        for (String text : new String[] {FULL, "No space left on device", "Read-only file system"}) {
            assertThat(status(new IOException(text))).isEqualTo(Nfs3Status.IO);
            assertThat(HostErrors.status(new FileSystemException("f", null, text), directory, Nfs3Status.NOSPC))
                    .isEqualTo(Nfs3Status.NOSPC);
        }
    }

    @Test
    void longPathIsTooLong() {
        assertThat(status(new FileSystemException("x".repeat(4096), null, "Der Dateiname ist zu lang")))
                .isEqualTo(Nfs3Status.NAMETOOLONG);
    }

    @Test
    void fileThatCannotGrowIsJudgedByTheDisk() throws Exception {
        FileStore store = Files.getFileStore(directory);
        IOException failure = new IOException(FULL);
        assertThat(HostErrors.ofGrowth(failure, directory, 1, Long.MAX_VALUE).status)
                .isEqualTo(Nfs3Status.NOSPC);
        assertThat(HostErrors.ofGrowth(failure, directory, store.getTotalSpace() + 1, 1).status)
                .isEqualTo(Nfs3Status.FBIG);
        assertThat(HostErrors.ofGrowth(failure, directory, 1, 1).status).isEqualTo(Nfs3Status.DQUOT);
    }
}
