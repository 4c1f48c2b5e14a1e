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
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The exported directory. Objects are opened, renamed and removed relative to open directories, without following
 * symbolic links. Java does the rest by path only: it reads attributes, makes directories and links, and sets modes and
 * times. Before such a step, each directory of the path is the one that its handle was made for.
 *
 * <p>Threading: any thread. A call that changes objects holds their locks.
 */
final class Export {

    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> READ_WRITE =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

    /** Uses a path while no client can rename a directory of it. */
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

    /** A client that renames a directory must not make the objects below it look stale to another one. */
    private final ReentrantReadWriteLock moves = new ReentrantReadWriteLock();

    Export(Path given, int maxHandles, Consumer<String> log) throws IOException {
        this.given = given.toAbsolutePath().normalize(); // perhaps through symbolic links
        root = given.toRealPath();
        if (!root.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            throw new IOException("this system does not report owners and inodes of files; the server needs Linux");
        }
        directories = new DirectoryProcedures(maxHandles, random.nextLong());
        table = new HandleTable(HostFile.of(root).key(), maxHandles, log);
    }

    /** Whether a path names the export: as clients do, as the user did, or as the host does. */
    boolean isNamed(Path path) {
        return path.equals(root.getRoot()) || path.equals(given) || path.equals(root);
    }

    /** The path of an object, of which each directory is the one that it was. */
    private Path path(Node node) throws IOException {
        @Nullable Location location = node.location;
        return location == null ? root : verified(location.directory()).resolve(location.name());
    }

    private Path verified(Node directory) throws IOException {
        Path path = path(directory);
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!directory.is(now.fileKey())) {
            throw new NfsException(Nfs3Status.STALE);
        }
        return path;
    }

    /** Runs what Java does by path only on an object, or on an entry of a directory. */
    <T> T at(Node node, PathAction<T> action) throws IOException {
        return unmoved(() -> {
            attributes(node);
            return action.run(path(node));
        });
    }

    <T> T at(Location location, PathAction<T> action) throws IOException {
        return unmoved(() -> action.run(verified(location.directory()).resolve(location.name())));
    }

    /** Returns the attributes of an object, or says that it is stale: it is not where it was. */
    HostFile attributes(Node node) throws IOException {
        try {
            HostFile file = unmoved(() -> HostFile.of(path(node)));
            if (node.is(file.key())) {
                return file;
            }
        } catch (NoSuchFileException e) {
            // stale
        }
        throw new NfsException(Nfs3Status.STALE);
    }

    /** Runs while no client can rename a directory. */
    interface Action<T> {
        T run() throws IOException;
    }

    private <T> T unmoved(Action<T> action) throws IOException {
        moves.readLock().lock();
        try {
            return action.run();
        } finally {
            moves.readLock().unlock();
        }
    }

    /** Returns an open directory, which the caller closes. */
    @SuppressWarnings("unchecked") // Linux has secure streams
    SecureDirectoryStream<Path> directory(Node node) throws IOException {
        SecureDirectoryStream<Path> opened =
                (SecureDirectoryStream<Path>) unmoved(() -> Files.newDirectoryStream(path(node)));
        BasicFileAttributeView view = opened.getFileAttributeView(BasicFileAttributeView.class);
        if (!node.is(view.readAttributes().fileKey())) {
            opened.close();
            throw new NfsException(Nfs3Status.STALE);
        }
        return opened;
    }

    /** Returns an open regular file, which the caller closes; one that is open for writing is open for reading, too. */
    Held file(Node node, boolean forWriting) throws IOException {
        HostFile file = attributes(node);
        @Nullable Location location = node.location;
        if (location == null || !file.is(FileType.REGULAR)) {
            throw new NfsException(file.is(FileType.DIRECTORY) ? Nfs3Status.ISDIR : Nfs3Status.INVAL);
        }
        return open.acquire(node, forWriting, () -> {
            FileChannel channel = open(node, location, file.attributes(), forWriting ? READ_WRITE : READ);
            try {
                attributes(node); // its name still leads to it
                return channel;
            } catch (IOException e) {
                channel.close();
                throw e;
            }
        });
    }

    /** Opens a file; its owner may use its data whatever its mode (RFC 1813, section 4.4). */
    private FileChannel open(Node node, Location location, FileAttributes attributes, Set<OpenOption> options)
            throws IOException {
        try (SecureDirectoryStream<Path> directory = directory(location.directory())) {
            try {
                return (FileChannel) directory.newByteChannel(location.name(), options);
            } catch (AccessDeniedException e) {
                if (attributes.uid() != ownUid) {
                    throw e;
                }
            }
            setMode(node, attributes.mode() | 0600);
            try {
                return (FileChannel) directory.newByteChannel(location.name(), options);
            } finally {
                setMode(node, attributes.mode());
            }
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

    /** Notes the name of an entry; no client renames it meanwhile. */
    Node bind(Location location) throws IOException {
        return at(location, path -> table.bind(location, HostFile.of(path)));
    }

    HostFile entry(Location location) throws IOException {
        return at(location, HostFile::of);
    }

    /** Renames an entry; the caller has locked both directories. */
    void move(Node node, Location from, Location to) throws IOException {
        try (SecureDirectoryStream<Path> source = directory(from.directory());
                SecureDirectoryStream<Path> target = directory(to.directory())) {
            moves.writeLock().lock();
            try {
                source.move(from.name(), target, to.name());
                node.location = to;
            } finally {
                moves.writeLock().unlock();
            }
        }
    }

    /** Removes an entry; the caller has locked the directory. */
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
