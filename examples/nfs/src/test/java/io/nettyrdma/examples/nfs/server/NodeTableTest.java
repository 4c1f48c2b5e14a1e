// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeTableTest {

    @TempDir
    Path directory;

    private NodeTable open() throws IOException {
        HostAttributes root = HostAttributes.of(directory);
        HandleSeal seal = new HandleSeal(new byte[HandleSeal.KEY_BYTES]);
        return NodeTable.open(seal, NodeJournal.open(directory.resolve("journal")), root);
    }

    private final AtomicBoolean full = new AtomicBoolean();
    private final List<String> complaints = new ArrayList<>();

    /** A disc that takes three octets more and then no more, while {@link #full}. */
    private NodeTable openOnSmallDisc() throws IOException {
        HandleSeal seal = new HandleSeal(new byte[HandleSeal.KEY_BYTES]);
        NodeJournal journal = NodeJournal.open(
                directory.resolve("journal"),
                (channel, octets) -> {
                    if (full.get()) {
                        channel.write(octets.slice(octets.position(), 3));
                        throw new IOException("No space left on device");
                    }
                    channel.write(octets);
                },
                complaints::add);
        return NodeTable.open(seal, journal, HostAttributes.of(directory));
    }

    @Test
    void changesThatTheDiscHasNoRoomForAreWrittenLater() throws Exception {
        byte[] early;
        byte[] late;
        byte[] last;
        byte[] gone;
        try (NodeTable table = openOnSmallDisc()) {
            Node doomed = table.bind(table.root(), Path.of("doomed"), file("doomed"));
            early = table.bind(table.root(), Path.of("early"), file("early")).handle();
            gone = doomed.handle();
            full.set(true);
            late = table.bind(table.root(), Path.of("late"), file("late")).handle();
            table.forget(doomed);
            table.unbind(table.resolve(late), table.root(), Path.of("another"));
            full.set(false);
            last = table.bind(table.root(), Path.of("last"), file("last")).handle();
        }
        assertThat(complaints).singleElement().asString().contains("No space left on device", "journal");
        try (NodeTable table = open()) {
            for (byte[] handle : List.of(early, late, last)) {
                assertThat(table.locations(table.resolve(handle))).hasSize(1);
            }
            assertThatThrownBy(() -> table.resolve(gone)).hasMessage("STALE");
        }
    }

    @Test
    void numbersThatTheDiscHadNoRoomForAreNotUsedAgain() throws Exception {
        NodeTable killed = openOnSmallDisc();
        full.set(true);
        byte[] lost = killed.bind(killed.root(), Path.of("a"), file("a")).handle();
        try (NodeTable table = open()) {
            assertThat(table.bind(table.root(), Path.of("b"), file("b")).handle())
                    .isNotEqualTo(lost);
            assertThatThrownBy(() -> table.resolve(lost)).hasMessage("STALE");
        }
    }

    @Test
    void changesAreNotKeptInMemoryForEver() throws Exception {
        List<byte[]> handles = new ArrayList<>();
        try (NodeTable table = openOnSmallDisc()) {
            full.set(true);
            HostAttributes file = file("file");
            String longName = "x".repeat(200);
            for (int i = 0; i < 2 * NodeJournal.MAX_WAITING_BYTES / longName.length(); i++) {
                table.bind(table.root(), Path.of(longName + i % 1000), file);
                table.unbind(table.resolve(table.root().handle()), table.root(), Path.of("none"));
                handles.add(table.bind(table.root(), Path.of("file"), file).handle());
                table.unbind(
                        table.bind(table.root(), Path.of("file"), file), table.root(), Path.of(longName + i % 1000));
            }
            full.set(false);
        }
        try (NodeTable table = open()) {
            assertThat(table.locations(table.resolve(handles.get(0)))).hasSize(1);
        }
    }

    @Test
    void tableThatCannotBeWrittenAtTheStartIsRefused() throws Exception {
        full.set(true);
        assertThatThrownBy(this::openOnSmallDisc)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No space left on device")
                .hasMessageContaining(directory.resolve("journal").toString());
    }

    private HostAttributes file(String name) throws IOException {
        Path path = directory.resolve(name);
        return HostAttributes.of(Files.exists(path) ? path : Files.createFile(path));
    }

    @Test
    void recordCutShortByTheEndOfTheProcessIsDropped() throws Exception {
        byte[] kept;
        byte[] lost;
        try (NodeTable table = open()) {
            kept = table.bind(table.root(), Path.of("a"), file("a")).handle();
            lost = table.bind(table.root(), Path.of("b"), file("b")).handle();
        }
        try (FileChannel journal = FileChannel.open(directory.resolve("journal"), StandardOpenOption.WRITE)) {
            journal.truncate(journal.size() - 3);
        }
        try (NodeTable table = open()) {
            assertThat(table.locations(table.resolve(kept))).hasSize(1);
            assertThatThrownBy(() -> table.resolve(lost)).hasMessage("STALE");
        }
    }

    @Test
    void numbersAreNotUsedAgainEvenIfTheirObjectIsLongForgotten() throws Exception {
        byte[] gone;
        try (NodeTable table = open()) {
            Node node = table.bind(table.root(), Path.of("a"), file("a"));
            gone = node.handle();
            table.forget(node);
        }
        open().close(); // the journal of this one has no trace of it
        try (NodeTable table = open()) {
            assertThat(table.bind(table.root(), Path.of("b"), file("b")).handle())
                    .isNotEqualTo(gone);
            assertThatThrownBy(() -> table.resolve(gone)).hasMessage("STALE");
        }
    }

    @Test
    void oneFileHasOneHandleUnderAllItsNames() throws Exception {
        HostAttributes file = file("a");
        byte[] handle;
        try (NodeTable table = open()) {
            Node first = table.bind(table.root(), Path.of("a"), file);
            assertThat(table.bind(table.root(), Path.of("b"), file)).isSameAs(first);
            table.unbind(first, table.root(), Path.of("a"));
            handle = first.handle();
        }
        try (NodeTable table = open()) {
            assertThat(table.locations(table.resolve(handle)))
                    .containsExactly(new Node.Location(table.root(), Path.of("b")));
        }
    }

    @Test
    void anotherDirectoryGetsAnotherKeyAndNoHandles() throws Exception {
        Path export = Files.createDirectory(directory.resolve("export"));
        Path other = Files.createDirectory(directory.resolve("other"));
        Files.createFile(export.resolve("file"));
        Path state = directory.resolve("state");
        byte[] handle;
        try (LocalStore store = LocalStore.open(export, state)) {
            handle = store.table().root().handle();
        }
        try (LocalStore store = LocalStore.open(other, state)) {
            assertThatThrownBy(() -> store.table().resolve(handle)).hasMessage("BADHANDLE");
        }
    }

    @Test
    void oneServerAtATimeUsesAStateDirectory() throws Exception {
        Path export = Files.createDirectory(directory.resolve("export"));
        Path state = directory.resolve("state");
        try (LocalStore first = LocalStore.open(export, state)) {
            assertThatThrownBy(() -> LocalStore.open(export, state)).hasMessageContaining("in use by another server");
            assertThat(first.path()).isEqualTo(export.toRealPath());
        }
        LocalStore.open(export, state).close();
    }

    @Test
    void stateInsideTheExportIsRefused() throws Exception {
        Path export = Files.createDirectory(directory.resolve("export"));
        assertThatThrownBy(() -> LocalStore.open(export, export.resolve("state")))
                .hasMessageContaining("inside the export");
    }
}
