// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.attributes;
import static io.nettyrdma.examples.nfs.server.NfsClient.ints;
import static io.nettyrdma.examples.nfs.server.NfsClient.longs;
import static io.nettyrdma.examples.nfs.server.NfsClient.opaque;
import static io.nettyrdma.examples.nfs.server.NfsClient.string;
import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.NfsClient.Reply;
import io.nettyrdma.examples.nfs.server.NfsClient.Wcc;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Names that come, lead to something, change and go. */
class NfsNamesTest extends NfsServerFixture {

    @Test
    void lookupFindsNamesAndDots() throws Exception {
        byte[] inner = newDirectory(root, "inner");
        Reply found = lookup(root, "inner").ok();
        assertThat(found.opaque()).isEqualTo(inner);
        assertThat(found.postOp()).isEqualTo(getattr(inner));
        assertThat(found.postOp()).isEqualTo(getattr(root));
        found.end();
        assertThat(lookup(inner, "..").ok().opaque()).isEqualTo(root);
        assertThat(lookup(inner, ".").ok().opaque()).isEqualTo(inner);
        Reply missing = lookup(root, "missing").is(Nfs3Status.NOENT);
        assertThat(missing.postOp()).isEqualTo(getattr(root));
        missing.end();
        lookup(newFile("file"), "x").is(Nfs3Status.NOTDIR);
        lookup(root, "x".repeat(256)).is(Nfs3Status.NAMETOOLONG);
    }

    @Test
    void createKnowsThreeWays() throws Exception {
        Reply made = create(root, "file").ok();
        byte[] file = made.postOpHandle();
        assertThat(made.postOp()).isEqualTo(getattr(file));
        Wcc wcc = made.wcc();
        made.end();
        assertThat(wcc.hasBefore()).isTrue();
        assertThat(wcc.after()).isEqualTo(getattr(root));
        assertThat(getattr(file).mode()).isEqualTo(0640);

        create(root, "file").is(Nfs3Status.EXIST).wcc(); // guarded
        write(file, 0, new byte[10], 0).ok();
        Reply unchecked =
                client.call(Nfs3Procedure.CREATE, opaque(root), string("file"), ints(0), attributes(0777, 3L));
        assertThat(unchecked.ok().postOpHandle()).isEqualTo(file);
        assertThat(getattr(file).size()).isEqualTo(3);
        assertThat(getattr(file).mode()).isEqualTo(0640);
    }

    /** Java has no place for the verifier; clients then go on with a guarded one. */
    @Test
    void exclusiveCreateIsNotSupported() throws Exception {
        client.call(Nfs3Procedure.CREATE, opaque(root), string("lock"), ints(2), longs(5))
                .is(Nfs3Status.NOTSUPP);
        assertThat(export.resolve("lock")).doesNotExist();
    }

    @Test
    void directoriesComeAndGo() throws Exception {
        byte[] outer = newDirectory(root, "outer");
        newDirectory(outer, "inner");
        assertThat(getattr(outer).nlink()).isEqualTo(3);
        client.call(Nfs3Procedure.MKDIR, opaque(root), string("outer"), NO_ATTRIBUTES)
                .is(Nfs3Status.EXIST);
        client.call(Nfs3Procedure.RMDIR, opaque(root), string("outer")).is(Nfs3Status.NOTEMPTY);
        client.call(Nfs3Procedure.REMOVE, opaque(root), string("outer")).is(Nfs3Status.ISDIR);
        client.call(Nfs3Procedure.RMDIR, opaque(outer), string("inner")).ok();
        Reply gone =
                client.call(Nfs3Procedure.RMDIR, opaque(root), string("outer")).ok();
        assertThat(gone.wcc().after()).isEqualTo(getattr(root));
        gone.end();
        client.call(Nfs3Procedure.GETATTR, opaque(outer)).is(Nfs3Status.STALE).end();
    }

    @Test
    void symbolicLinksAreForTheClientToFollow() throws Exception {
        byte[] link = client.call(
                        Nfs3Procedure.SYMLINK, opaque(root), string("link"), NO_ATTRIBUTES, string("../../etc/passwd"))
                .ok()
                .postOpHandle();
        assertThat(getattr(link).type()).isEqualTo(5);
        Reply reply = client.call(Nfs3Procedure.READLINK, opaque(link)).ok();
        assertThat(reply.postOp().fileId()).isEqualTo(getattr(link).fileId());
        assertThat(reply.string()).isEqualTo("../../etc/passwd");
        reply.end();
        read(link, 0, 100).is(Nfs3Status.INVAL);
        write(link, 0, new byte[4], 0).is(Nfs3Status.INVAL);
        lookup(link, "passwd").is(Nfs3Status.NOTDIR);
        client.call(Nfs3Procedure.READLINK, opaque(newFile("file"))).is(Nfs3Status.INVAL);
    }

    @Test
    void mknodIsNotSupported() throws Exception {
        Reply pipe = client.call(Nfs3Procedure.MKNOD, opaque(root), string("pipe"), ints(7), NO_ATTRIBUTES);
        assertThat(pipe.is(Nfs3Status.NOTSUPP).wcc().after()).isEqualTo(getattr(root));
        pipe.end();
    }

    @Test
    void removedFilesAreStale() throws Exception {
        byte[] file = newFile("file");
        Reply reply =
                client.call(Nfs3Procedure.REMOVE, opaque(root), string("file")).ok();
        assertThat(reply.wcc().hasBefore()).isTrue();
        reply.end();
        client.call(Nfs3Procedure.GETATTR, opaque(file)).is(Nfs3Status.STALE);
        read(file, 0, 10).is(Nfs3Status.STALE);
        client.call(Nfs3Procedure.REMOVE, opaque(root), string("file")).is(Nfs3Status.NOENT);
        client.call(Nfs3Procedure.RMDIR, opaque(root), string("file")).is(Nfs3Status.NOENT);
        // The host is likely to give the next file the same inode.
        byte[] next = newFile("next");
        assertThat(next).isNotEqualTo(file);
        client.call(Nfs3Procedure.GETATTR, opaque(file)).is(Nfs3Status.STALE);
    }

