// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.attributes;
import static io.nettyrdma.examples.nfs.server.NfsClient.ints;
import static io.nettyrdma.examples.nfs.server.NfsClient.longs;
import static io.nettyrdma.examples.nfs.server.NfsClient.opaque;
import static io.nettyrdma.examples.nfs.server.NfsClient.string;
import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.NfsClient.Reply;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What clients do to lead others, or the server, out of the export, or to make them wait for ever. */
class NfsEscapesTest extends NfsServerFixture {

    private static final int ROUNDS = 1_000;

    /** One client exchanges a directory for a link to the outside as fast as it can; others act in the directory. */
    @Test
    void directoryThatBecomesALinkLeadsNowhere() throws Exception {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Path secret = Files.writeString(outside.resolve("f"), "secret");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        byte[] file = newFile("file");
        newDirectory(root, "d");
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            List<CompletableFuture<Void>> runs = new ArrayList<>();
            runs.add(CompletableFuture.runAsync(() -> exchange(outside, done), threads));
            for (int i = 0; i < 2; i++) {
                runs.add(CompletableFuture.runAsync(() -> act(file, done), threads));
            }
            for (CompletableFuture<Void> run : runs) {
                run.get(Deadline.SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            done.set(true);
            threads.shutdown();
        }
        try (var names = Files.list(outside)) {
            assertThat(names).containsExactly(secret);
        }
        assertThat(secret).hasContent("secret");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)))
                .isEqualTo("rw-------");
        assertThat(Files.getAttribute(secret, "unix:nlink")).isEqualTo(1);
    }

    private void exchange(Path outside, AtomicBoolean done) {
        try (NfsClient own = connect()) {
            for (int i = 0; i < ROUNDS && !done.get(); i++) {
                own.call(Nfs3Procedure.RENAME, opaque(root), string("d"), opaque(root), string("e"))
                        .ok();
                own.call(Nfs3Procedure.SYMLINK, opaque(root), string("d"), NO_ATTRIBUTES, string(outside.toString()))
                        .ok();
                own.call(Nfs3Procedure.REMOVE, opaque(root), string("d")).ok();
                own.call(Nfs3Procedure.RENAME, opaque(root), string("e"), opaque(root), string("d"))
                        .ok();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            done.set(true);
        }
    }

    private void act(byte[] file, AtomicBoolean done) {
        try (NfsClient own = connect()) {
            while (!done.get()) {
                Reply found = own.call(Nfs3Procedure.LOOKUP, opaque(root), string("d"));
                if (found.status != Nfs3Status.OK.code()) {
                    continue;
                }
                byte[] inner = found.opaque();
                own.call(Nfs3Procedure.LINK, opaque(file), opaque(inner), string("linked"));
                own.call(Nfs3Procedure.CREATE, opaque(inner), string("made"), ints(0), attributes(0666, 3L));
                Reply made = own.call(Nfs3Procedure.LOOKUP, opaque(inner), string("f"));
                if (made.status == Nfs3Status.OK.code()) {
                    byte[] handle = made.opaque();
                    own.call(Nfs3Procedure.SETATTR, opaque(handle), attributes(0777, 1L), ints(0));
                    own.call(Nfs3Procedure.WRITE, opaque(handle), longs(0), ints(4, 2), opaque(new byte[4]));
                    assertThat(own.call(Nfs3Procedure.READ, opaque(handle), longs(0), ints(10))
                                    .in
                                    .toString(StandardCharsets.US_ASCII))
                            .doesNotContain("secret");
                } else {
                    own.call(Nfs3Procedure.CREATE, opaque(inner), string("f"), ints(1), attributes(0600, null));
                }
                own.call(Nfs3Procedure.MKDIR, opaque(inner), string("made"), NO_ATTRIBUTES);
                for (String name : new String[] {"f", "made", "linked"}) {
                    own.call(Nfs3Procedure.REMOVE, opaque(inner), string(name));
                }
                own.call(Nfs3Procedure.READDIRPLUS, opaque(inner), longs(0, 0), ints(2000, 3500));
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void namesBelowTooManyDirectoriesAreTooLong() throws Exception {
        byte[] inner = root;
        for (int depth = 0; depth < Export.MAX_DEPTH - 1; depth++) {
            inner = newDirectory(inner, "d");
        }
        create(inner, "file").ok();
        byte[] last = newDirectory(inner, "d");
        create(last, "file").is(Nfs3Status.NAMETOOLONG);
        getattr(last);
    }

    /** Opening one would wait for its other end. */
    @Test
    void pipeOfTheHostIsNotOpened() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", export.resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        byte[] pipe = lookup(root, "pipe").ok().opaque();
        read(pipe, 0, 10).is(Nfs3Status.INVAL);
        write(pipe, 0, new byte[4], 0).is(Nfs3Status.INVAL);
        client.call(Nfs3Procedure.SETATTR, opaque(pipe), attributes(null, 0L), ints(0))
                .is(Nfs3Status.INVAL);
        byte[] file = newFile("file");
        client.call(Nfs3Procedure.RENAME, opaque(root), string("pipe"), opaque(root), string("file"))
                .ok();
        read(file, 0, 10).is(Nfs3Status.STALE);
        create(root, "other").ok();
    }
}
