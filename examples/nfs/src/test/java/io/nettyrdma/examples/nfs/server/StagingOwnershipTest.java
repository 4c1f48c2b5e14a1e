// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose the staging directory is, from the start of a server to its end. */
class StagingOwnershipTest {

    private static final Path ANOTHER_MOUNT = Path.of("/dev/shm");

    private static final Path OPEN_FILES = Path.of("/proc/self/fd");

    @TempDir
    Path directory;

    private Path export;
    private final List<Path> states = new ArrayList<>();

    @BeforeEach
    void export() throws IOException {
        export = Files.createDirectory(directory.resolve("export"));
    }

    @AfterEach
    void removeStates() throws IOException {
        for (Path state : states) {
            Files.walkFileTree(state, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, IOException failure) throws IOException {
                    Files.delete(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        }
    }

    /** A state directory on another mount than the export, so that staging is done in the export. */
    private Path stateElsewhere() throws IOException {
        assumeTrue(Files.isWritable(ANOTHER_MOUNT), "needs a second file system");
        assumeTrue(!Files.getFileStore(ANOTHER_MOUNT).equals(Files.getFileStore(export)), "needs a second mount");
        Path state = Files.createTempDirectory(ANOTHER_MOUNT, "nfs-server");
        states.add(state);
        return state;
    }

    private Path leftByAKilledServer(String name) throws IOException {
        Path staging = Files.createDirectory(
                export.resolve(StagingDirectory.NAME),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createFile(staging.resolve("in-use"));
        return Files.createFile(staging.resolve(name));
    }

    @Test
    void secondServerLeavesTheOneOfTheFirstAlone() throws Exception {
        Path staged;
        try (StagingDirectory first = StagingDirectory.open(new Descriptors(), export)) {
            staged = first.createFile();
            assertThatThrownBy(() -> StagingDirectory.open(new Descriptors(), export))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another server")
                    .hasMessageContaining(export.toString());
            assertThat(staged).exists();
        }
        StagingDirectory.open(new Descriptors(), export).close();
        assertThat(export).isEmptyDirectory();
    }

    @Test
    void secondServerOfAnExportIsRefusedAtItsStart() throws Exception {
        Path state = stateElsewhere();
        Path another = stateElsewhere();
        LocalStore.open(export, state).close();
        try (LocalStore first = LocalStore.open(export, state)) {
            assertThat(first.path()).isEqualTo(export);
            assertThatThrownBy(() -> LocalStore.open(export, another).close())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another server")
                    .hasMessageContaining(export.toString());
        }
        LocalStore.open(export, another).close();
        assertThat(export).isEmptyDirectory();
    }

    @Test
    void whatAKilledServerLeftIsRemovedAtTheNextStart() throws Exception {
        Path state = stateElsewhere();
        Path left = leftByAKilledServer("17");
        LocalStore store = LocalStore.open(export, state);
        assertThat(left).doesNotExist();
        store.close();
        assertThat(export).isEmptyDirectory();
    }

    /** Such an export can be read all the same. */
    @Test
    void exportInWhichThereIsNoPlaceForItIsServed() throws Exception {
        Path state = stateElsewhere();
        Path inTheWay = Files.createFile(export.resolve(StagingDirectory.NAME));
        LocalStore.open(export, state).close();
        assertThat(inTheWay).isRegularFile();
    }

    @Test
    void nothingStaysOpenWhenItCannotBeEmptied() throws Exception {
        Path state = directory.resolve("state");
        LocalStore store = LocalStore.open(export, state);
        try (OpenDirectory top = store.open(store.locate(store.table().root()))) {
            Files.createDirectories(store.staging(top).fresh().resolve("not-ours"));
        }
        assertThatThrownBy(store::close).isInstanceOf(DirectoryNotEmptyException.class);
        assertThat(openFiles()).isEmpty();
    }

    /** Those of this test which are open. */
    private List<Path> openFiles() throws IOException {
        List<Path> open = new ArrayList<>();
        try (var numbers = Files.list(OPEN_FILES)) {
            for (Path number : (Iterable<Path>) numbers::iterator) {
                try {
                    Path target = Files.readSymbolicLink(number);
                    if (target.startsWith(directory)) {
                        open.add(target);
                    }
                } catch (IOException e) {
                    // closed by now: the listing itself, for example
                }
            }
        }
        return open;
    }
}
