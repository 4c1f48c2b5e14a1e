// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.attributes;
import static io.nettyrdma.examples.nfs.server.NfsClient.ints;
import static io.nettyrdma.examples.nfs.server.NfsClient.longs;
import static io.nettyrdma.examples.nfs.server.NfsClient.opaque;
import static io.nettyrdma.examples.nfs.server.NfsClient.string;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.NfsClient.Argument;
import io.nettyrdma.examples.nfs.server.NfsClient.Attributes;
import io.nettyrdma.examples.nfs.server.NfsClient.Reply;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** File systems of the host that behave in their own ways, and a limit of the server's process. */
class NfsFileSystemsTest {

    private static final Argument NOTHING = attributes(null, null);
    private static final int MAX_DESCRIPTORS = 200;

    @TempDir
    Path directory;

    private NamespaceProgram program;
    private String printed;
    private InetSocketAddress address;
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private NfsClient client;
    private byte[] root;

    @BeforeEach
    void require() throws IOException {
        NamespaceProgram.requireRootOrSkip(directory, "NfsFileSystemsTest");
    }

    /** @param prepare a shell command that makes the directory "export" what it is to be */
    private void start(String prepare) throws Exception {
        Path export = Files.createDirectory(directory.resolve("export"));
        program = NamespaceProgram.start(
                directory, "--mount", "cd " + directory + " && " + prepare, "--export=" + export);
        NamespaceProgram.Start start = program.awaitStart();
        printed = start.printed();
        assertThat(start.nfs()).as(printed).isNotNull();
        address = start.nfs();
        client = NfsClient.rdma(group, address);
        try (NfsClient mounting = NfsClient.tcp(start.mount())) {
            root = mounting.mount(export.toString());
        }
    }

    @AfterEach
    void stop() throws Exception {
        if (client != null) {
            client.close();
        }
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        if (program != null) {
            program.close();
        }
    }

    private byte[] lookup(String name) throws Exception {
        return client.call(Nfs3Procedure.LOOKUP, opaque(root), string(name))
                .ok()
                .opaque();
    }

    private Attributes getattr(byte[] handle) throws Exception {
        return client.call(Nfs3Procedure.GETATTR, opaque(handle)).ok().attributes();
    }

    private Reply create(String name) throws Exception {
        return client.call(Nfs3Procedure.CREATE, opaque(root), string(name), ints(1), NOTHING);
    }

    private Reply write(byte[] file, long offset) throws Exception {
        byte[] data = "data".getBytes(StandardCharsets.US_ASCII);
        return client.call(Nfs3Procedure.WRITE, opaque(file), longs(offset), ints(data.length, 0), opaque(data));
    }

    /** The first change copies a file from the lower layer, on one file system, to the upper one, on another. */
    @Test
    void fileOfAnOverlayKeepsItsHandleWhenItIsChanged() throws Exception {
        Files.createDirectory(directory.resolve("lower"));
        for (String name : new String[] {"mode", "data", "size"}) {
            Files.writeString(directory.resolve("lower").resolve(name), "lower");
        }
        start("mkdir disc && mount -t tmpfs none disc && mkdir disc/upper disc/work && mount -t overlay"
                + " -o lowerdir=lower,upperdir=disc/upper,workdir=disc/work none export");
        byte[] mode = lookup("mode");
        byte[] data = lookup("data");
        byte[] size = lookup("size");
        client.call(Nfs3Procedure.READ, opaque(data), longs(0), ints(10)).ok(); // of the lower layer
        client.call(Nfs3Procedure.SETATTR, opaque(mode), attributes(0600, null), ints(0))
                .ok();
        write(data, 1).ok();
        client.call(Nfs3Procedure.SETATTR, opaque(size), attributes(null, 1L), ints(0))
                .ok();
        assertThat(getattr(mode).mode()).isEqualTo(0600);
        assertThat(getattr(size).size()).isEqualTo(1);
        assertThat(lookup("mode")).isEqualTo(mode);
        Reply read = client.call(Nfs3Procedure.READ, opaque(data), longs(0), ints(10))
                .ok();
        read.postOp();
        read.in.skipBytes(8);
        assertThat(read.string()).isEqualTo("ldata");
    }

    @Test
    void readOnlyFileSystemSaysSo() throws Exception {
        start("mount -t tmpfs none export && echo old > export/file && mount -o remount,ro export");
        byte[] file = lookup("file");
        create("new").is(Nfs3Status.ROFS);
        client.call(Nfs3Procedure.MKDIR, opaque(root), string("new"), NOTHING).is(Nfs3Status.ROFS);
        client.call(Nfs3Procedure.REMOVE, opaque(root), string("file")).is(Nfs3Status.ROFS);
        client.call(Nfs3Procedure.RENAME, opaque(root), string("file"), opaque(root), string("x"))
                .is(Nfs3Status.ROFS);
        client.call(Nfs3Procedure.SETATTR, opaque(file), attributes(0600, null), ints(0))
                .is(Nfs3Status.ROFS);
        write(file, 0).is(Nfs3Status.ROFS);
        Reply access =
                client.call(Nfs3Procedure.ACCESS, opaque(file), ints(0x3f)).ok();
        access.postOp();
        assertThat(access.in.readInt()).isEqualTo(0x01);
    }

    @Test
    void nothingIsRenamedOrLinkedToAnotherFileSystem() throws Exception {
        start("mkdir export/other && mount -t tmpfs none export/other && touch export/file");
        byte[] other = lookup("other");
        client.call(Nfs3Procedure.RENAME, opaque(root), string("file"), opaque(other), string("x"))
                .is(Nfs3Status.XDEV);
        client.call(Nfs3Procedure.LINK, opaque(lookup("file")), opaque(other), string("x"))
                .is(Nfs3Status.XDEV);
    }

    @Test
    void clientWaitsWhileTheServerHasNoDescriptor() throws Exception {
        start("touch export/file export/warm && ulimit -n " + MAX_DESCRIPTORS);
        assertThat(printed).contains("may open " + MAX_DESCRIPTORS + " files", "ulimit -n");
        byte[] file = lookup("file");
        Files.createDirectories(directory.resolve("export/full/inner"));
        // Java needs descriptors to load classes: those that read, and those that deal with errors.
        assertThat(readStatus(lookup("warm"))).isZero();
        client.call(Nfs3Procedure.RMDIR, opaque(root), string("full")).is(Nfs3Status.NOTEMPTY);
        List<Socket> connections = new ArrayList<>();
        try {
            while (program.descriptors() < MAX_DESCRIPTORS) {
                connections.add(new Socket(address.getAddress(), address.getPort()));
            }
            Deadline.until(() -> readStatus(file) == Nfs3Status.JUKEBOX.code(), "a read that finds no descriptor");
            getattr(file);
        } finally {
            for (Socket connection : connections) {
                connection.close();
            }
        }
        Deadline.until(() -> readStatus(file) == 0, "a read that is answered");
    }

    private int readStatus(byte[] file) {
        try {
            int status = client.call(Nfs3Procedure.READ, opaque(file), longs(0), ints(10)).status;
            assertThat(status).isIn(0, Nfs3Status.JUKEBOX.code());
            return status;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
