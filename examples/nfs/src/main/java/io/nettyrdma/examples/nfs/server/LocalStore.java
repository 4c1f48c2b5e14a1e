// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.Node.Location;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exported directory: finds the objects that handles stand for. An object is taken for the one a handle was made
 * for only if its inode is the same; one that was renamed behind the server's back is stale until a client looks it up
 * again.
 *
 * <p>Users of this host can rename what is theirs at any moment, and a server of root must not be led anywhere by that.
 * So names are used one at a time, each in a directory that is open; files are made sure of once they are open; and
 * what can be done by name only is done in a {@link StagingDirectory}, where nobody else has access.
 *
 * <p>Threading: any thread. Names change under {@link #names()}' write lock and are used under its read lock, so that
 * no client can move a directory away under another's call; data and attributes of one file change under {@link #file}.
 * A lock of a file is taken before the lock of the names.
 */
final class LocalStore implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(LocalStore.class);

    private static final int FILE_LOCKS = 64;
    private static final int MAX_DEPTH = 1024;

    /** An object, under which name it was found, and what it is like. The root has no name. */
    record Located(Node node, HostAttributes attributes, @Nullable Location location) {}

    /** A path that leads to one object whatever others rename, until it is closed. */
    record Pinned(Path path, @Nullable OpenDirectory parent) implements AutoCloseable {

        @Override
        public void close() {
            if (parent == null) {
                StagingDirectory.discard(path);
            } else {
                parent.close();
            }
        }
    }

    private final Path root;
    private final FileStore fileStore;
    private final StateDirectory state;
    private final NodeTable table;
    private final HandleSeal seal;
    private final ReentrantReadWriteLock names = new ReentrantReadWriteLock();
    private final Lock[] files = new Lock[FILE_LOCKS];
    private final long writeVerifier;
    private final long cookieVerifier;
    private final Descriptors descriptors;
    private final OpenDirectories directories = new OpenDirectories();
    private final OpenDirectory.Shared openRoot;
    private final Map<Integer, StagingDirectory> staging = new HashMap<>();
    private final Set<Object> hidden = ConcurrentHashMap.newKeySet();

    private LocalStore(Path root, StateDirectory state, Descriptors descriptors) throws IOException {
        this.root = root;
        this.state = state;
        this.descriptors = descriptors;
        HostAttributes attributes = HostAttributes.of(root);
        fileStore = Files.getFileStore(root);
        seal = new HandleSeal(state.key(attributes));
        HeldFile held = descriptors.holdDirectory(root, attributes);
        boolean loaded = false;
        try {
            table = state.table(seal, attributes);
            loaded = true;
        } finally {
            if (!loaded) {
                held.close();
            }
        }
        openRoot = new OpenDirectory.Shared(table.root(), held, this::isHidden);
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
            throw new IOException("this system does not report owners and inodes of files; the server needs Linux");
        }
        Descriptors descriptors = new Descriptors();
        StateDirectory opened = StateDirectory.open(descriptors, state);
        final LocalStore store;
        try {
            if (state.toRealPath().startsWith(root)) {
                throw new IOException(state + " is inside the export, where clients could read the key of the handles");
            }
            store = new LocalStore(root, opened, descriptors);
        } catch (Throwable e) {
            opened.close();
            throw e;
        }
        return store.staged();
    }

    /**
     * The same with a staging directory for its root, so that another server of the export shows at the start, and what
     * one that was killed has left goes.
     */
    private LocalStore staged() throws IOException {
        boolean ready = false;
        try (OpenDirectory top = openRoot.open(openRoot.attributes())) {
            staging(top);
            ready = true;
        } catch (StagingDirectory.InUseException e) {
            throw e;
        } catch (IOException | NfsException e) {
            logger.info("clients can read {} but create nothing in it: {}", root, e.toString());
            ready = true;
        } finally {
            if (!ready) {
                close();
            }
        }
        return this;
    }

    /** Whether an entry is one of the server's own directories; also of one that was killed. */
    private boolean isHidden(Path name, HostAttributes entry) {
        return entry.isDirectory()
                && entry.mode() == StagingDirectory.MODE
                && (name.equals(StagingDirectory.NAME) || hidden.contains(entry.fileKey()));
    }

    /** Where it is on this host. */
    Path path() {
        return root;
    }

    /** The same for an object in it; for the log. */
    String nameOf(Located object) {
        @Nullable Location location = object.location();
        StringBuilder name = new StringBuilder();
        for (int depth = 0; location != null && depth <= MAX_DEPTH; depth++) {
            name.insert(0, location.name()).insert(0, depth == MAX_DEPTH ? ".../" : "/");
            List<Location> above = table.locations(location.directory());
            location = above.isEmpty() ? null : above.get(0);
        }
        return name.isEmpty() ? "" : name.substring(1);
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
     * Where a name stands in the order its directory is listed in, 3 to 2^63 - 1. It depends on nothing but the name,
     * so a listing in pieces gives every entry that stays exactly once, whatever comes and goes between the pieces.
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
        return locate(node, 0);
    }

    private Located locate(Node node, int depth) throws IOException, NfsException {
        if (node == table.root()) {
            return new Located(node, openRoot.attributes(), null);
        }
        if (depth <= MAX_DEPTH) {
            for (Location location : table.locations(node)) {
                @Nullable HostAttributes found = look(location, depth);
                if (found != null && node.is(found)) {
                    return new Located(node, found, location);
                }
            }
        }
        directories.remove(node);
        throw new NfsException(Nfs3Status.STALE);
    }

    private @Nullable HostAttributes look(Location location, int depth) throws IOException {
        try (OpenDirectory directory = open(locate(location.directory(), depth + 1))) {
            return directory.find(location.name());
        } catch (NfsException e) {
            return null; // not there any more, or no directory any more
        }
    }

    /** Opens a directory, and makes sure that it is the one. */
    OpenDirectory open(Located directory) throws IOException, NfsException {
        HostAttributes attributes = directory.attributes();
        if (!attributes.isDirectory()) {
            throw new NfsException(Nfs3Status.NOTDIR);
        }
        Node node = directory.node();
        @Nullable Location location = directory.location();
        if (location == null) {
            return openRoot.open(attributes);
        }
        @Nullable OpenDirectory known = directories.find(node, attributes);
        if (known != null) {
            return known;
        }
        try (OpenDirectory parent = open(locate(location.directory()))) {
            return directories.add(node, parent.open(descriptors, node, location.name(), attributes), attributes);
        }
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
    HeldFile open(Located file, StandardOpenOption access) throws IOException, NfsException {
        if (!file.attributes().isRegular()) {
            throw new NfsException(file.attributes().isDirectory() ? Nfs3Status.ISDIR : Nfs3Status.INVAL);
        }
        Path name = nameIn(file);
        try (OpenDirectory parent = openParent(file)) {
            return descriptors.hold(parent.open(name, access), file.attributes());
        }
    }

    /** The name an object was found under; not for the root. */
    static Path nameIn(Located object) throws NfsException {
        Location location = object.location();
        if (location == null) {
            throw new NfsException(Nfs3Status.INVAL);
        }
        return location.name();
    }

    /**
     * Gives an object that is no directory a second name where nobody can exchange it. A server that is not root does
     * without where the file system has no second names: what it could be led to it may do anyway.
     *
     * @throws NfsException STALE if it is not what was located
     */
    Pinned pin(Located object) throws IOException, NfsException {
        Path name = nameIn(object);
        OpenDirectory parent = openParent(object);
        @Nullable Pinned pinned = null;
        boolean found = false;
        try {
            pinned = pin(parent, name);
            found = object.node().is(HostAttributes.of(pinned.path));
            if (!found) {
                throw new NfsException(Nfs3Status.STALE);
            }
            return pinned;
        } finally {
            if (pinned != null && !found) {
                pinned.close();
            }
            if (pinned == null || pinned.parent == null) {
                parent.close();
            }
        }
    }

    private Pinned pin(OpenDirectory parent, Path name) throws IOException, NfsException {
        StagingDirectory near = staging(parent);
        try {
            return new Pinned(Files.createLink(near.fresh(), parent.path(name)), null);
        } catch (IOException e) {
            Nfs3Status status = HostErrors.status(e);
            if (near.isOfRoot() || status != Nfs3Status.PERM && status != Nfs3Status.NOTSUPP) {
                throw e;
            }
            return new Pinned(parent.path(name), parent);
        }
    }

    /** Where objects for a directory are made; of the same mount, so that they can be moved there. */
    StagingDirectory staging(OpenDirectory directory) throws IOException, NfsException {
        synchronized (staging) {
            @Nullable StagingDirectory known = staging.get(directory.mountId());
            if (known == null) {
                known = openStaging(directory);
                hidden.add(known.key());
                staging.put(known.mountId(), known);
            }
            return known;
        }
    }

    /** In the state directory if that is on the same mount, else in the topmost directory of the mount. */
    private StagingDirectory openStaging(OpenDirectory directory) throws IOException, NfsException {
        return state.mountId() == directory.mountId()
                ? StagingDirectory.open(descriptors, state.path())
                : openStagingAbove(directory);
    }

    private StagingDirectory openStagingAbove(OpenDirectory directory) throws IOException, NfsException {
        Located here = locate(directory.node());
        if (here.location() != null) {
            try (OpenDirectory above = openParent(here)) {
                if (above.mountId() == directory.mountId()) {
                    return openStagingAbove(above);
                }
            }
        }
        return StagingDirectory.open(descriptors, directory.path());
    }

    /** The handle of an entry, made if no client had one before. */
    Node bind(OpenDirectory directory, Path name, HostAttributes entry) throws IOException {
        Node known = table.find(entry);
        if (known != null && !table.locations(known).contains(new Location(directory.node(), name))) {
            // Another name of the object; or, if its names are gone, another object with the inode of a removed one.
            try {
                locate(known);
            } catch (NfsException e) {
                directories.remove(known);
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
            directories.remove(known);
            table.forget(known);
        } else {
            table.unbind(known, directory.node(), name);
        }
    }

    @Override
    public void close() throws IOException {
        List<Closeable> all = new ArrayList<>(staging.values());
        all.add(directories::close);
        all.add(openRoot::release);
        all.add(table::close);
        all.add(state);
        Ends.all(all);
    }
}