    @Test
    void renamedFilesKeepTheirHandles() throws Exception {
        byte[] file = newFile("file");
        byte[] to = newDirectory(root, "to");
        Reply reply = client.call(Nfs3Procedure.RENAME, opaque(root), string("file"), opaque(to), string("renamed"));
        assertThat(reply.ok().wcc().after()).isEqualTo(getattr(root));
        assertThat(reply.wcc().after()).isEqualTo(getattr(to));
        reply.end();
        write(file, 0, "x".getBytes(StandardCharsets.US_ASCII), 0).ok();
        assertThat(export.resolve("to/renamed")).hasContent("x");
        assertThat(lookup(to, "renamed").ok().opaque()).isEqualTo(file);
        lookup(root, "file").is(Nfs3Status.NOENT);

        byte[] replaced = newFile("other");
        client.call(Nfs3Procedure.RENAME, opaque(to), string("renamed"), opaque(root), string("other"))
                .ok();
        client.call(Nfs3Procedure.GETATTR, opaque(replaced)).is(Nfs3Status.STALE);
        assertThat(lookup(root, "other").ok().opaque()).isEqualTo(file);

        byte[] inner = newDirectory(to, "inner");
        client.call(Nfs3Procedure.RENAME, opaque(root), string("to"), opaque(root), string("moved"))
                .ok();
        assertThat(getattr(inner).type()).isEqualTo(2);
        client.call(Nfs3Procedure.RENAME, opaque(root), string("moved"), opaque(inner), string("self"))
                .is(Nfs3Status.INVAL);
        client.call(Nfs3Procedure.RENAME, opaque(root), string("moved"), opaque(root), string("other"))
                .is(Nfs3Status.NOTDIR);
        newDirectory(root, "full");
        newDirectory(lookup(root, "full").ok().opaque(), "entry");
        client.call(Nfs3Procedure.RENAME, opaque(root), string("moved"), opaque(root), string("full"))
                .is(Nfs3Status.NOTEMPTY);
        client.call(Nfs3Procedure.RENAME, opaque(root), string("full"), opaque(root), string("moved"))
                .is(Nfs3Status.NOTEMPTY);
    }

    @Test
    void hardLinksAreOneFile() throws Exception {
        byte[] file = newFile("a");
        Reply reply = client.call(Nfs3Procedure.LINK, opaque(file), opaque(root), string("b"))
                .ok();
        assertThat(reply.postOp().nlink()).isEqualTo(2);
        assertThat(reply.wcc().after()).isEqualTo(getattr(root));
        reply.end();
        assertThat(lookup(root, "b").ok().opaque()).isEqualTo(file);
        client.call(Nfs3Procedure.REMOVE, opaque(root), string("a")).ok();
        assertThat(getattr(file).nlink()).isEqualTo(1);
        client.call(Nfs3Procedure.LINK, opaque(root), opaque(root), string("c")).is(Nfs3Status.ISDIR);
        client.call(Nfs3Procedure.LINK, opaque(file), opaque(root), string("b")).is(Nfs3Status.EXIST);
        client.call(Nfs3Procedure.RENAME, opaque(root), string("b"), opaque(root), string("b"))
                .ok();
        assertThat(getattr(file).nlink()).isEqualTo(1);
    }

    @Test
    void namesAreOctets() throws Exception {
        byte[] latin = {'g', 'r', (byte) 0xfc, 'n'}; // not UTF-8
        byte[] utf = "grün–日本".getBytes(StandardCharsets.UTF_8);
        for (byte[] name : List.of(latin, utf)) {
            byte[] file = client.call(Nfs3Procedure.CREATE, opaque(root), opaque(name), ints(1), NO_ATTRIBUTES)
                    .ok()
                    .postOpHandle();
            assertThat(client.call(Nfs3Procedure.LOOKUP, opaque(root), opaque(name))
                            .ok()
                            .opaque())
                    .isEqualTo(file);
            byte[] linkName = Arrays.copyOf(name, name.length + 1);
            linkName[name.length] = '~';
            byte[] link = client.call(
                            Nfs3Procedure.SYMLINK, opaque(root), opaque(linkName), NO_ATTRIBUTES, opaque(name))
                    .ok()
                    .postOpHandle();
            Reply target = client.call(Nfs3Procedure.READLINK, opaque(link)).ok();
            target.postOp();
            assertThat(target.opaque()).isEqualTo(name);
        }
    }

    @Test
    void pathsAsLongAsTheHostTakesAtOnceAndNoLonger() throws Exception {
        String name = "x".repeat(200);
        Deque<byte[]> path = new ArrayDeque<>(List.of(root));
        Reply made = client.call(Nfs3Procedure.MKDIR, opaque(root), string(name), NO_ATTRIBUTES);
        while (made.status == 0) {
            path.push(made.postOpHandle());
            assertThat(path).hasSizeLessThan(30);
            made = client.call(Nfs3Procedure.MKDIR, opaque(path.element()), string(name), NO_ATTRIBUTES);
        }
        made.is(Nfs3Status.NAMETOOLONG);
        assertThat(path).hasSizeGreaterThan(15);
        byte[] file = create(path.element(), "f").ok().postOpHandle();
        write(file, 0, "deep".getBytes(StandardCharsets.US_ASCII), 0).ok();
    }
}
