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
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.NfsClient.Argument;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disc without room: what is answered is what was done. */
class NfsFullDiscTest {

    private static final Argument NOTHING = attributes(null, null);

    private static final int FILES = 30;

    @TempDir
    Path directory;

    private NamespaceProgram program;
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private NfsClient client;
    private byte[] root;

    @BeforeEach
    void start() throws Exception {
        NamespaceProgram.requireRootOrSkip(directory, "NfsFullDiscTest");
    }

    private void start(String options) throws Exception {
        Path disc = Files.createDirectory(directory.resolve("disc"));
        String mount = "mount -t tmpfs -o " + options + " none " + disc + " && mkdir " + disc + "/export";
        program = NamespaceProgram.start(directory, "--mount", mount, "--export=" + disc + "/export");
        NamespaceProgram.Start start = program.awaitStart();
        assertThat(start.nfs()).as(start.printed()).isNotNull();
        client = NfsClient.rdma(group, start.nfs());
        try (NfsClient mounting = NfsClient.tcp(start.mount())) {
            root = mounting.mount("/");
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

    /** The export as the server sees it. */
    private Path export() {
        return program.inside(directory.resolve("disc/export"));
    }

    private void fill() throws Exception {
        byte[] big = client.call(Nfs3Procedure.CREATE, opaque(root), string("big"), ints(0), NOTHING)
                .ok()
                .postOpHandle();
        for (int bytes = 4096; bytes > 0; bytes /= 2) {
            long offset = Files.size(export().resolve("big"));
            while (client.call(Nfs3Procedure.WRITE, opaque(big), longs(offset), ints(bytes, 0), opaque(new byte[bytes]))
                            .status
                    == 0) {
                offset += bytes;
            }
        }
        client.call(
                        Nfs3Procedure.WRITE,
                        opaque(big),
                        longs(Files.size(export().resolve("big"))),
                        ints(1, 0),
                        opaque(new byte[1]))
                .is(Nfs3Status.NOSPC);
    }

    @Test
    void newObjectsAreFoundAndRemoved() throws Exception {
        start("size=1m");
        fill();
        for (int i = 0; i < FILES; i++) {
            Files.createFile(export().resolve("file-" + i));
        }
        for (int i = 0; i < FILES; i++) {
            client.call(Nfs3Procedure.LOOKUP, opaque(root), string("file-" + i)).ok();
        }
        for (int i = 0; i < FILES; i += 2) {
            client.call(Nfs3Procedure.RENAME, opaque(root), string("file-" + i), opaque(root), string("renamed-" + i))
                    .ok();
            client.call(Nfs3Procedure.REMOVE, opaque(root), string("renamed-" + i))
                    .ok();
            client.call(Nfs3Procedure.REMOVE, opaque(root), string("file-" + (i + 1)))
                    .ok();
        }
        for (int i = 0; i < FILES; i++) {
            made(Nfs3Procedure.MKDIR, "directory-" + i, NOTHING);
            made(Nfs3Procedure.SYMLINK, "link-" + i, NOTHING, string("target"));
            made(Nfs3Procedure.CREATE, "created-" + i, ints(1), NOTHING);
        }
        client.call(Nfs3Procedure.REMOVE, opaque(root), string("big")).ok();
    }

    @Test
    void whatIsNotMadeIsNotThere() throws Exception {
        start("size=1m,nr_inodes=20");
        int refused = 0;
        for (int i = 0; i < 20; i++) {
            refused += made(Nfs3Procedure.MKDIR, "directory-" + i, NOTHING) ? 0 : 1;
            refused += made(Nfs3Procedure.SYMLINK, "link-" + i, NOTHING, string("target")) ? 0 : 1;
            refused += made(Nfs3Procedure.CREATE, "created-" + i, ints(1), NOTHING) ? 0 : 1;
        }
        assertThat(refused).isPositive();
        client.call(Nfs3Procedure.RMDIR, opaque(root), string("directory-0")).ok();
        client.call(Nfs3Procedure.REMOVE, opaque(root), string("link-0")).ok();
        client.call(Nfs3Procedure.REMOVE, opaque(root), string("created-0")).ok();
        assertThat(made(Nfs3Procedure.MKDIR, "directory-0", NOTHING)).isTrue();
    }

    /** Makes an object; whether it was answered that there is one now, and there is. */
    private boolean made(Nfs3Procedure procedure, String name, Argument... rest) throws Exception {
        Argument[] arguments = new Argument[2 + rest.length];
        arguments[0] = opaque(root);
        arguments[1] = string(name);
        System.arraycopy(rest, 0, arguments, 2, rest.length);
        int status = client.call(procedure, arguments).status;
        assertThat(status).as(procedure + " " + name).isIn(0, Nfs3Status.NOSPC.code());
        assertThat(Files.exists(export().resolve(name), LinkOption.NOFOLLOW_LINKS))
                .as(procedure + " " + name + " is there")
                .isEqualTo(status == 0);
        return status == 0;
    }
}
