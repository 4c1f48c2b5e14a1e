// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.attributes;
import static io.nettyrdma.examples.nfs.server.NfsClient.ints;
import static io.nettyrdma.examples.nfs.server.NfsClient.longs;
import static io.nettyrdma.examples.nfs.server.NfsClient.opaque;
import static io.nettyrdma.examples.nfs.server.NfsClient.string;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.server.NfsClient.Argument;
import io.nettyrdma.examples.nfs.server.NfsClient.Reply;
import io.nettyrdma.rpc.RpcRdmaConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server of root gives nobody more than the export: a local user without privileges exchanges folders and files of
 * his own for symbolic links to a folder outside, as fast as he can, while clients call every procedure on them. What
 * is outside has to stay as it was, to the time of its last change, and nothing of it may be in any reply.
 *
 * <p>Needs root, to run the server and to run the attacker as somebody else. {@code -Dnfs.race.required=true} makes
 * anything less a failure, {@code -Dnfs.race.seconds} says for how long (default: {@value #DEFAULT_SECONDS}).
 */
class NfsRenameRaceTest {

    private static final int DEFAULT_SECONDS = 4;

    /** No user of any host this is likely to run on. */
    private static final int ATTACKER = 54_321;

    private static final int CLIENTS = 2;
    private static final long WATCH_MILLIS = 100;
    private static final String CONTENT_OUTSIDE = "nobody is to read this";
    private static final String LINK_OUTSIDE = "nor where this leads";
    private static final String NAME_OUTSIDE = "nor that this is there";

    @TempDir
    Path directory;

    private final Map<Nfs3Procedure, LongAdder> calls = new EnumMap<>(Nfs3Procedure.class);
    private Path outside;
    private Path mine;
    private NfsServer server;
    private byte[] root;
    private volatile boolean end;

    @Test
    void nothingOutsideTheExportIsTouchedOrTold() throws Exception {
        requireRootOrSkip();
        long seconds = Long.getLong("nfs.race.seconds", DEFAULT_SECONDS);
        furnish();
        Map<String, String> before = snapshot();
        Set<Long> idsOutside = fileIds();
        for (Nfs3Procedure procedure : Nfs3Procedure.values()) {
            calls.put(procedure, new LongAdder());
        }
        server = NfsServer.start(
                new NfsServer.Options(
                        directory.resolve("export"),
                        directory.resolve("state"),
                        "127.0.0.1",
                        0,
                        0,
                        0,
                        CLIENTS,
                        false,
                        false),
                RpcRdmaConfig.defaults(),
                line -> {},
                null);
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try (NfsClient mount = NfsClient.tcp(server.mountAddress())) {
            root = mount.mount("/");
            Process attacker = attacker();
            try (BufferedReader says = attacker.inputReader()) {
                assertThat(says.readLine()).as("the attacker's first word").isEqualTo("ready");
                List<Future<?>> clients = new ArrayList<>();
                for (int i = 0; i < CLIENTS; i++) {
                    int uid = i % 2 == 0 ? ATTACKER : 0;
                    long seed = i;
                    clients.add(threads.submit(() -> {
                        new Victim(uid, idsOutside, new Random(seed)).run();
                        return null;
                    }));
                }
                watch(clients.get(0), seconds, before);
                end = true;
                for (Future<?> client : clients) {
                    client.get(Deadline.SECONDS, TimeUnit.SECONDS);
                }
                attacker.getOutputStream().close();
                assertThat(Long.parseLong(says.readLine())).as("exchanges").isPositive();
            } finally {
                attacker.destroyForcibly();
            }
        } finally {
            end = true;
            threads.shutdown();
            server.close();
        }
        assertThat(snapshot()).as("what is outside the export").isEqualTo(before);
        assertThat(calls.values()).as("calls of each procedure").allMatch(count -> count.sum() > 0);
    }

    /** Looks again and again whether all is as it was, until the time is over or a client has seen too much. */
    private void watch(Future<?> client, long seconds, Map<String, String> before) throws Exception {
        long stop = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < stop) {
            assertThat(snapshot()).as("what is outside the export").isEqualTo(before);
            try {
                client.get(WATCH_MILLIS, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                // it goes on, as it has to
            }
        }
    }

    private void requireRootOrSkip() throws IOException {
        String missing = null;
        if (!Integer.valueOf(0).equals(Files.getAttribute(directory, "unix:uid"))) {
            missing = "it needs root";
        } else if (!Files.isExecutable(Path.of("/usr/bin/setpriv"))) {
            missing = "it needs setpriv, of util-linux";
        }
        if (missing != null) {
            assertThat(Boolean.getBoolean("nfs.race.required")).as(missing).isFalse();
            System.out.println("NfsRenameRaceTest is skipped: " + missing);
            abort(missing);
        }
    }

    /** The folder outside has what the attacker's has, under the same names, and belongs to root. */
    private void furnish() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        Files.createDirectory(directory.resolve("export"));
        outside = fill(directory.resolve("outside"), CONTENT_OUTSIDE, LINK_OUTSIDE);
        Files.createFile(outside.resolve(NAME_OUTSIDE));
        mine = Files.createDirectory(directory.resolve("export/mine"));
        fill(mine.resolve("folder"), "mine", "mine");
        try (Stream<Path> all = Files.walk(mine)) {
            for (Path path : all.toList()) {
                Files.setAttribute(path, "unix:uid", ATTACKER, LinkOption.NOFOLLOW_LINKS);
                Files.setAttribute(path, "unix:gid", ATTACKER, LinkOption.NOFOLLOW_LINKS);
            }
        }
    }

    private static Path fill(Path folder, String content, String link) throws IOException {
        Files.createDirectory(folder);
        Files.writeString(folder.resolve("file"), content);
        Files.setPosixFilePermissions(folder.resolve("file"), PosixFilePermissions.fromString("rw-------"));
        Files.createSymbolicLink(folder.resolve("link"), Path.of(link));
        Files.createDirectory(folder.resolve("inner"));
        return folder;
    }

    private Map<String, String> snapshot() throws IOException {
        Map<String, String> all = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(outside)) {
            for (Path path : paths.toList()) {
                HostAttributes attributes = HostAttributes.of(path);
                all.put(
                        directory.relativize(path).toString(),
                        String.format(
                                "mode %o links %d owner %d:%d size %d modified %s changed %s",
                                attributes.typeAndMode(),
                                attributes.nlink(),
                                attributes.uid(),
                                attributes.gid(),
                                attributes.size(),
                                attributes.modified(),
                                attributes.changed()));
            }
        }
        return all;
    }

    private Set<Long> fileIds() throws IOException {
        Set<Long> ids = new HashSet<>();
        try (Stream<Path> paths = Files.walk(outside)) {
            for (Path path : paths.toList()) {
                ids.add(Results.fileId(HostAttributes.of(path)));
            }
        }
        return ids;
    }

    private Process attacker() throws Exception {
        Path classes = Files.createDirectory(directory.resolve("attacker"));
        String name = RenameAttacker.class.getName();
        Path copy = classes.resolve(name.replace('.', '/') + ".class");
        Files.createDirectories(copy.getParent());
        try (InputStream in = RenameAttacker.class.getResourceAsStream("RenameAttacker.class")) {
            Files.copy(in, copy);
        }
        List<String> command = new ArrayList<>(List.of("/usr/bin/setpriv", "--clear-groups", "--no-new-privs"));
        command.addAll(List.of("--reuid", "" + ATTACKER, "--regid", "" + ATTACKER));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx64m", "-cp", classes.toString(), name));
        command.addAll(List.of(mine.resolve("folder").toString(), outside.toString()));
        for (String inside : List.of("file", "link", "inner")) {
            command.add(mine.resolve("folder").resolve(inside).toString());
            command.add(outside.resolve(inside).toString());
        }
        return new ProcessBuilder(command)
                .directory(classes.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** A client that uses what the attacker exchanges. */
    private final class Victim {

        private final int uid;
        private final Set<Long> idsOutside;
        private final Random random;
        private final Map<String, byte[]> handles = new TreeMap<>();
        private int made;

        Victim(int uid, Set<Long> idsOutside, Random random) {
            this.uid = uid;
            this.idsOutside = idsOutside;
            this.random = random;
        }

        void run() throws Exception {
            try (NfsClient client = NfsClient.tcp(server.tcpAddress()).as(uid, uid)) {
                byte[] folderAbove = lookup(client, root, "mine");
                Nfs3Procedure[] all = Nfs3Procedure.values();
                for (int i = 0; !end || i < all.length; i++) {
                    if (i % all.length == 0) {
                        keep("folder", lookup(client, folderAbove, "folder"));
                        for (String name : List.of("file", "link", "inner")) {
                            keep(name, lookup(client, handle("folder"), name));
                        }
                    }
                    call(client, all[i % all.length]);
                }
            }
        }

        private void keep(String name, byte @Nullable [] handle) {
            if (handle != null) {
                handles.put(name, handle);
            }
        }

        private byte[] handle(String name) {
            return handles.getOrDefault(name, root);
        }

        private byte @Nullable [] lookup(NfsClient client, byte[] parent, String name) throws Exception {
            Reply reply = send(client, Nfs3Procedure.LOOKUP, opaque(parent), string(name));
            if (reply.status != 0) {
                return null;
            }
            byte[] handle = reply.opaque();
            check(reply.postOp());
            return handle;
        }

        private Reply send(NfsClient client, Nfs3Procedure procedure, Argument... arguments) throws Exception {
            calls.get(procedure).increment();
            return client.call(procedure, arguments);
        }

        private void check(NfsClient.@Nullable Attributes told) {
            if (told != null) {
                assertThat(idsOutside).as("objects outside").doesNotContain(told.fileId());
            }
        }

        private void call(NfsClient client, Nfs3Procedure procedure) throws Exception {
            byte[] folder = handle("folder");
            byte[] file = handle("file");
            String fresh = uid + "-" + made++ % 16;
            List<String> changed = List.of("file", "link", "inner", "folder");
            byte[] any = handle(changed.get(random.nextInt(changed.size())));
            switch (procedure) {
                case NULL -> calls.get(procedure).increment(); // touches nothing
                case LOOKUP -> lookup(client, folder, NAME_OUTSIDE);
                case GETATTR -> {
                    Reply reply = send(client, procedure, opaque(any));
                    check(reply.status == 0 ? reply.attributes() : null);
                }
                case ACCESS ->
                    check(send(client, procedure, opaque(any), ints(0x3f)).postOp());
                case SETATTR -> {
                    int mode = random.nextBoolean() ? 06755 : 0755;
                    send(client, procedure, opaque(any), ints(1, mode), ints(0, 0, 0, 1, 1), ints(0));
                    send(client, procedure, opaque(any), ints(1, mode, 1, ATTACKER, 1, ATTACKER, 0, 0, 0), ints(0));
                    send(client, procedure, opaque(file), attributes(null, 4L), ints(0));
                }
                case READLINK -> {
                    Reply reply = send(client, procedure, opaque(handle("link")));
                    check(reply.postOp());
                    if (reply.status == 0) {
                        assertThat(reply.string()).as("a link").isNotEqualTo(LINK_OUTSIDE);
                    }
                }
                case READ -> {
                    Reply reply = send(client, procedure, opaque(file), longs(0), ints(100));
                    check(reply.postOp());
                    if (reply.status == 0) {
                        reply.in.skipBytes(8);
                        assertThat(reply.string()).as("what was read").doesNotContain(CONTENT_OUTSIDE);
                    }
                }
                case WRITE ->
                    send(
                            client,
                            procedure,
                            opaque(file),
                            longs(0),
                            ints(4, 0),
                            opaque("mine".getBytes(StandardCharsets.US_ASCII)));
                case COMMIT -> send(client, procedure, opaque(file), longs(0), ints(0));
                case CREATE -> {
                    send(client, procedure, opaque(folder), string(fresh), ints(0), attributes(04755, null));
                    send(client, procedure, opaque(folder), string("file"), ints(0), attributes(04755, 4L));
                }
                case MKDIR -> {
                    send(client, procedure, opaque(folder), string(fresh + "d"), attributes(02755, null));
                    send(client, procedure, opaque(folder), string("inner"), attributes(0755, null));
                }
                case SYMLINK -> {
                    Argument nothing = attributes(null, null);
                    send(client, procedure, opaque(folder), string(fresh + "l"), nothing, string("mine"));
                    send(client, procedure, opaque(folder), string("link"), nothing, string("mine"));
                }
                case MKNOD -> send(client, procedure, opaque(folder), string(fresh), ints(7), attributes(null, null));
                case LINK -> {
                    send(client, procedure, opaque(file), opaque(folder), string(fresh + "h"));
                    send(client, procedure, opaque(file), opaque(root), string(fresh + "h"));
                }
                case RENAME -> {
                    send(client, procedure, opaque(folder), string(fresh), opaque(folder), string(fresh + "r"));
                    send(client, procedure, opaque(folder), string("link"), opaque(folder), string(fresh + "m"));
                }
                case REMOVE -> {
                    for (String name : List.of(fresh + "r", fresh + "l", fresh + "h", fresh + "m", NAME_OUTSIDE)) {
                        send(client, procedure, opaque(folder), string(name));
                    }
                    send(client, procedure, opaque(root), string(fresh + "h"));
                }
                case RMDIR -> {
                    send(client, procedure, opaque(folder), string(fresh + "d"));
                    send(client, procedure, opaque(folder), string("inner"));
                }
                case READDIR -> list(client, procedure, longs(0, 0), ints(4000), false);
                case READDIRPLUS -> list(client, procedure, longs(0, 0), ints(4000, 4000), true);
                case FSSTAT, FSINFO, PATHCONF ->
                    check(send(client, procedure, opaque(folder)).postOp());
            }
        }

        private void list(NfsClient client, Nfs3Procedure procedure, Argument from, Argument limits, boolean plus)
                throws Exception {
            Reply reply = send(client, procedure, opaque(handle("folder")), from, limits);
            check(reply.postOp());
            if (reply.status != 0) {
                return;
            }
            reply.in.skipBytes(8);
            while (reply.in.readInt() == 1) {
                assertThat(idsOutside).as("objects outside").doesNotContain(reply.in.readLong());
                assertThat(reply.string()).as("a name").isNotEqualTo(NAME_OUTSIDE);
                reply.in.skipBytes(8);
                if (plus) {
                    check(reply.postOp());
                    if (reply.in.readInt() == 1) {
                        reply.opaque();
                    }
                }
            }
        }
    }
}
