// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.opaque;
import static io.nettyrdma.examples.nfs.server.NfsClient.string;
import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What handles stand for, and what they do not lead to. */
class NfsHandlesTest extends NfsServerFixture {

    @Test
    void handlesSurviveARestart() throws Exception {
        byte[] deep = newDirectory(newDirectory(root, "a"), "b");
        byte[] file = create(deep, "c").ok().postOpHandle();
        client.call(Nfs3Procedure.RENAME, opaque(root), string("a"), opaque(root), string("z"))
                .ok();
        byte[] removed = newFile("removed");
        client.call(Nfs3Procedure.REMOVE, opaque(root), string("removed")).ok();
        byte[] oldRoot = root;
        stopServer();
        startServer();
        assertThat(root).isEqualTo(oldRoot);
        assertThat(getattr(deep).type()).isEqualTo(2);
        write(file, 0, "later".getBytes(StandardCharsets.US_ASCII), 0).ok();
        assertThat(export.resolve("z/b/c")).hasContent("later");
        client.call(Nfs3Procedure.GETATTR, opaque(removed)).is(Nfs3Status.STALE);
        assertThat(newFile("next")).isNotEqualTo(removed);
    }

    @Test
    void forgedHandlesAreRefused() throws Exception {
        byte[] file = newFile("file");
        for (int i = 0; i < file.length; i++) {
            byte[] forged = file.clone();
            forged[i] ^= 1;
            client.call(Nfs3Procedure.GETATTR, opaque(forged))
                    .is(Nfs3Status.BADHANDLE)
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
}
