// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory of the server's user alone, where new objects get their owner, mode and times before anybody can see
 * them, and where objects of the export get a second name for as long as they are changed: nobody can exchange what is
 * in here. There is one per mount, since objects can be moved and linked within a mount only.
 *
 * <p>Threading: any thread. Ownership: holds the directory open, and a lock, as one server at a time may use it; what a
 * server that was killed left in it is deleted once the lock is held.
 */
final class StagingDirectory implements Closeable {

    static final Path NAME = Path.of(".nfs-server-staging");

    static final int MODE = 0700;

    /** Is locked by the server, and keeps the owner of the directory above from removing this one. */
    private static final String IN_USE = "in-use";

    private static final Logger logger = LoggerFactory.getLogger(StagingDirectory.class);
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /** Another server has it. */
    static final class InUseException extends IOException {

        private static final long serialVersionUID = 1L;

        InUseException(String message) {
            super(message);
        }
    }

    private final HeldFile held;
    private final FileChannel lock;
    private final HostAttributes attributes;
    private final AtomicLong count = new AtomicLong();

    private StagingDirectory(HeldFile held, FileChannel lock, HostAttributes attributes) {
        this.held = held;
        this.lock = lock;
        this.attributes = attributes;
    }

    /**
     * Opens the one in a directory, made if there is none.
     *
     * @param parent a path that leads to one directory only, such as {@link HeldFile#path()}
     * @throws InUseException if another server has it
     * @throws IOException    if what has its name is not the server's own, or there is no permission to make one
     */
    static StagingDirectory open(Descriptors descriptors, Path parent) throws IOException {
        Path where = parent.resolve(NAME);
        try {
            Files.createDirectory(where, PRIVATE_DIRECTORY);
        } catch (FileAlreadyExistsException e) {
            // of an earlier server, or else it is refused below
        }
        HostAttributes attributes = HostAttributes.of(where);
        int uid = Identity.ownUid();
        if (!attributes.isDirectory() || attributes.uid() != uid || attributes.mode() != MODE) {
            throw new IOException(String.format(
                    Locale.ROOT,
                    "%s in %s is in the way: the server needs a directory of user %d with mode %o there; remove it",
                    NAME,
                    parent.toRealPath(),
                    Integer.toUnsignedLong(uid),
                    MODE));
        }
        FileChannel channel = FileChannel.open(where.resolve("."), StandardOpenOption.READ);
        final HeldFile held;
        try {
            held = descriptors.hold(channel, attributes);
        } catch (NfsException e) {
            throw new IOException(NAME + " was replaced while it was opened", e);
        }
        @Nullable FileChannel lock = null;
        boolean ready = false;
        try {
            lock = lock(held.path().resolve(IN_USE));
            if (lock == null) {
                throw new InUseException(NAME + " in " + parent.toRealPath()
                        + " is in use by another server: only one can serve a directory");
            }
            StagingDirectory staging = new StagingDirectory(held, lock, attributes);
            staging.clear();
            ready = true;
            return staging;
        } finally {
            if (!ready) {
                List<Closeable> opened = lock == null ? List.of(held) : List.of(lock, held);
                Ends.all(opened);
            }
        }
    }

    /** Null if another server has the lock, or had it until now, as then the file is gone or another one. */
    private static @Nullable FileChannel lock(Path file) throws IOException {
        @Nullable Object before = key(file);
        @Nullable FileChannel locked = StateDirectory.lock(file);
        if (locked == null) {
            return null;
        }
        @Nullable Object now = key(file);
        if (now == null || before != null && !before.equals(now)) {
            locked.close();
            return null;
        }
        return locked;
    }

    private static @Nullable Object key(Path file) throws IOException {
        try {
            return HostAttributes.of(file).fileKey();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** What identifies it, so that clients cannot see it. */
    Object key() {
        return attributes.fileKey();
    }

    /** Whether the server is root, who may do anything to anybody's files. */
    boolean isOfRoot() {
        return attributes.uid() == 0;
    }

    int mountId() {
        return held.mountId();
    }

    /** A path in here that nothing has. */
    Path fresh() {
        return held.path().resolve(Long.toString(count.getAndIncrement()));
    }

    /**
     * Moves a finished object to its place in the export.
     *
     * @throws FileAlreadyExistsException if its name is taken; nothing is replaced, whoever else makes names there
     */
    void place(Path staged, OpenDirectory directory, Path name) throws IOException {
        Path place = directory.path(name);
        if (!Files.isDirectory(staged, LinkOption.NOFOLLOW_LINKS)) {
            try {
                Files.createLink(place, staged);
                Files.delete(staged);
                return;
            } catch (IOException e) {
                Nfs3Status status = HostErrors.status(e);
                if (status != Nfs3Status.PERM && status != Nfs3Status.NOTSUPP) {
                    throw e;
                }
                Files.createFile(place, PRIVATE_FILE); // a file system without hard links: reserve the name
            }
        } else {
            Files.createDirectory(place, PRIVATE_DIRECTORY);
        }
        boolean moved = false;
        try {
            Files.move(staged, place, StandardCopyOption.ATOMIC_MOVE);
            moved = true;
        } finally {
            if (!moved) {
                Files.deleteIfExists(place);
            }
        }
    }

    /** A new file, empty. */
    Path createFile() throws IOException {
        return Files.createFile(fresh(), PRIVATE_FILE);
    }

    /** A new directory. */
    Path createDirectory() throws IOException {
        return Files.createDirectory(fresh(), PRIVATE_DIRECTORY);
    }

    /** Removes what was not placed, or a second name; nothing happens if it is not there. */
    static void discard(Path staged) {
        try {
            Files.deleteIfExists(staged);
        } catch (IOException e) {
            logger.warn("an object remains in the staging directory until the next start: {}", e.toString());
        }
    }

    /** What cannot be deleted does not keep the rest. */
    private void clear() throws IOException {
        List<Closeable> deletions = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(held.path().resolve("."))) {
            for (Path left : all) {
                if (!left.endsWith(IN_USE)) {
                    deletions.add(() -> Files.delete(left)); // directories are empty as long as they are in here
                }
            }
        }
        Ends.all(deletions);
    }

    /** Takes it away under the lock, so that no other server begins to use what is about to go. */
    private void delete() throws IOException {
        clear();
        Files.deleteIfExists(held.path().resolve(IN_USE));
        Path itself = held.path().resolve("..").resolve(NAME);
        if (Files.exists(itself, LinkOption.NOFOLLOW_LINKS)
                && HostAttributes.of(itself).fileKey().equals(key())) {
            try {
                Files.delete(itself);
            } catch (DirectoryNotEmptyException e) {
                logger.debug("another server has begun to use {}", NAME, e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        Ends.all(this::delete, lock, held);
    }
}
