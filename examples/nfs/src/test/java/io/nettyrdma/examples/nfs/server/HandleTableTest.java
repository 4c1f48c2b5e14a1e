// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.examples.nfs.server.HandleTable.Location;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandleTableTest {

    private static final int MAX_NODES = 4;

    @TempDir
    Path directory;

    private final List<String> log = new ArrayList<>();
    private HandleTable table;

    @BeforeEach
    void make() throws IOException {
        table = new HandleTable(HostFile.of(directory).key(), MAX_NODES, log::add);
    }

    private Node file(Node parent, String name) throws IOException {
        Path path = directory.resolve(name);
        return table.bind(at(parent, name), HostFile.of(Files.exists(path) ? path : Files.createFile(path)));
    }

    private static Location at(Node directory, String name) {
        return new Location(directory, Path.of(name));
    }

    @Test
    void fullTableDropsTheObjectUnusedLongest() throws Exception {
        List<Node> files = new ArrayList<>();
        for (int i = 0; i < MAX_NODES; i++) {
            assertThat(log).isEmpty();
            files.add(file(table.root, "file-" + i));
        }
        assertThat(table.resolve(table.handle(files.get(0)))).isSameAs(files.get(0));
        for (int i = 0; i < 2; i++) {
            file(table.root, "new-" + i);
        }
        assertThat(log).singleElement().asString().contains(MAX_NODES + " file handles are in use");
        table.resolve(table.handle(files.get(0)));
        for (int i = 1; i <= 2; i++) {
            byte[] dropped = table.handle(files.get(i));
            assertThatThrownBy(() -> table.resolve(dropped)).hasMessage("STALE");
        }
    }

    @Test
    void directoryStaysAsLongAsAnObjectBelowIt() throws Exception {
        Path path = Files.createDirectory(directory.resolve("d"));
        Node inner = table.bind(at(table.root, "d"), HostFile.of(path));
        Node file = file(inner, "file");
        for (int i = 0; i < 10 * MAX_NODES; i++) {
            table.resolve(table.handle(file));
            file(table.root, "other-" + i);
        }
        assertThat(table.resolve(table.handle(inner))).isSameAs(inner);
        for (int i = 0; i < 2 * MAX_NODES; i++) {
            file(table.root, "another-" + i);
        }
        assertThatThrownBy(() -> table.resolve(table.handle(file))).hasMessage("STALE");
        assertThatThrownBy(() -> table.resolve(table.handle(inner))).hasMessage("STALE");
    }

    @Test
    void objectThatMustNotDropAnotherOneGetsNoHandle() throws Exception {
        for (int i = 0; i < MAX_NODES; i++) {
            file(table.root, "file-" + i);
        }
        HostFile one = HostFile.of(Files.createFile(directory.resolve("one")));
        assertThat(table.bindIfRoom(at(table.root, "one"), one)).isNull();
        assertThat(log).as("the user learns of it").hasSize(1);
        HostFile known = HostFile.of(directory.resolve("file-0"));
        assertThat(table.bindIfRoom(at(table.root, "file-0"), known)).isNotNull();
    }

    @Test
    void oneFileHasOneHandleUnderAllItsNames() throws Exception {
        Node first = file(table.root, "a");
        Files.createLink(directory.resolve("b"), directory.resolve("a"));
        assertThat(file(table.root, "b")).isSameAs(first);
        HostFile linked = HostFile.of(directory.resolve("a"));
        assertThat(table.unbind(at(table.root, "a"), linked)).isNull();
        assertThat(table.resolve(table.handle(first)).location).isEqualTo(at(table.root, "b"));
    }

    @Test
    void fileWithTheInodeOfARemovedOneIsAnotherFile() throws Exception {
        Node first = file(table.root, "a");
        Files.move(directory.resolve("a"), directory.resolve("b")); // the inode, under a name that was not seen
        Node second = file(table.root, "b");
        assertThat(table.handle(second)).isNotEqualTo(table.handle(first));
        assertThatThrownBy(() -> table.resolve(table.handle(first))).hasMessage("STALE");
    }
}
