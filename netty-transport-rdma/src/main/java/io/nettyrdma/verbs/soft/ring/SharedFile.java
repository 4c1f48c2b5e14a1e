// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.ring;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file in memory with a ring for each direction of a connection. One side makes it and tells the other its number;
 * the other side claims it. Who deletes its name first has decided: the claimer, that both sides use it; the maker,
 * that none does. So a file has a name for moments only, and none is left by processes that are killed later.
 *
 * <p>The files are in a folder that only this user can enter, {@code /dev/shm/netty-rdma-UID}, so that no other user
 * can make, replace or read one. They have all of their pages from the beginning: a full file system is an error here,
 * not a fault in the middle of a connection.
 *
 * <p>Threading: any, one at a time. Ownership: of the memory, until {@link #close}.
 */
public final class SharedFile {

    /** Octets of a file. */
    public static final int BYTES = 2 * Ring.BYTES;

    /** Memory of Linux that is addressed by names. */
    private static final Path PARENT = Path.of("/dev/shm");

    /** "NRDMA" and the version of what is in the file. */
    private static final long FORMAT = 0x4e52_444d_4100_0001L;

    /** Many times as long as a maker waits for a claim: what is older was left by a process that was killed. */
    private static final Duration STALE = Duration.ofMinutes(1);

    private static final int PERMISSIONS = 0777;
    private static final int FOLDER_MODE = 0700;
    private static final int FILE_MODE = 0600;

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(32 * 1024);

    /** Part of what direct memory may take that all files of this process may. */
    private static final int MEMORY_PART = 4;

    /** Files that are not closed. */
    static final AtomicInteger OPEN = new AtomicInteger();

    private static final AtomicBoolean TIDIED = new AtomicBoolean();

    final Mapping mapping;
    private final Path path;
    private final boolean maker;

    private SharedFile(Path path, boolean maker, FileChannel file) throws IOException {
        this.path = path;
        this.maker = maker;
        long most = PlatformDependent.maxDirectMemory() / MEMORY_PART;
        if (OPEN.incrementAndGet() * (long) BYTES > most) {
            OPEN.decrementAndGet();
            throw new IOException("the shared memory of this process may take " + most + " octets");
        }
        try {
            mapping = Mapping.of(file, BYTES);
        } catch (Throwable e) {
            OPEN.decrementAndGet();
            throw e;
        }
        mapping.octets.order(ByteOrder.nativeOrder());
    }

    /**
     * Makes a file.
     *
     * @throws IOException if there is no such place, it is not this user's alone, or it has no room
     */
    public static SharedFile make(long number) throws IOException {
        return make(PARENT, number);
    }

    static SharedFile make(Path parent, long number) throws IOException {
        Path folder = folder(parent);
        try {
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            checkOwn(folder, FOLDER_MODE, "isDirectory");
            if (TIDIED.compareAndSet(false, true)) {
                tidy(folder);
            }
        }
        Path path = path(folder, number);
        try (FileChannel file = FileChannel.open(
                path,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            return fill(path, file);
        }
    }

    private static SharedFile fill(Path path, FileChannel file) throws IOException {
        try {
            for (long at = 0; at < BYTES; ) {
                at += file.write(ZEROS.duplicate().limit((int) Math.min(ZEROS.capacity(), BYTES - at)));
            }
            SharedFile made = new SharedFile(path, true, file);
            made.mapping.octets.putLong(Ring.FORMAT_AT, FORMAT);
            return made;
        } catch (Throwable e) {
            Files.deleteIfExists(path);
            throw e;
        }
    }

    /**
     * Claims the file that the peer has made.
     *
     * @throws IOException if there is none with this number, it is not this user's alone, or the maker took it back
     */
    public static SharedFile claim(long number) throws IOException {
        return claim(PARENT, number);
    }

    static SharedFile claim(Path parent, long number) throws IOException {
        Path folder = folder(parent);
        checkOwn(folder, FOLDER_MODE, "isDirectory");
        Path path = path(folder, number);
        checkOwn(path, FILE_MODE, "isRegularFile");
        SharedFile claimed;
        try (FileChannel file =
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            if (file.size() != BYTES) {
                throw new IOException(path + " has " + file.size() + " octets, not " + BYTES);
            }
            claimed = new SharedFile(path, false, file);
        }
        try {
            if (claimed.mapping.octets.getLong(Ring.FORMAT_AT) != FORMAT) {
                throw new IOException(path + " is of another version");
            }
            Files.delete(path);
            return claimed;
        } catch (Throwable e) {
            claimed.close();
            throw e;
        }
    }

    /** Takes an offer back; false if the peer has claimed the file. */
    public boolean withdraw() {
        try {
            Files.delete(path);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            return true; // what can't be deleted can't be claimed either
        }
    }

    /** The ring that this side fills. */
    public RingWriter writer() {
        return new RingWriter(mapping.octets, maker ? 0 : Ring.BYTES);
    }

    /** The ring that this side empties. */
    public RingReader reader() {
        return new RingReader(mapping.octets, maker ? Ring.BYTES : 0);
    }

    /** Gives the memory back. Nothing may touch the rings any more. */
    public void close() {
        mapping.close();
        OPEN.decrementAndGet();
    }

    private static Path folder(Path parent) throws IOException {
        return parent.resolve("netty-rdma-" + ownUid());
    }

    private static int ownUid() throws IOException {
        return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    private static Path path(Path folder, long number) {
        return folder.resolve(String.format("%016x", number));
    }

    private static void checkOwn(Path path, int mode, String kind) throws IOException {
        Map<String, Object> is = Files.readAttributes(path, "unix:uid,mode," + kind, LinkOption.NOFOLLOW_LINKS);
        boolean permitted = is.get("mode") instanceof Integer all && (all & PERMISSIONS) == mode;
        if (!permitted || !Objects.equals(is.get("uid"), ownUid()) || !Objects.equals(is.get(kind), true)) {
            throw new IOException(path + " is not what only this user can change");
        }
    }

    /** Deletes what processes have left that were killed before a claim. */
    static void tidy(Path folder) throws IOException {
        Instant stale = Instant.now().minus(STALE);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                try {
                    if (Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS)
                            .toInstant()
                            .isBefore(stale)) {
                        Files.deleteIfExists(file);
                    }
                } catch (NoSuchFileException e) {
                    // Another process is tidying, too.
                }
            }
        }
    }
}
