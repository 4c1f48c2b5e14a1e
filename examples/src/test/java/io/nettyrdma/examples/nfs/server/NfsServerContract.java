/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.attributes;
import static io.nettyrdma.examples.nfs.server.NfsClient.ints;
import static io.nettyrdma.examples.nfs.server.NfsClient.longs;
import static io.nettyrdma.examples.nfs.server.NfsClient.opaque;
import static io.nettyrdma.examples.nfs.server.NfsClient.string;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.nfs.server.NfsClient.Argument;
import io.nettyrdma.examples.nfs.server.NfsClient.Attributes;
import io.nettyrdma.examples.nfs.server.NfsClient.Reply;
import io.nettyrdma.examples.nfs.server.NfsClient.Wcc;
import io.nettyrdma.rpc.RpcRdmaConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the server does, whatever transport its clients come over; no message is longer than fits inline. */
@Timeout(60)
abstract class NfsServerContract {

    private static final Argument NO_ATTRIBUTES = attributes(null, null);

    @TempDir
    Path directory;

    final ConcurrentLinkedQueue<String> access = new ConcurrentLinkedQueue<>();
    EventLoopGroup group;
    Path export;
    NfsServer server;
    NfsClient client;
    byte[] root;

    abstract NfsClient connect() throws Exception;

    @BeforeEach
    void start() throws Exception {
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        export = Files.createDirectory(directory.resolve("export"));
        startServer();
    }

    void startServer() throws Exception {
        server = NfsServer.start(
                new NfsServer.Options(export, directory.resolve("state"), "127.0.0.1", 0, 0, 0, 4, false, false),
                RpcRdmaConfig.defaults(),
                line -> {},
                access::add);
        client = connect();
        try (NfsClient mount = NfsClient.tcp(server.mountAddress())) {
            root = mount.mount("/");
        }
    }

    void stopServer() throws Exception {
        client.close();
        server.close();
    }

