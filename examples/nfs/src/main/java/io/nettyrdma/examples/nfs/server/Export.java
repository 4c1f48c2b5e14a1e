// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.HandleTable.Location;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import io.nettyrdma.examples.nfs.server.OpenFiles.Held;
import io.nettyrdma.examples.nfs.server.OpenFiles.Kind;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The exported directory. Names are found, opened, renamed and removed relative to open directories, one component at a
 * time and without following symbolic links. Java does the rest by path only: it reads attributes, makes directories
 * and links, and sets modes and times. Before and after such a step, each directory of the path is the one that its
 * handle was made for.
 *
 * <p>Threading: any thread. A call that changes an object holds {@link #lock} of it from the attributes that it reports
 * as those before the change to those after. A call that takes several takes them by {@link #lockIndex}.
 */
final class Export implements Closeable {

    private static final int LOCKS = 64;
    private static final int TRIES = 3;

    /** An object, its attributes, and where it is now. */
    record Located(HostFile file, Path path, @Nullable Location location) {}

    /** Uses a path while no client can rename a directory of it. */
    interface PathAction<T> {
        T run(Path path) throws IOException, NfsException;
    }

    final HandleTable table;
    final OpenFiles open = new OpenFiles();
    private final Path given;
    private final Path root;
    private final int ownUid = AuthSys.ownUid();
    private final SecureRandom random = new SecureRandom();
    private final AtomicLong writeVerifier = new AtomicLong(random.nextLong());
    private final ReentrantLock[] locks = new ReentrantLock[LOCKS];

    /** A client that renames a directory must not make the objects below it look stale to another one. */
    private final ReentrantReadWriteLock moves = new ReentrantReadWriteLock();

    /**
     * An export.
     *
     * @param given its path, perhaps through symbolic links
     * @param log   gets a line when handles begin to be dropped
     * @throws IOException if it is no directory, or this system lacks owners, inodes or secure directory streams
     */
    Export(Path given, int maxHandles, Consumer<String> log) throws IOException {
        this.given = given.toAbsolutePath().normalize();
        root = given.toRealPath();
        if (!root.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            throw new IOException("this system does not report owners and inodes of files; the server needs Linux");
        }
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(root)) {
            if (!(stream instanceof SecureDirectoryStream)) {
                throw new IOException(
                        "this system does not open files relative to directories; the server needs Linux");
            }
        }
        table = new HandleTable(HostFile.of(root).key(), maxHandles, log);
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new ReentrantLock();
        }
    }

    /** The part of a path that is inside the export; the path may name the export as the user or the host does. */
    Path inside(Path wanted) {
        for (Path prefix : new Path[] {given, root}) {
            if (wanted.startsWith(prefix)) {
                return prefix.relativize(wanted);
            }
        }
        return wanted.getRoot().relativize(wanted);
    }

    FileStore fileStore() throws IOException {
        return Files.getFileStore(root);
    }

    Path root() {
        return root;
    }

    Lock lock(Node node) {
        return locks[lockIndex(node)];
    }

    static int lockIndex(Node node) {
        return Math.floorMod(Long.hashCode(node.id), LOCKS);
    }

    /**
     * Finds an object.
     *
     * @throws NfsException STALE if it is under none of its names
     */
    Located locate(Node node) throws IOException, NfsException {
        moves.readLock().lock();
        try {
            if (node == table.root()) {
                return new Located(HostFile.of(verified(node)), root, null);
            }
            for (Location location : node.locations()) {
                @Nullable Located found = look(node, location);
                if (found != null) {
                    return found;
                }
            }
        } catch (NoSuchFileException e) {
            throw new NfsException(Nfs3Status.STALE); // the root
        } finally {
            moves.readLock().unlock();
        }
        open.remove(node);
        throw new NfsException(Nfs3Status.STALE);
    }

    private @Nullable Located look(Node node, Location location) throws IOException {
        try {
            Path path = verified(location.directory()).resolve(location.name());
            HostFile file = HostFile.of(path);
            return node.is(file.key()) ? new Located(file, path, location) : null;
        } catch (NoSuchFileException | NfsException e) {
            return null; // perhaps under another name
        }
    }

    /** The path of a directory, of which each component is the directory that it was. */
    private Path verified(Node directory) throws IOException, NfsException {
        Path path = root;
        if (directory != table.root()) {
            if (directory.locations().isEmpty()) {
                throw new NfsException(Nfs3Status.STALE);
            }
            Location location = directory.locations().get(0);
            path = verified(location.directory()).resolve(location.name());
        }
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!directory.is(now.fileKey())) {
            throw new NfsException(Nfs3Status.STALE);
        }
        return path;
    }

    HostFile attributes(Node node) throws IOException, NfsException {
        return locate(node).file();
    }

    /** Runs what Java does by path only on an object, or on an entry of a directory. */
    <T> T at(Node node, @Nullable Path name, PathAction<T> action) throws IOException, NfsException {
        moves.readLock().lock();
        try {
            return action.run(
                    name == null ? locate(node).path() : verified(node).resolve(name));
        } finally {
            moves.readLock().unlock();
        }
    }

    /** Returns an open directory, which the caller closes. */
    Held directory(Node node) throws IOException, NfsException {
        return open.acquire(node, Kind.DIRECTORY, () -> {
            final SecureDirectoryStream<Path> stream;
            if (node == table.root()) {
                stream = (SecureDirectoryStream<Path>) Files.newDirectoryStream(root);
            } else {
                Location location = located(node);
                try (Held parent = directory(location.directory())) {
                    stream = parent.directory().newDirectoryStream(location.name(), LinkOption.NOFOLLOW_LINKS);
                }
            }
            return checked(stream, node, stream.getFileAttributeView(BasicFileAttributeView.class));
        });
    }

    private Location located(Node node) throws IOException, NfsException {
        Location location = locate(node).location();
        if (location == null) {
            throw new NfsException(Nfs3Status.INVAL);
        }
        return location;
    }

    private static <T extends Closeable> T checked(T opened, Node node, BasicFileAttributeView view)
            throws IOException, NfsException {
        boolean same = false;
        try {
            same = node.is(view.readAttributes().fileKey());
        } finally {
            if (!same) {
                opened.close();
            }
        }
        if (!same) {
            throw new NfsException(Nfs3Status.STALE);
        }
        return opened;
    }

    /** Returns an open regular file, which the caller closes; one that is open for writing is open for reading, too. */
    Held file(Node node, boolean write) throws IOException, NfsException {
        Located located = locate(node);
        if (!located.file().is(FileType.REGULAR)) {
            throw new NfsException(located.file().is(FileType.DIRECTORY) ? Nfs3Status.ISDIR : Nfs3Status.INVAL);
        }
        return open.acquire(node, write ? Kind.WRITE : Kind.READ, () -> {
            Location location = located(node);
            try (Held parent = directory(location.directory())) {
                FileChannel channel = open(parent, node, located.file(), location, write);
                return checked(channel, node, view(parent, location.name()));
            }
        });
    }

    /**
     * Opens a file. Its owner may use its data whatever its mode (RFC 1813, section 4.4): a client that made a
     * read-only file goes on to write it.
     */
    private FileChannel open(Held parent, Node node, HostFile file, Location location, boolean write)
            throws IOException, NfsException {
        try {
            return open(parent, location.name(), write);
        } catch (AccessDeniedException e) {
            if (file.attributes().uid() != ownUid) {
                throw e;
            }
        }
        setMode(node, file.attributes().mode() | 0600);
        try {
            return open(parent, location.name(), write);
        } finally {
            setMode(node, file.attributes().mode());
        }
    }

    private static FileChannel open(Held parent, Path name, boolean write) throws IOException {
        Set<OpenOption> options = write
                ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)
                : Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        return (FileChannel) parent.directory().newByteChannel(name, options);
    }

    /** Sets the mode of an object that is no symbolic link. */
    void setMode(Node node, int mode) throws IOException, NfsException {
        at(node, null, path -> Files.setAttribute(path, "unix:mode", mode));
    }

    private static BasicFileAttributeView view(Held directory, Path name) {
        return directory
                .directory()
                .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    }

    /** Returns the entry of a directory; null if there is none. */
    @Nullable
    HostFile find(Node directory, Path name) throws IOException, NfsException {
        try (Held held = directory(directory)) {
            for (int i = 0; i < TRIES; i++) {
                @Nullable Object key = view(held, name).readAttributes().fileKey();
                HostFile found = at(directory, name, HostFile::of);
                if (found.key().equals(key)) {
                    return found;
                }
            }
        } catch (NoSuchFileException e) {
            return null;
        }
        throw new NfsException(Nfs3Status.JUKEBOX); // it is exchanged all the time
    }

    /** As {@link #find}, but there has to be one. */
    HostFile entry(Node directory, Path name) throws IOException, NfsException {
        @Nullable HostFile found = find(directory, name);
        if (found == null) {
            throw new NfsException(Nfs3Status.NOENT);
        }
        return found;
    }

    /** An entry and its object; null for an object without a handle. */
    record Entry(HostFile file, @Nullable Node node) {}

    /**
     * Finds an entry and notes its name. The lock keeps clients from renaming it in between.
     *
     * @param mayDrop whether other objects may lose their handles to this one
     */
    @Nullable
    Entry lookup(Node directory, Path name, boolean mayDrop) throws IOException, NfsException {
        lock(directory).lock();
        try {
            @Nullable HostFile found = find(directory, name);
            return found == null ? null : new Entry(found, table.bind(directory, name, found, mayDrop));
        } finally {
            lock(directory).unlock();
        }
    }

    /** Renames an entry; the caller has locked both directories. */
    void move(Node node, Location from, Location to) throws IOException, NfsException {
        try (Held source = directory(from.directory());
                Held target = directory(to.directory())) {
            moves.writeLock().lock();
            try {
                source.directory().move(from.name(), target.directory(), to.name());
                table.move(node, from, to);
            } finally {
                moves.writeLock().unlock();
            }
        }
    }

    /** An entry is gone. */
    void onRemoved(Node directory, Path name, HostFile entry) {
        @Nullable Node gone = table.unbind(directory, name, entry);
        if (gone != null) {
            open.remove(gone);
        }
    }

    /**
     * Differs after each start and each failure to write to the disk: clients then write again what was not committed.
     */
    long writeVerifier() {
        return writeVerifier.get();
    }

    /**
     * Brings a file to the disk. The system reports a failure once per descriptor: the lock keeps the next call from
     * success with the verifier from before the failure.
     */
    void force(FileChannel channel, boolean metadata) throws IOException {
        synchronized (channel) {
            try {
                channel.force(metadata);
            } catch (IOException e) {
                writeVerifier.set(random.nextLong());
                throw e;
            }
        }
    }

    @Override
    public void close() {
        open.close();
    }
}
