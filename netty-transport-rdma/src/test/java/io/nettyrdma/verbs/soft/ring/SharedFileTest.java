// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Only what this user has made for itself is opened, and nothing is left. */
@EnabledOnOs(OS.LINUX)
final class SharedFileTest {

    private static final long NUMBER = 0x1234_5678_9abc_def0L;

    @TempDir
    private Path parent;

    private int openBefore;

    @BeforeEach
    void count() {
        openBefore = SharedFile.OPEN.get();
    }

    @AfterEach
    void nothingIsOpen() {
        assertThat(SharedFile.OPEN).hasValue(openBefore);
    }

    private Path folder() throws IOException {
        try (Stream<Path> all = Files.list(parent)) {
            return all.findFirst().orElseThrow();
        }
    }

    private Path file() throws IOException {
        return folder().resolve("123456789abcdef0");
    }

    private static void mode(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private void isRefused() {
        assertThatThrownBy(() -> SharedFile.claim(parent, NUMBER)).isInstanceOf(IOException.class);
    }

    @Test
    void bothSidesShareTwoRings() throws IOException {
        SharedFile made = SharedFile.make(parent, NUMBER);
        SharedFile claimed = SharedFile.claim(parent, NUMBER);
        try {
            assertThat(folder()).as("the name is gone").isEmptyDirectory();
            RingWriter there = made.writer();
            there.last(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            RingWriter back = claimed.writer();
            back.last(ByteBuffer.wrap(new byte[] {4}));
            assertThat(claimed.reader().record().remaining()).isEqualTo(3);
            assertThat(made.reader().record().get()).isEqualTo((byte) 4);
            assertThat(made.withdraw()).as("too late").isFalse();
        } finally {
            made.close();
            claimed.close();
        }
    }

    @Test
    void onlyThisUserCanReach() throws IOException {
        SharedFile made = SharedFile.make(parent, NUMBER);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder())))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        assertThat(made.withdraw()).isTrue();
        made.close();
        isRefused();
        assertThat(folder()).isEmptyDirectory();
    }

    @Test
    void fileIsClaimedOnce() throws IOException {
        SharedFile made = SharedFile.make(parent, NUMBER);
        assertThatThrownBy(() -> SharedFile.make(parent, NUMBER)).isInstanceOf(IOException.class);
        // The failed one has not deleted what it did not make.
        SharedFile.claim(parent, NUMBER).close();
        isRefused();
        made.close();
    }

    @Test
    void whatIsNotAsItWasMadeIsRefused() throws IOException {
        SharedFile made = SharedFile.make(parent, NUMBER);
        Path file = file();
        mode(folder(), "rwxr-x---");
        isRefused();
        assertThatThrownBy(() -> SharedFile.make(parent, NUMBER + 1)).hasMessageContaining("only this user");
        mode(folder(), "rwx------");
        mode(file, "rw-r-----");
        isRefused();
        mode(file, "rw-------");
        Path elsewhere = parent.resolve("elsewhere");
        Files.move(file, elsewhere);
        Files.createSymbolicLink(file, elsewhere);
        isRefused();
        Files.delete(file);
        Files.createDirectory(file);
        isRefused();
        Files.delete(file);
        Files.copy(elsewhere, file, LinkOption.NOFOLLOW_LINKS);
        Files.write(file, new byte[] {0}, StandardOpenOption.APPEND);
        isRefused();
        Files.delete(file);
        byte[] content = Files.readAllBytes(elsewhere);
        content[Ring.FORMAT_AT] ^= 1;
        Files.write(file, content);
        mode(file, "rw-------");
        isRefused();
        Files.move(elsewhere, file, StandardCopyOption.REPLACE_EXISTING);
        SharedFile.claim(parent, NUMBER).close();
        made.close();
    }

    @Test
    void whatAnotherUserOwnsIsRefused() throws IOException {
        SharedFile made = SharedFile.make(parent, NUMBER);
        Path folder = folder();
        int self = (Integer) Files.getAttribute(folder, "unix:uid");
        assumeTrue(self == 0, "needs root, who may give files away");
        Files.setAttribute(file(), "unix:uid", 1);
        isRefused();
        Files.setAttribute(file(), "unix:uid", 0);
        Files.setAttribute(folder, "unix:uid", 1);
        isRefused();
        assertThatThrownBy(() -> SharedFile.make(parent, NUMBER + 1)).isInstanceOf(IOException.class);
        Files.setAttribute(folder, "unix:uid", 0);
        assertThat(made.withdraw()).isTrue();
        made.close();
    }

    @Test
    void folderThatIsALinkIsRefused() throws IOException {
        SharedFile made = SharedFile.make(parent, NUMBER);
        Path folder = folder();
        Path elsewhere = parent.resolveSibling(parent.getFileName() + "-elsewhere");
        Files.move(folder, elsewhere);
        try {
            Files.createSymbolicLink(folder, elsewhere);
            isRefused();
            assertThatThrownBy(() -> SharedFile.make(parent, NUMBER + 1)).isInstanceOf(IOException.class);
        } finally {
            Files.delete(folder);
            Files.move(elsewhere, folder);
            made.withdraw();
            made.close();
        }
    }

    @Test
    void leftFilesAreDeletedAndYoungOnesStay() throws IOException {
        SharedFile young = SharedFile.make(parent, NUMBER);
        SharedFile killed = SharedFile.make(parent, NUMBER + 1);
        killed.close();
        Path left = folder().resolve("123456789abcdef1");
        Files.setLastModifiedTime(left, FileTime.from(Instant.now().minus(Duration.ofMinutes(2))));
        SharedFile.tidy(folder());
        assertThat(left).doesNotExist();
        assertThat(young.withdraw()).isTrue();
        young.close();
    }

    @Test
    void parentThatIsNotThereIsAnError() {
        assertThatThrownBy(() -> SharedFile.make(parent.resolve("nothing"), NUMBER))
                .isInstanceOf(IOException.class);
    }
}
