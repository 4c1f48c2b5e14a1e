// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.HandleTable.Location;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import io.nettyrdma.examples.nfs.server.OpenFiles.Held;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The exported directory. Objects are opened, renamed and removed relative to open directories, without following
 * symbolic links. Java does the rest by path only: it reads attributes, makes directories and links, and sets modes and
 * times. So a call that changes names excludes all that act by name, and nobody acts on a name that he has not looked
 * at since: each directory of its path is the one that its handle was made for.
 *
 * <p>Threading: any thread. The lock holds while names of the host are used, not while data of files is.
 */
final class Export {

    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> READ_WRITE =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

    /** Directories between an object and the root. */
    static final int MAX_DEPTH = 255;

    /** Uses a path while no client can change a name of it. */
    interface PathAction<T> {
        T run(Path path) throws IOException;
    }

    final HandleTable table;
    final OpenFiles open = new OpenFiles();
    final ReplyCache replies = new ReplyCache(System::nanoTime);
    final DirectoryProcedures directories;
    final LongAdder calls = new LongAdder();
    final Path root;
    private final Path given;
    private final int ownUid = AuthSys.ownUid();
    private final SecureRandom random = new SecureRandom();
    private final AtomicLong writeVerifier = new AtomicLong(random.nextLong());

    /** Fair, so that those who look at names do not keep those away who change them. */
    private final ReentrantReadWriteLock names = new ReentrantReadWriteLock(true);

    Export(Path given, int maxHandles, Consumer<String> log) throws IOException {
        this.given = given.toAbsolutePath().normalize(); // perhaps through symbolic links
        root = given.toRealPath();
        if (!root.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            throw new IOException("this system does not report owners and inodes of files; the server needs Linux");
        }
        directories = new DirectoryProcedures(random.nextLong());
        table = new HandleTable(HostFile.of(root).key(), maxHandles, log);
    }

    /** Whether a path names the export: as clients do, as the user did, or as the host does. */
    boolean isNamed(Path path) {
        return path.equals(root.getRoot()) || path.equals(given) || path.equals(root);
    }

    /** The path of an entry, of which each directory is the one that it was. The caller holds the lock. */
    private Path path(@Nullable Location location) throws IOException {
        Deque<Location> way = new ArrayDeque<>();
        for (@Nullable Location at = location; at != null; at = at.directory().location) {
            way.push(at);
            if (way.size() > MAX_DEPTH) {
                throw new NfsException(Nfs3Status.NAMETOOLONG);
            }
        }
        Path path = root;
        for (Location at : way) {
            verified(at.directory(), path);
            path = path.resolve(at.name());
        }
        return path;
    }

    /** Runs what Java does by path only on an object; STALE if it is not where it was. */
    <T> T at(Node node, PathAction<T> action) throws IOException {
        return looking(() -> {
            Path path = path(node.location);
            verified(node, path);
            return action.run(path);
        });
    }

    private static HostFile verified(Node node, Path path) throws IOException {
        try {
            HostFile file = HostFile.of(path);
            if (node.is(file.key())) {
                return file;
            }
        } catch (NoSuchFileException e) {
            // stale
        }
        throw new NfsException(Nfs3Status.STALE);
    }

    /** The same on an entry of a directory. */
    <T> T at(Location location, PathAction<T> action) throws IOException {
        return looking(() -> action.run(path(location)));
    }

    /** Returns the attributes of an object; STALE if it is not where it was. */
    HostFile attributes(Node node) throws IOException {
        return looking(() -> verified(node, path(node.location)));
    }

    /** Runs while no client can change a name. */
    interface Action<T> {
        T run() throws IOException;
    }

    private <T> T looking(Action<T> action) throws IOException {
        names.readLock().lock();
        try {
            return action.run();
        } finally {
            names.readLock().unlock();
        }
    }

    /** Runs what changes names, while nobody else uses any. It does no more than a few steps. */
    <T> T changing(Action<T> action) throws IOException {
        names.writeLock().lock();
        try {
            return action.run();
        } finally {
            names.writeLock().unlock();
        }
    }

