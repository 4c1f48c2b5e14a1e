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

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.Node.Location;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The exported directory: finds the objects that handles stand for. An object is taken for the one a handle was made for
 * only if its inode is the same; one that was renamed behind the server's back is stale until a client looks it up again.
 *
 * <p>Threading: any thread. Names change under {@link #names()}' write lock and are used under its read lock, so that no
 * client can move a directory away under another's call; data and attributes of one file change under {@link #file}.
 * A lock of a file is taken before the lock of the names.
 */
final class LocalStore implements AutoCloseable {

    private static final int FILE_LOCKS = 64;
    private static final int MAX_DEPTH = 1024;

    /** An object, where it is, and what it is like. */
    record Located(Node node, Path path, HostAttributes attributes, @Nullable Location location) {}

    private final Path root;
    private final FileStore fileStore;
    private final StateDirectory state;
    private final NodeTable table;
    private final HandleSeal seal;
    private final ReentrantReadWriteLock names = new ReentrantReadWriteLock();
    private final Lock[] files = new Lock[FILE_LOCKS];
    private final long writeVerifier;
    private final long cookieVerifier;

    private LocalStore(Path root, StateDirectory state) throws IOException {
        this.root = root;
        this.state = state;
        HostAttributes attributes = HostAttributes.of(root);
        fileStore = Files.getFileStore(root);
        seal = new HandleSeal(state.key(attributes));
        table = state.table(seal, attributes);
        for (int i = 0; i < FILE_LOCKS; i++) {
            files[i] = new ReentrantLock();
        }
        byte[] random = new byte[Long.BYTES];
        new SecureRandom().nextBytes(random);
        writeVerifier = ByteBuffer.wrap(random).getLong();
        cookieVerifier = seal.number(new byte[0]);
    }

    /**
     * Opens an export.
     *
     * @param state where keys and handles are kept; outside the export
     */
    static LocalStore open(Path export, Path state) throws IOException {
        Path root = export.toRealPath();
        if (!Files.isDirectory(root)) {
            throw new IOException(export + " is not a directory");
        }
        if (!root.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            throw new IOException("this system does not tell owners and inodes; Linux is needed");
        }
        StateDirectory opened = StateDirectory.open(state);
        try {
            if (state.toRealPath().startsWith(root)) {
                throw new IOException(state + " is inside the export, where clients could read the key of the handles");
            }
            return new LocalStore(root, opened);
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    Path path() {
        return root;
    }

    FileStore fileStore() {
        return fileStore;
    }

    NodeTable table() {
        return table;
    }

    /** Differs between any two starts of the server, so that clients write again what was not committed. */
    long writeVerifier() {
        return writeVerifier;
    }

    /** Tells cookies of this export from others; see {@link #cookie}. */
    long cookieVerifier() {
        return cookieVerifier;
    }

    /**
     * Where a name stands in the order its directory is listed in, 3 to 2^63 - 1. It depends on nothing but the name, so
     * a listing in pieces gives every entry that stays exactly once, whatever comes and goes between the pieces.
     */
    long cookie(byte[] name) {
        return Math.max(3, seal.number(name) >>> 1);
    }

    ReentrantReadWriteLock names() {
        return names;
    }

    /** Held by whoever changes a file and tells what it was like before and after. */
    Lock file(Node node) {
        return files[Math.floorMod(Long.hashCode(node.id), FILE_LOCKS)];
    }

    /**
     * Finds an object.
     *
     * @throws NfsException STALE if it is under none of the names it was seen under
     */
    Located locate(Node node) throws IOException, NfsException {
        if (node == table.root()) {
            return new Located(node, root, HostAttributes.of(root), null);
        }
        for (Location location : table.locations(node)) {
            try {
                Path path = path(location, 0);
                HostAttributes attributes = HostAttributes.of(path);
                if (node.is(attributes)) {
                    return new Located(node, path, attributes, location);
                }
            } catch (IOException e) {
                Nfs3Status status = HostErrors.status(e);
                if (status != Nfs3Status.NOENT && status != Nfs3Status.NOTDIR) {
                    throw e;
                }
            }
        }
        throw new NfsException(Nfs3Status.STALE);
    }

    private Path path(Location location, int depth) throws NfsException {
        Node directory = location.directory();
        if (directory == table.root()) {
            return root.resolve(location.name());
        }
        List<Location> above = table.locations(directory);
        if (above.isEmpty() || depth > MAX_DEPTH) {
            throw new NfsException(Nfs3Status.STALE);
        }
        return path(above.get(0), depth + 1).resolve(location.name());
    }

    OpenDirectory open(Located directory) throws IOException, NfsException {
        if (!directory.attributes().isDirectory()) {
            throw new NfsException(Nfs3Status.NOTDIR);
        }
        return OpenDirectory.open(root, directory);
    }

    /** The directory an object was found in; not for the root. */
    OpenDirectory openParent(Located object) throws IOException, NfsException {
        Location location = object.location();
        if (location == null) {
            throw new NfsException(Nfs3Status.INVAL);
        }
        return open(locate(location.directory()));
    }

    /** Opens a regular file, and makes sure that it is the one. */
    FileChannel open(Located file, StandardOpenOption access) throws IOException, NfsException {
        if (!file.attributes().isRegular()) {
            throw new NfsException(file.attributes().isDirectory() ? Nfs3Status.ISDIR : Nfs3Status.INVAL);
        }
        try (OpenDirectory parent = openParent(file)) {
            Path name = file.path().getFileName();
            if (!file.node().is(parent.entry(name))) {
                throw new NfsException(Nfs3Status.STALE);
            }
            return parent.open(name, access);
        }
    }

    /** The handle of an entry, made if no client had one before. */
    Node bind(OpenDirectory directory, Path name, HostAttributes entry) throws IOException {
        Node known = table.find(entry);
        if (known != null && !table.locations(known).contains(new Location(directory.node(), name))) {
            // Another name of the object; or, if its names are gone, another object with the inode of a removed one.
            try {
                locate(known);
            } catch (NfsException e) {
                table.forget(known);
            }
        }
        return table.bind(directory.node(), name, entry);
    }

    /** An entry is gone, by its name and perhaps for good. */
    void unbind(OpenDirectory directory, Path name, HostAttributes entry) throws IOException {
        Node known = table.find(entry);
        if (known == null) {
            return;
        }
        if (entry.isDirectory() || entry.nlink() <= 1) {
            table.forget(known);
        } else {
            table.unbind(known, directory.node(), name);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            table.close();
        } finally {
            state.close();
        }
    }
}
