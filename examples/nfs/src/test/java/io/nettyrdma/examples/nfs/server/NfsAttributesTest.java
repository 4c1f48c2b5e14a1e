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
import io.nettyrdma.examples.nfs.server.NfsClient.Attributes;
import io.nettyrdma.examples.nfs.server.NfsClient.Reply;
import io.nettyrdma.examples.nfs.server.NfsClient.Wcc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What files are like, and who may do what with them. */
class NfsAttributesTest extends NfsServerFixture {

    @Test
    void getattrTellsWhatTheHostTells() throws Exception {
        Path file = Files.writeString(export.resolve("file"), "hello");
        Files.setLastModifiedTime(file, FileTime.from(1_600_000_000_123_456L, TimeUnit.MICROSECONDS));
        byte[] handle = lookup(root, "file").ok().opaque();
        Attributes attributes = getattr(handle);
        assertThat(attributes.type()).isEqualTo(1);
        assertThat(attributes.size()).isEqualTo(5);
        assertThat(attributes.nlink()).isEqualTo(1);
        assertThat(attributes.mode()).isEqualTo((Integer) Files.getAttribute(file, "unix:mode") & 07777);
        assertThat(attributes.uid()).isEqualTo(Files.getAttribute(file, "unix:uid"));
        assertThat(attributes.gid()).isEqualTo(Files.getAttribute(file, "unix:gid"));
        assertThat(attributes.modified() >>> 32).isEqualTo(1_600_000_000);
        assertThat((int) attributes.modified()).isEqualTo(123_456_000);
        assertThat(getattr(root).type()).isEqualTo(2);
    }

    @Test
    void setattrSetsModeSizeAndTimes() throws Exception {
        byte[] file = newFile("file");
        write(file, 0, new byte[100], 0).ok();
        Reply reply = client.call(
                Nfs3Procedure.SETATTR,
                opaque(file),
                ints(1, 0600), // mode
                ints(0, 0), // uid, gid
                ints(1, 0, 40), // size
                ints(2, 1_000_000_000, 999_999_000), // access time
                ints(2, 1_500_000_000, 7000),
                ints(0)); // no guard
        Wcc wcc = reply.ok().wcc();
        reply.end();
        assertThat(wcc.sizeBefore()).isEqualTo(100);
        assertThat(wcc.after()).isEqualTo(getattr(file));
        assertThat(wcc.after().mode()).isEqualTo(0600);
        assertThat(wcc.after().size()).isEqualTo(40);
        assertThat(wcc.after().accessed()).isEqualTo(1_000_000_000L << 32 | 999_999_000);
        assertThat(wcc.after().modified()).isEqualTo(1_500_000_000L << 32 | 7000);

        client.call(Nfs3Procedure.SETATTR, opaque(file), attributes(null, 5000L), ints(0))
                .ok();
        assertThat(Files.size(export.resolve("file"))).isEqualTo(5000);
    }

    @Test
    void timesAreKeptToTheNanosecond() throws Exception {
        byte[] file = newFile("file");
        byte[] directory = newDirectory(root, "directory");
        for (byte[] object : new byte[][] {file, directory, root}) {
            setTimes(object, 123_456_789, 999_999_999).ok();
            assertThat(getattr(object).accessed()).isEqualTo(1_000_000_000L << 32 | 123_456_789);
            assertThat(getattr(object).modified()).isEqualTo(1_500_000_000L << 32 | 999_999_999);
        }
    }

    /** Java cuts these to microseconds before version 21 or so. */
    @Test
    void symbolicLinksHaveTimesOfTheirOwn() throws Exception {
        byte[] link = client.call(Nfs3Procedure.SYMLINK, opaque(root), string("link"), NO_ATTRIBUTES, string("file"))
                .ok()
                .postOpHandle();
        setTimes(link, 123_456_000, 999_999_000).ok();
        assertThat(getattr(link).modified()).isEqualTo(1_500_000_000L << 32 | 999_999_000);
        assertThat(getattr(link).accessed()).isEqualTo(1_000_000_000L << 32 | 123_456_000);
    }

    /** Java opens what it sets times of, which would wait for a writer. */
    @Test
    void timesOfPipesAreNotSetAndNothingWaits() throws Exception {
        Process mkfifo = new ProcessBuilder("mkfifo", export.resolve("pipe").toString()).start();
        assertThat(mkfifo.waitFor(Deadline.SECONDS, TimeUnit.SECONDS))
                .as("mkfifo has ended")
                .isTrue();
        byte[] pipe = lookup(root, "pipe").ok().opaque();
        setTimes(pipe, 0, 0).is(Nfs3Status.NOTSUPP);
        client.call(Nfs3Procedure.SETATTR, opaque(pipe), attributes(0600, null), ints(0))
                .ok();
        assertThat(getattr(pipe).mode()).isEqualTo(0600);
    }

