// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What has to outlive the server, outside the export where no client can read it: the key of the handles with the
 * identity of the exported directory, and the journal of handles. One server at a time may use it.
 *
 * <p>Ownership: holds a lock on the directory until it is closed; the operating system drops it when the process ends.
 */
final class StateDirectory implements Closeable {

    private static final int IDENTITY_BYTES = 2 * Long.BYTES;

    private final HeldFile held;
    private final FileChannel lock;

    private StateDirectory(HeldFile held, FileChannel lock) {
        this.held = held;
        this.lock = lock;
    }

    /** Where it is unless said otherwise: beside the export. */
    static Path beside(Path export) {
        Path name = export.getFileName();
        return export.resolveSibling("." + (name == null ? "root" : name) + ".nfs-server");
    }

    /**
     * Opens it, made if there is none.
     *
     * @throws IOException if others may write it, or another server uses it
     */
    static StateDirectory open(Descriptors descriptors, Path directory) throws IOException {
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path real = directory.toRealPath();
        HostAttributes attributes = HostAttributes.of(real);
        if (attributes.uid() != Identity.ownUid() || (attributes.mode() & HostAttributes.WRITE_BY_OTHERS) != 0) {
            throw new IOException(real + " holds the key of the handles: the server must own it and no other user may"
                    + " write to it. Use chown or chmod, or remove it");
        }
        // From here on it is this directory, whatever becomes of its name.
        HeldFile held = descriptors.holdDirectory(real, attributes);
        @Nullable FileChannel lock = null;
        try {
            lock = lock(held.path().resolve("lock"));
            if (lock == null) {
                throw new IOException(directory + " is in use by another server");
            }
            return new StateDirectory(held, lock);
        } finally {
            if (lock == null) {
                held.close();
            }
        }
    }

    /** Holds a lock on a file, made if there is none, as long as the channel is open; null if another server has it. */
    static @Nullable FileChannel lock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        @Nullable FileLock locked = null;
        try {
            locked = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // another server of this process
        } finally {
            if (locked == null) {
                channel.close();
            }
        }
        return locked == null ? null : channel;
    }

    /** Leads to it whatever others rename. */
    Path path() {
        return held.path();
    }

    int mountId() {
        return held.mountId();
    }

    /** The handles of earlier servers, as far as {@link #key} kept them. */
    NodeTable table(HandleSeal seal, HostAttributes root) throws IOException {
        NodeJournal journal = NodeJournal.open(journalFile());
        try {
            return NodeTable.open(seal, journal, root);
        } catch (Throwable e) {
            journal.close();
            throw e;
        }
    }

    /**
     * The key of earlier servers, or a new one if the exported directory is not the one that it was for: then the
     * handles are forgotten as well, and old ones cannot be taken for new ones.
     */
    byte[] key(HostAttributes root) throws IOException {
        Path file = path().resolve("key");
        byte[] identity = ByteBuffer.allocate(IDENTITY_BYTES)
                .putLong(root.device())
                .putLong(root.inode())
                .array();
        if (Files.exists(file)) {
            byte[] known = Files.readAllBytes(file);
            if (known.length == IDENTITY_BYTES + HandleSeal.KEY_BYTES
                    && Arrays.equals(Arrays.copyOf(known, IDENTITY_BYTES), identity)) {
                return Arrays.copyOfRange(known, IDENTITY_BYTES, known.length);
            }
        }
        Files.deleteIfExists(journalFile());
        byte[] key = new byte[HandleSeal.KEY_BYTES];
        new SecureRandom().nextBytes(key);
        byte[] content = Arrays.copyOf(identity, IDENTITY_BYTES + key.length);
        System.arraycopy(key, 0, content, IDENTITY_BYTES, key.length);
        Path fresh = path().resolve("key.new");
        Files.deleteIfExists(fresh);
        Files.createFile(fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(fresh, content);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return key;
    }

    private Path journalFile() {
        return path().resolve("handles");
    }

    @Override
    public void close() throws IOException {
        try {
            lock.close();
        } finally {
            held.close();
        }
    }
}