    @AfterEach
    void stop() throws Exception {
        stopServer();
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    private Reply create(byte[] directory, String name) throws Exception {
        return client.call(Nfs3Procedure.CREATE, opaque(directory), string(name), ints(1), attributes(0640, null));
    }

    private byte[] newFile(String name) throws Exception {
        return create(root, name).ok().postOpHandle();
    }

    private byte[] newDirectory(byte[] parent, String name) throws Exception {
        return client.call(Nfs3Procedure.MKDIR, opaque(parent), string(name), attributes(0755, null))
                .ok()
                .postOpHandle();
    }

    private Reply lookup(byte[] directory, String name) throws Exception {
        return client.call(Nfs3Procedure.LOOKUP, opaque(directory), string(name));
    }

    private Attributes getattr(byte[] handle) throws Exception {
        return client.call(Nfs3Procedure.GETATTR, opaque(handle)).ok().attributes();
    }

    private Reply write(byte[] file, long offset, byte[] data, int stable) throws Exception {
        return client.call(Nfs3Procedure.WRITE, opaque(file), longs(offset), ints(data.length, stable), opaque(data));
    }

    private Reply read(byte[] file, long offset, int count) throws Exception {
        return client.call(Nfs3Procedure.READ, opaque(file), longs(offset), ints(count));
    }

    private byte[] contents(byte[] file, int length) throws Exception {
        byte[] all = new byte[length];
        for (int at = 0; at < length; ) {
            Reply reply = read(file, at, 3001).ok();
            reply.postOp();
            int count = reply.in.readInt();
            boolean end = reply.in.readInt() == 1;
            byte[] data = reply.opaque();
            reply.end();
            assertThat(data).hasSize(count);
            System.arraycopy(data, 0, all, at, count);
            at += count;
            assertThat(end).isEqualTo(at == length);
        }
        return all;
    }

    @Test
    void nullDoesNothing() throws Exception {
        ByteBuf results = NfsClient.accepted(client.exchange(client.header(RpcPrograms.NFS, 3, 0)));
        assertThat(results.isReadable()).isFalse();
    }

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
                ints(2, 1_000_000_000, 999_999_000), // access time; Java sets whole microseconds
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

    @Test
    void dataComesBackAsItWasWritten() throws Exception {
        byte[] file = newFile("file");
        byte[] data = new byte[20_011];
        new Random(1).nextBytes(data);
        for (int at = 0; at < data.length; at += 3000) {
            byte[] piece = Arrays.copyOfRange(data, at, Math.min(data.length, at + 3000));
            Reply reply = write(file, at, piece, 0).ok();
            Wcc wcc = reply.wcc();
            assertThat(wcc.sizeBefore()).isEqualTo(at);
            assertThat(wcc.after().size()).isEqualTo(at + piece.length);
            assertThat(reply.in.readInt()).isEqualTo(piece.length);
            assertThat(reply.in.readInt()).isBetween(0, 2);
            reply.in.skipBytes(8);
            reply.end();
        }
        assertThat(contents(file, data.length)).isEqualTo(data);
        assertThat(Files.readAllBytes(export.resolve("file"))).isEqualTo(data);
        Reply behind = read(file, 1 << 20, 100).ok();
        behind.postOp();
        assertThat(behind.in.readInt()).isZero();
        assertThat(behind.in.readInt()).isOne();
        assertThat(behind.opaque()).isEmpty();
        behind.end();
    }

    @Test
    void commitAndWriteTellOneVerifierUntilARestart() throws Exception {
        byte[] file = newFile("file");
        long written = writeVerifier(write(file, 0, new byte[10], 0).ok());
        assertThat(writeVerifier(write(file, 0, new byte[10], 2).ok())).isEqualTo(written);
        assertThat(commitVerifier(file)).isEqualTo(written);
        stopServer();
        startServer();
        assertThat(commitVerifier(file)).isNotEqualTo(written);
    }

    private static long writeVerifier(Reply reply) {
        reply.wcc();
        reply.in.skipBytes(8);
        return reply.in.readLong();
    }

    private long commitVerifier(byte[] file) throws Exception {
        Reply reply = client.call(Nfs3Procedure.COMMIT, opaque(file), longs(0), ints(0))
                .ok();
        reply.wcc();
        long verifier = reply.in.readLong();
        reply.end();
        return verifier;
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

    @Test
    void exclusiveCreateIsOneClientsAlone() throws Exception {
        Argument[] mine = {opaque(root), string("lock"), ints(2), longs(0xfedc_ba98_7654_3210L)};
        byte[] file = client.call(Nfs3Procedure.CREATE, mine).ok().postOpHandle();
        stopServer();
        startServer();
        assertThat(client.call(Nfs3Procedure.CREATE, mine).ok().postOpHandle()).isEqualTo(file);
        client.call(Nfs3Procedure.CREATE, opaque(root), string("lock"), ints(2), longs(5))
                .is(Nfs3Status.EXIST);
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
    void serverOfRootActsAsItsCallers() throws Exception {
        assumeTrue(Integer.valueOf(0).equals(Files.getAttribute(export, "unix:uid")), "only root can");
        byte[] roots = newFile("of-root"); // 0640
        byte[] shared = newDirectory(root, "shared");
        client.call(Nfs3Procedure.SETATTR, opaque(shared), attributes(0777, null), ints(0))
                .ok();
        client.as(1000, 2000);
        read(roots, 0, 10).is(Nfs3Status.ACCES);
        write(roots, 0, new byte[1], 0).is(Nfs3Status.ACCES);
        client.call(Nfs3Procedure.SETATTR, opaque(roots), attributes(0666, null), ints(0))
                .is(Nfs3Status.PERM);
        create(root, "mine").is(Nfs3Status.ACCES);
        client.call(Nfs3Procedure.REMOVE, opaque(root), string("of-root")).is(Nfs3Status.ACCES);
        byte[] mine = create(shared, "mine").ok().postOpHandle();
        assertThat(getattr(mine).uid()).isEqualTo(1000);
        assertThat(getattr(mine).gid()).isEqualTo(2000);
        write(mine, 0, new byte[1], 0).ok();
        client.call(Nfs3Procedure.SETATTR, opaque(mine), ints(0, 1, 0, 0, 0, 0, 0, 0))
                .is(Nfs3Status.PERM);
    }

    @Test
    void mknodIsNotSupported() throws Exception {
        Reply pipe = client.call(Nfs3Procedure.MKNOD, opaque(root), string("pipe"), ints(7), NO_ATTRIBUTES);
        assertThat(pipe.is(Nfs3Status.NOTSUPP).wcc().after()).isEqualTo(getattr(root));
        pipe.end();
        client.call(Nfs3Procedure.MKNOD, opaque(root), string("file"), ints(1)).is(Nfs3Status.BADTYPE);
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

    /** One listing in pieces; the names in their order. */
    private List<String> list(boolean plus, Callable<Void> betweenPieces) throws Exception {
        List<String> names = new ArrayList<>();
        long cookie = 0;
        long verifier = 0;
        while (true) {
            Reply reply = plus
                    ? client.call(Nfs3Procedure.READDIRPLUS, opaque(root), longs(cookie, verifier), ints(2000, 3500))
                    : client.call(Nfs3Procedure.READDIR, opaque(root), longs(cookie, verifier), ints(1000));
            assertThat(reply.in.readableBytes()).isLessThanOrEqualTo(plus ? 3500 : 1000);
            assertThat(reply.ok().postOp().type()).isEqualTo(2);
            verifier = reply.in.readLong();
            int count = 0;
            while (reply.in.readInt() == 1) {
                long fileId = reply.in.readLong();
                names.add(reply.string());
                cookie = reply.in.readLong();
                if (plus) {
                    assertThat(reply.postOp().fileId()).isEqualTo(fileId);
                    assertThat(reply.postOpHandle()).hasSize(32);
                }
                count++;
            }
            boolean end = reply.in.readInt() == 1;
            reply.end();
            if (end) {
                return names;
            }
            assertThat(count).isPositive();
            betweenPieces.call();
        }
    }

    @Test
    void twoThousandFilesAreListedInPieces() throws Exception {
        TreeSet<String> expected = new TreeSet<>(List.of(".", ".."));
        for (int i = 0; i < 2000; i++) {
            Files.createFile(export.resolve("file-" + i));
            expected.add("file-" + i);
        }
        assertThat(list(true, () -> null)).hasSize(2002).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(list(false, () -> null)).hasSize(2002).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void listingsGiveWhatStaysOnceThroughChangesAndRestarts() throws Exception {
        TreeSet<String> staying = new TreeSet<>(List.of(".", ".."));
        for (int i = 0; i < 200; i++) {
            Files.createFile(export.resolve("stays-" + i));
            Files.createFile(export.resolve("goes-" + i));
            staying.add("stays-" + i);
        }
        int[] round = new int[1];
        List<String> names = list(true, () -> {
            Files.deleteIfExists(export.resolve("goes-" + round[0]));
            Files.createFile(export.resolve("comes-" + round[0]));
            if (round[0]++ == 3) {
                stopServer();
                startServer();
            }
            return null;
        });
        assertThat(round[0]).isGreaterThan(5);
        assertThat(names).doesNotHaveDuplicates().containsAll(staying);
    }

    @Test
    void strangeCookiesAndTooLittleRoomAreRefused() throws Exception {
        newFile("file");
        client.call(Nfs3Procedure.READDIR, opaque(root), longs(5, 1234), ints(1000))
                .is(Nfs3Status.BAD_COOKIE);
        client.call(Nfs3Procedure.READDIR, opaque(root), longs(0, 0), ints(120)).is(Nfs3Status.TOOSMALL);
        client.call(Nfs3Procedure.READDIR, opaque(newFile("x")), longs(0, 0), ints(1000))
                .is(Nfs3Status.NOTDIR);
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
    void manyWritersAtOnceLeaveWhatTheyWrote() throws Exception {
        int writers = 8;
        int pieces = 40;
        int bytes = 1000;
        byte[] file = newFile("shared");
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        List<Future<?>> done = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
            int me = writer;
            done.add(threads.submit(() -> {
                try (NfsClient mine = connect()) {
                    for (int piece = 0; piece < pieces; piece++) {
                        byte[] data = new byte[bytes];
                        Arrays.fill(data, (byte) (me * pieces + piece));
                        mine.call(
                                        Nfs3Procedure.WRITE,
                                        opaque(file),
                                        longs((long) (piece * writers + me) * bytes),
                                        ints(bytes, 0),
                                        opaque(data))
                                .ok();
                        mine.call(
                                        Nfs3Procedure.CREATE,
                                        opaque(root),
                                        string("file-" + me + "-" + piece),
                                        ints(1),
                                        NO_ATTRIBUTES)
                                .ok();
                    }
                }
                return null;
            }));
        }
        for (Future<?> each : done) {
            each.get(50, TimeUnit.SECONDS);
        }
        threads.shutdown();
        byte[] all = Files.readAllBytes(export.resolve("shared"));
        assertThat(all).hasSize(writers * pieces * bytes);
        for (int at = 0; at < all.length; at++) {
            int piece = at / bytes / writers;
            int writer = at / bytes % writers;
            assertThat(all[at]).isEqualTo((byte) (writer * pieces + piece));
        }
        assertThat(list(false, () -> null)).hasSize(2 + 1 + writers * pieces);
    }

    @Test
    void changeIsMadeOnceHoweverOftenAClientAsks() throws Exception {
        newFile("file");
        client.withXid(77);
        Argument[] remove = {opaque(root), string("file")};
        client.call(Nfs3Procedure.REMOVE, remove).ok();
        client.close();
        client = connect().withXid(77); // the reply was lost with the connection
        client.call(Nfs3Procedure.REMOVE, remove).ok();
        // Another call that happens to have the XID is another call.
        client.call(Nfs3Procedure.REMOVE, opaque(root), string("missing")).is(Nfs3Status.NOENT);
        client.withXid(78).call(Nfs3Procedure.REMOVE, remove).is(Nfs3Status.NOENT);
    }

    @Test
    void callsThatMakeNoSenseAreAnswered() throws Exception {
        ByteBuf call = client.header(RpcPrograms.NFS, 3, Nfs3Procedure.LOOKUP.number());
        call.writeInt(0x7fff_fffc); // a handle of two gigabytes
        assertThat(acceptStatus(client.exchange(call))).as("GARBAGE_ARGS").isEqualTo(4);
        assertThat(acceptStatus(client.exchange(client.header(RpcPrograms.NFS, 3, 22))))
                .as("PROC_UNAVAIL")
                .isEqualTo(3);
        assertThat(acceptStatus(client.exchange(client.header(RpcPrograms.NFS, 4, 0))))
                .as("PROG_MISMATCH")
                .isEqualTo(2);
        assertThat(acceptStatus(client.exchange(client.header(100_227, 3, 0))))
                .as("PROG_UNAVAIL")
                .isEqualTo(1);
        ByteBuf unknownCredentials = client.header(RpcPrograms.NFS, 3, 0);
        unknownCredentials.setInt(24, 390_000);
        assertThat(client.exchange(unknownCredentials).getInt(8))
                .as("MSG_DENIED")
                .isOne();
        ByteBuf hugeName = client.header(RpcPrograms.NFS, 3, 0);
        hugeName.setInt(36, 0x7fff_ffff);
        assertThat(client.exchange(hugeName).getInt(8)).as("MSG_DENIED").isOne();
        getattr(root); // and the connection is as good as before
    }

    private static int acceptStatus(ByteBuf reply) {
        return reply.getInt(20);
    }

    @Test
    void everyCallIsInTheLog() throws Exception {
        newFile("file");
        lookup(root, "missing").is(Nfs3Status.NOENT);
        assertThat(access).anySatisfy(line -> assertThat(line).contains(" CREATE ", "file", " OK "));
        assertThat(access).anySatisfy(line -> assertThat(line).contains(" LOOKUP ", "missing", " NOENT "));
        assertThat(server.summary()).startsWith("2 calls");
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
