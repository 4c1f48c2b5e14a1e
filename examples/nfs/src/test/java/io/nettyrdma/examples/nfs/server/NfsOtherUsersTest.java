// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.attributes;
import static io.nettyrdma.examples.nfs.server.NfsClient.ints;
import static io.nettyrdma.examples.nfs.server.NfsClient.opaque;
import static io.nettyrdma.examples.nfs.server.NfsClient.string;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.NfsClient.Reply;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What users may do and what becomes of special bits, as with the Linux kernel's server; only a server of root has
 * users.
 */
class NfsOtherUsersTest extends NfsServerFixture {

    private static final int OWNER = 1000;
    private static final int STRANGER = 1001;
    private static final int GROUP = 2000;
    private static final int OTHER_GROUP = 3000;

    /** More than a signed number of 32 bits holds. */
    private static final int LARGE_ID = (int) 3_000_000_000L;

    @BeforeEach
    void onlyRootHasUsers() throws Exception {
        assumeTrue(Integer.valueOf(0).equals(Files.getAttribute(export, "unix:uid")), "it needs root");
    }

    private byte[] file(String name, int mode) throws Exception {
        byte[] file = newFile(name);
        change(file, OWNER, GROUP).ok();
        setMode(file, mode).ok();
        return file;
    }

    private Reply change(byte[] object, int uid, int gid) throws Exception {
        return client.call(Nfs3Procedure.SETATTR, opaque(object), ints(0, 1, uid, 1, gid, 0, 0, 0, 0));
    }

    private Reply setMode(byte[] object, int mode) throws Exception {
        return client.call(Nfs3Procedure.SETATTR, opaque(object), attributes(mode, null), ints(0));
    }

    private int mode(byte[] object) throws Exception {
        return getattr(object).mode();
    }

    @Test
    void writingTakesTheBitsThatGivePrivileges() throws Exception {
        for (int uid : new int[] {OWNER, STRANGER}) {
            byte[] file = file("written by " + uid, 06777);
            client.as(uid, GROUP);
            write(file, 0, new byte[1], 0).ok();
            assertThat(mode(file)).isEqualTo(0777);
            client.as(0, 0);
        }
        byte[] ofRoot = file("written by root", 06777);
        write(ofRoot, 0, new byte[1], 0).ok();
        assertThat(mode(ofRoot)).isEqualTo(06777);
    }

    @Test
    void truncatingTakesThemToo() throws Exception {
        byte[] file = file("set", 06777);
        byte[] created = file("created", 06777);
        client.as(STRANGER, GROUP);
        client.call(Nfs3Procedure.SETATTR, opaque(file), attributes(null, 0L), ints(0))
                .ok();
        assertThat(mode(file)).isEqualTo(0777);
        client.call(Nfs3Procedure.CREATE, opaque(root), string("created"), ints(0), attributes(null, 0L))
                .ok();
        assertThat(mode(created)).isEqualTo(0777);
    }

    @Test
    void setGroupIdIsForMembersOfTheGroup() throws Exception {
        byte[] file = file("file", 0644);
        client.as(OWNER, OTHER_GROUP);
        setMode(file, 02755).ok();
        assertThat(mode(file)).isEqualTo(0755);
        client.as(OWNER, GROUP);
        setMode(file, 02755).ok();
        assertThat(mode(file)).isEqualTo(02755);
    }

    @Test
    void changingTheOwnerToWhoItIsTakesThemToo() throws Exception {
        byte[] file = file("file", 06755);
        client.as(OWNER, GROUP);
        change(file, OWNER, GROUP).ok();
        assertThat(mode(file)).isEqualTo(0755);
        client.as(0, 0);
        byte[] directory = newDirectory(root, "directory");
        setMode(directory, 02755).ok();
        change(directory, 0, 0).ok();
        assertThat(mode(directory)).isEqualTo(02755);
    }

    @Test
    void directoriesMoveToAnotherParentOnlyByWhoMayWriteThem() throws Exception {
        byte[] from = newDirectory(root, "from");
        byte[] to = newDirectory(root, "to");
        setMode(from, 0777).ok();
        setMode(to, 0777).ok();
        newDirectory(from, "inner"); // root's
        client.as(OWNER, GROUP);
        client.call(Nfs3Procedure.RENAME, opaque(from), string("inner"), opaque(to), string("inner"))
                .is(Nfs3Status.ACCES);
        client.call(Nfs3Procedure.RENAME, opaque(from), string("inner"), opaque(from), string("renamed"))
                .ok();
    }

    @Test
    void whatMayBeExecutedMayBeRead() throws Exception {
        byte[] file = file("file", 0711);
        write(file, 0, "run".getBytes(StandardCharsets.US_ASCII), 0).ok();
        client.as(STRANGER, OTHER_GROUP);
        Reply reply = read(file, 0, 10).ok();
        reply.postOp();
        reply.in.skipBytes(8);
        assertThat(reply.string()).isEqualTo("run");
        write(file, 0, new byte[1], 0).is(Nfs3Status.ACCES);
        client.as(0, 0);
        setMode(file, 0700).ok();
        client.as(STRANGER, OTHER_GROUP);
        read(file, 0, 10).is(Nfs3Status.ACCES);
    }

    @Test
    void idsHaveAllTheir32Bits() throws Exception {
        byte[] file = newFile("file");
        change(file, LARGE_ID, LARGE_ID).ok();
        assertThat(getattr(file).uid()).isEqualTo(LARGE_ID);
        assertThat(getattr(file).gid()).isEqualTo(LARGE_ID);
        byte[] shared = newDirectory(root, "shared");
        setMode(shared, 0777).ok();
        client.as(LARGE_ID, LARGE_ID);
        byte[] made = create(shared, "made").ok().postOpHandle();
        assertThat(getattr(made).uid()).isEqualTo(LARGE_ID);
        client.as(0, 0);
        change(file, -1, 0).is(Nfs3Status.INVAL); // the host's word for "leave it"
        change(file, 0, -1).is(Nfs3Status.INVAL);
    }
}
