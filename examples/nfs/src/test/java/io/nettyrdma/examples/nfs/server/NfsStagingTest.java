// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.opaque;
import static io.nettyrdma.examples.nfs.server.NfsClient.string;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

/** The directory where new objects are made, which is nobody's business. */
class NfsStagingTest extends NfsServerFixture {

    private static final String NAME = StagingDirectory.NAME.toString();

    @Test
    void clientsCannotSeeOneThatIsInTheExport() throws Exception {
        Files.createDirectory(
                export.resolve(NAME),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        newFile("file");
        lookup(root, NAME).is(Nfs3Status.NOENT);
        assertThat(list(true, () -> null)).containsExactlyInAnyOrder(".", "..", "file");
        assertThat(list(false, () -> null)).containsExactlyInAnyOrder(".", "..", "file");
        client.call(Nfs3Procedure.RMDIR, opaque(root), string(NAME)).is(Nfs3Status.NOENT);
        client.call(Nfs3Procedure.RENAME, opaque(root), string(NAME), opaque(root), string("x"))
                .is(Nfs3Status.NOENT);
        client.call(Nfs3Procedure.MKDIR, opaque(root), string(NAME), NO_ATTRIBUTES)
                .is(Nfs3Status.EXIST);
        newDirectory(root, "directory");
        client.call(Nfs3Procedure.RENAME, opaque(root), string("directory"), opaque(root), string(NAME))
                .is(Nfs3Status.ACCES);
        assertThat(export.resolve(NAME)).isDirectory();
        assertThat(export.resolve("directory")).isDirectory();
    }

    @Test
    void nothingStaysInItAndItGoesWithTheServer() throws Exception {
        Path staging = directory.resolve("state").resolve(NAME);
        byte[] file = newFile("file");
        newDirectory(root, "directory");
        client.call(Nfs3Procedure.LINK, opaque(file), opaque(root), string("link"))
                .ok();
        assertThat(staging).isDirectoryNotContaining(path -> !path.endsWith("in-use"));
        assertThatThrownBy(() -> Files.delete(staging)).isInstanceOf(DirectoryNotEmptyException.class);
        Files.createFile(staging.resolve("17")); // as a server that is killed leaves it
        stopServer();
        assertThat(staging).doesNotExist();
        Files.createDirectory(
                staging, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createFile(staging.resolve("0"));
        startServer();
        newFile("another");
        assertThat(staging).isDirectoryNotContaining(path -> !path.endsWith("in-use"));
    }

    /** Whoever took the name would stand in the way of every new object, as it is made when it is first needed. */
    @Test
    void nobodyTakesItsNameBeforeItIsThere() throws Exception {
        newDirectory(root, "directory");
        byte[] inner = newDirectory(root, "inner");
        for (byte[] target : new byte[][] {root, inner}) {
            client.call(Nfs3Procedure.RENAME, opaque(root), string("directory"), opaque(target), string(NAME))
                    .is(Nfs3Status.ACCES);
        }
        assertThat(export.resolve("directory")).isDirectory();
    }

    @Test
    void directoryOfAnotherModeIsNotTakenForIt() throws Exception {
        Path other = Files.createDirectory(directory.resolve("other"));
        Files.createDirectory(
                other.resolve(NAME),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        assertThatThrownBy(() -> StagingDirectory.open(new Descriptors(), other))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(NAME)
                .hasMessageContaining("remove it");
    }

    @Test
    void nothingIsReplacedByWhatIsPlaced() throws Exception {
        newFile("file");
        newDirectory(root, "directory");
        try (LocalStore store = LocalStore.open(export, directory.resolve("another-state"));
                OpenDirectory target = store.open(store.locate(store.table().root()))) {
            StagingDirectory staging = store.staging(target);
            for (String name : new String[] {"file", "directory"}) {
                Path[] made = {staging.createFile(), staging.createDirectory()};
                for (Path staged : made) {
                    assertThatThrownBy(() -> staging.place(staged, target, Path.of(name)))
                            .isInstanceOf(FileAlreadyExistsException.class);
                    StagingDirectory.discard(staged);
                }
            }
        }
        assertThat(export.resolve("file")).isRegularFile();
        assertThat(export.resolve("directory")).isDirectory();
    }

    @Test
    void stateDirectoryThatIsExchangedLeadsNowhere() throws Exception {
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.move(directory.resolve("state"), directory.resolve("moved"));
        Files.createSymbolicLink(directory.resolve("state"), elsewhere);
        newFile("file");
        newDirectory(root, "directory");
        stopServer();
        assertThat(elsewhere).isEmptyDirectory();
        Files.delete(directory.resolve("state"));
        Files.move(directory.resolve("moved"), directory.resolve("state"));
        startServer();
        lookup(root, "file").ok();
    }

    @Test
    void stateDirectoryThatOthersMayWriteIsRefused() throws Exception {
        Path shared = Files.createDirectory(directory.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxr-x"));
        assertThatThrownBy(() -> LocalStore.open(export, shared))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("shared")
                .hasMessageContaining("chmod");
    }
}