    /** Returns an open directory, which the caller closes. */
    @SuppressWarnings("unchecked") // Linux has secure streams
    SecureDirectoryStream<Path> directory(Node node) throws IOException {
        SecureDirectoryStream<Path> opened =
                (SecureDirectoryStream<Path>) looking(() -> Files.newDirectoryStream(path(node.location)));
        BasicFileAttributeView view = opened.getFileAttributeView(BasicFileAttributeView.class);
        if (!node.is(view.readAttributes().fileKey())) {
            opened.close();
            throw new NfsException(Nfs3Status.STALE);
        }
        return opened;
    }

    /** Returns an open regular file, which the caller closes; one that is open for writing is open for reading, too. */
    Held file(Node node, boolean forWriting) throws IOException {
        try {
            return looking(() -> open.acquire(node, forWriting, () -> open(node, forWriting)));
        } catch (AccessDeniedException e) {
            // Its owner may use its data whatever its mode (RFC 1813, section 4.4). Nobody else sees the other mode.
            return changing(() -> {
                FileAttributes attributes = attributes(node).attributes();
                if (attributes.uid() != ownUid) {
                    throw e;
                }
                setMode(node, attributes.mode() | 0600);
                try {
                    return open.acquire(node, forWriting, () -> open(node, forWriting));
                } finally {
                    setMode(node, attributes.mode());
                }
            });
        }
    }

    /** Opens what is a regular file: opening another one might wait. The caller holds the lock. */
    private FileChannel open(Node node, boolean forWriting) throws IOException {
        @Nullable Location location = node.location;
        if (location == null) {
            throw new NfsException(Nfs3Status.ISDIR);
        }
        HostFile file = verified(node, path(location));
        if (!file.is(FileType.REGULAR)) {
            throw new NfsException(file.is(FileType.DIRECTORY) ? Nfs3Status.ISDIR : Nfs3Status.INVAL);
        }
        try (SecureDirectoryStream<Path> directory = directory(location.directory())) {
            return (FileChannel) directory.newByteChannel(location.name(), forWriting ? READ_WRITE : READ);
        }
    }

    void setMode(Node node, int mode) throws IOException {
        at(node, path -> Files.setAttribute(path, "unix:mode", mode));
    }

    /** Returns the entry of a directory; null if there is none. */
    @Nullable
    HostFile find(Location location) throws IOException {
        try {
            return at(location, HostFile::of);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Notes the name of an entry. */
    Node bind(Location location) throws IOException {
        return at(location, path -> table.bind(location, HostFile.of(path)));
    }

    HostFile entry(Location location) throws IOException {
        return at(location, HostFile::of);
    }

    /** Renames an entry, while nobody else uses names. */
    void move(Node node, Location from, Location to) throws IOException {
        try (SecureDirectoryStream<Path> source = directory(from.directory());
                SecureDirectoryStream<Path> target = directory(to.directory())) {
            source.move(from.name(), target, to.name());
            node.location = to;
        }
    }

    /** Removes an entry, while nobody else uses names. */
    void remove(Location location, HostFile entry) throws IOException {
        try (SecureDirectoryStream<Path> directory = directory(location.directory())) {
            if (entry.is(FileType.DIRECTORY)) {
                directory.deleteDirectory(location.name());
            } else {
                directory.deleteFile(location.name());
            }
        }
        onRemoved(location, entry);
    }

    /** An entry is gone: if it was the last name of its object, the space becomes free. */
    void onRemoved(Location location, HostFile entry) {
        @Nullable Node gone = table.unbind(location, entry);
        if (gone != null) {
            open.close(gone::equals);
        }
    }

    /** Differs after each start and each failed {@link #force}: clients then write again what was not committed. */
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

    /** Closes files and forgets results that may not be needed any more. */
    void tidy() {
        open.close(node -> true);
        replies.dropExpired();
    }
}
