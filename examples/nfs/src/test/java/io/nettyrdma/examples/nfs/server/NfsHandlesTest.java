// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.opaque;
import static io.nettyrdma.examples.nfs.server.NfsClient.string;
import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.NfsClient.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What handles stand for, and what they do not lead to. */
class NfsHandlesTest extends NfsServerFixture {

    @Test
    void handlesAreOfOneRun() throws Exception {
        byte[] file = newFile("file");
        byte[] oldRoot = root;
        stopServer();
        startServer();
        for (byte[] handle : List.of(file, oldRoot)) {
            client.call(Nfs3Procedure.GETATTR, opaque(handle))
                    .is(Nfs3Status.STALE)
                    .end();
        }
        assertThat(lookup(root, "file").ok().opaque()).isNotEqualTo(file);
    }

    @Test
    void strangeHandlesAreRefused() throws Exception {
        byte[] file = newFile("file");
        for (int i = 0; i < file.length; i++) {
            byte[] forged = file.clone();
            forged[i] ^= 64;
            client.call(Nfs3Procedure.GETATTR, opaque(forged))
                    .is(Nfs3Status.STALE)
                    .end();
        }
        client.call(Nfs3Procedure.GETATTR, opaque(new byte[0])).is(Nfs3Status.BADHANDLE);
        client.call(Nfs3Procedure.GETATTR, opaque(new byte[64])).is(Nfs3Status.BADHANDLE);
    }

    @Test
    void thereIsNoWayOut() throws Exception {
        Path secret = Files.writeString(directory.resolve("secret"), "secret");
        assertThat(lookup(root, "..").ok().opaque()).isEqualTo(root);
        for (String name : List.of("../secret", "a/b", "/etc", "..\0x")) {
            lookup(root, name).is(Nfs3Status.INVAL);
            create(root, name).is(Nfs3Status.INVAL);
        }
        for (String dots : List.of(".", "..")) {
            create(root, dots).is(Nfs3Status.EXIST);
            client.call(Nfs3Procedure.MKDIR, opaque(root), string(dots), NO_ATTRIBUTES)
                    .is(Nfs3Status.EXIST);
            client.call(Nfs3Procedure.RENAME, opaque(root), string(dots), opaque(root), string("x"))
                    .is(Nfs3Status.INVAL);
            assertThat(client.call(Nfs3Procedure.RMDIR, opaque(root), string(dots)).status)
                    .isNotZero();
        }
        // A directory clients know is exchanged for a link that leads outside.
        byte[] inner = newDirectory(root, "inner");
        byte[] file = create(inner, "secret").ok().postOpHandle();
        Files.move(export.resolve("inner"), directory.resolve("taken"));
        Files.createSymbolicLink(export.resolve("inner"), directory);
        for (byte[] handle : List.of(inner, file)) {
            client.call(Nfs3Procedure.GETATTR, opaque(handle)).is(Nfs3Status.STALE);
        }
        lookup(inner, "secret").is(Nfs3Status.STALE);
        read(file, 0, 10).is(Nfs3Status.STALE);
        create(inner, "new").is(Nfs3Status.STALE);
        byte[] link = lookup(root, "inner").ok().opaque();
        lookup(link, "secret").is(Nfs3Status.NOTDIR);
        create(link, "new").is(Nfs3Status.NOTDIR);
        assertThat(directory.resolve("new")).doesNotExist();
        assertThat(secret).hasContent("secret");
    }

    @Test
    void whatTheHostAddsIsFoundAndWhatItTakesAwayIsStale() throws Exception {
        byte[] directory = newDirectory(root, "d");
        Files.writeString(export.resolve("d/new"), "new");
        byte[] file = lookup(directory, "new").ok().opaque();
        Files.delete(export.resolve("d/new"));
        client.call(Nfs3Procedure.GETATTR, opaque(file)).is(Nfs3Status.STALE);
        assertThat(Files.exists(export.resolve("d"), LinkOption.NOFOLLOW_LINKS)).isTrue();
    }

    /** A user of the host exchanges a directory for a link, and back, as fast as it can. */
    @Test
    void exchangedDirectoryLeadsNowhere() throws Exception {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve("file"), "outside");
        byte[] inner = newDirectory(root, "inner");
        write(create(inner, "file").ok().postOpHandle(), 0, "inside!".getBytes(StandardCharsets.US_ASCII), 0)
                .ok();
        Path path = export.resolve("inner");
        AtomicBoolean end = new AtomicBoolean();
        Thread attacker = new Thread(() -> exchange(path, outside, end));
        attacker.start();
        try {
            for (int i = 0; i < 500; i++) {
                Reply found = lookup(inner, "file");
                if (found.status == 0) {
                    Reply read = read(found.opaque(), 0, 10);
                    if (read.status == 0) {
                        read.postOp();
                        read.in.skipBytes(8);
                        assertThat(read.string()).isEqualTo("inside!");
                    }
                }
                create(inner, "made");
                client.call(Nfs3Procedure.REMOVE, opaque(inner), string(i % 2 == 0 ? "made" : "other"));
            }
        } finally {
            end.set(true);
            attacker.join();
        }
        assertThat(outside.toFile().list()).containsExactly("file");
        assertThat(outside.resolve("file")).hasContent("outside");
        assertThat(lookup(root, "inner").status).isZero();
    }

    private static void exchange(Path path, Path outside, AtomicBoolean end) {
        Path real = path.resolveSibling("real");
        try {
            while (!end.get()) {
                Files.move(path, real);
                Files.createSymbolicLink(path, outside);
                Files.delete(path);
                Files.move(real, path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