    private Reply setTimes(byte[] object, int accessedNanos, int modifiedNanos) throws Exception {
        return client.call(
                Nfs3Procedure.SETATTR,
                opaque(object),
                ints(0, 0, 0, 0), // mode, uid, gid, size
                ints(2, 1_000_000_000, accessedNanos),
                ints(2, 1_500_000_000, modifiedNanos),
                ints(0)); // no guard
    }

    @Test
    void guardedSetattrFailsOnceTheFileHasChanged() throws Exception {
        byte[] file = newFile("file");
        long seen = getattr(file).changed();
        client.call(Nfs3Procedure.SETATTR, opaque(file), attributes(0600, null), ints(1), longs(seen))
                .ok();
        assertThat(getattr(file).changed()).isNotEqualTo(seen);
        Wcc wcc = client.call(Nfs3Procedure.SETATTR, opaque(file), attributes(0644, null), ints(1), longs(seen))
                .is(Nfs3Status.NOT_SYNC)
                .wcc();
        assertThat(wcc.after().mode()).isEqualTo(0600);
    }

    @Test
    void modesHaveSpecialBitsToo() throws Exception {
        byte[] shared = newDirectory(root, "shared");
        client.call(Nfs3Procedure.SETATTR, opaque(shared), attributes(01777, null), ints(0))
                .ok();
        assertThat(getattr(shared).mode()).isEqualTo(01777);
        assertThat((Integer) Files.getAttribute(export.resolve("shared"), "unix:mode") & 07777)
                .isEqualTo(01777);
    }

    @Test
    void accessTellsRights() throws Exception {
        byte[] file = newFile("file"); // 0640
        Reply reply =
                client.call(Nfs3Procedure.ACCESS, opaque(file), ints(0x3f)).ok();
        assertThat(reply.postOp()).isEqualTo(getattr(file));
        assertThat(reply.in.readInt()).isEqualTo(0x01 | 0x04 | 0x08);
        Reply ofRoot =
                client.call(Nfs3Procedure.ACCESS, opaque(root), ints(0x1f)).ok();
        ofRoot.postOp();
        assertThat(ofRoot.in.readInt()).isEqualTo(0x1f);
        Reply onlyAsked =
                client.call(Nfs3Procedure.ACCESS, opaque(root), ints(0x02)).ok();
        onlyAsked.postOp();
        assertThat(onlyAsked.in.readInt()).isEqualTo(0x02);
    }

    /** The server acts as one user, whatever numbers the client sends. */
    @Test
    void ownersAreShownAndNotTrusted() throws Exception {
        byte[] file = newFile("file");
        int uid = getattr(file).uid();
        int gid = getattr(file).gid();
        client.as(uid + 1, gid + 1);
        assertThat(getattr(newFile("another")).uid()).isEqualTo(uid);
        write(file, 0, new byte[1], 0).ok();
        setOwner(file, uid, gid).ok();
        setOwner(file, uid + 1, gid).is(Nfs3Status.PERM);
        setOwner(file, uid, gid + 1).is(Nfs3Status.PERM);
        assertThat(getattr(file).uid()).isEqualTo(uid);
    }

    private Reply setOwner(byte[] object, int uid, int gid) throws Exception {
        return client.call(Nfs3Procedure.SETATTR, opaque(object), ints(0, 1, uid, 1, gid, 0, 0, 0, 0));
    }

    @Test
    void fileSystemIsDescribed() throws Exception {
        Reply stat = client.call(Nfs3Procedure.FSSTAT, opaque(root)).ok();
        assertThat(stat.postOp()).isNotNull();
        assertThat(stat.in.readLong()).isEqualTo(Files.getFileStore(export).getTotalSpace());
        stat.in.skipBytes(5 * 8 + 4);
        stat.end();
        Reply info = client.call(Nfs3Procedure.FSINFO, opaque(root)).ok();
        assertThat(info.postOp()).isNotNull();
        assertThat(info.in.readInt()).as("rtmax").isEqualTo(1 << 20);
        info.in.skipBytes(8);
        assertThat(info.in.readInt()).as("wtmax").isEqualTo(1 << 20);
        info.in.skipBytes(3 * 4 + 8 + 8);
        assertThat(info.in.readInt()).as("properties").isEqualTo(0x1b);
        info.end();
        Reply conf = client.call(Nfs3Procedure.PATHCONF, opaque(root)).ok();
        assertThat(conf.postOp()).isNotNull();
        conf.in.skipBytes(4);
        assertThat(conf.in.readInt()).as("name_max").isEqualTo(255);
        conf.in.skipBytes(16);
        conf.end();
    }
}
