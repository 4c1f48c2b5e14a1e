// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCounted;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * An open directory of the export, reached from the root step by step without following a symbolic link: whatever
 * others do meanwhile, what is done by {@link #path} stays inside this directory, as long as the last name is not
 * followed either.
 *
 * <p>Threading: confined to the call it is for; what is open is shared. Ownership: owns a reference to what is open.
 */
final class OpenDirectory implements Closeable {

    private static final Path THIS = Path.of(".");

    /** What is open, for all calls that need it at the same time and for later ones. */
    static final class Shared extends AbstractReferenceCounted {

        private final Node node;
        private final HeldFile held;
        private final BiPredicate<Path, HostAttributes> hidden;

        Shared(Node node, HeldFile held, BiPredicate<Path, HostAttributes> hidden) {
            this.node = node;
            this.held = held;
            this.hidden = hidden;
        }

        Path path(Path name) {
            return held.path().resolve(name);
        }

        /** The directory's own attributes. */
        HostAttributes attributes() throws IOException {
            return HostAttributes.of(path(THIS));
        }

        int mountId() {
            return held.mountId();
        }

        /** For one call, which gives the reference back. */
        OpenDirectory open(HostAttributes attributes) {
            retain();
            return new OpenDirectory(this, attributes);
        }

        @Override
        protected void deallocate() {
            try {
                held.close();
            } catch (IOException e) {
                throw new UncheckedIOException("closing a directory failed", e);
            }
        }

        @Override
        public ReferenceCounted touch(Object hint) {
            return this;
        }
    }

    private final Shared shared;
    private final HostAttributes attributes;

    private OpenDirectory(Shared shared, HostAttributes attributes) {
        this.shared = shared;
        this.attributes = attributes;
    }

    /**
     * Opens an entry of this directory.
     *
     * @param node    the directory it has to be
     * @param entry   the attributes it was seen with
     * @throws NfsException STALE if it is not the one
     */
    Shared open(Descriptors descriptors, Node node, Path name, HostAttributes entry) throws IOException, NfsException {
        // The dot keeps the system from opening anything but a directory; were it one that a link leads to, its inode
        // would tell.
        FileChannel channel = FileChannel.open(path(name).resolve(THIS), StandardOpenOption.READ);
        return new Shared(node, descriptors.hold(channel, entry), shared.hidden);
    }

    Node node() {
        return shared.node;
    }

    /** What they were when the call got here. */
    HostAttributes attributes() {
        return attributes;
    }

    int mountId() {
        return shared.mountId();
    }

    /** An entry, whatever happens to the directory; the entry itself may be exchanged at any time. */
    Path path(Path name) {
        return shared.path(name);
    }

    /** The directory itself. */
    Path path() {
        return shared.path(THIS);
    }

    /** All names in it, in no order. */
    List<Path> names() throws IOException {
        List<Path> names = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(path())) {
            for (Path entry : stream) {
                names.add(entry.getFileName());
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    /** The attributes of an entry, or null if there is none. */
    @Nullable
    HostAttributes find(Path name) throws IOException {
        try {
            HostAttributes found = HostAttributes.of(path(name));
            return shared.hidden.test(name, found) ? null : found;
        } catch (IOException e) {
            if (HostErrors.status(e) == Nfs3Status.NOENT) {
                return null;
            }
            throw e;
        }
    }

    /** Whether there is an entry of this name that {@link #find} does not find. */
    boolean hides(Path name) throws IOException {
        try {
            return shared.hidden.test(name, HostAttributes.of(path(name)));
        } catch (IOException e) {
            if (HostErrors.status(e) == Nfs3Status.NOENT) {
                return false;
            }
            throw e;
        }
    }

    /** As {@link #find}, but there has to be one. */
    HostAttributes entry(Path name) throws IOException, NfsException {
        @Nullable HostAttributes found = find(name);
        if (found == null) {
            throw new NfsException(Nfs3Status.NOENT);
        }
        return found;
    }

    /**
     * Opens a regular file; the caller has seen that it is one, for opening a named pipe might never end, and makes
     * sure of what was opened.
     */
    FileChannel open(Path name, StandardOpenOption access) throws IOException {
        if (access == StandardOpenOption.WRITE) {
            try {
                // Opening a pipe that somebody put there meanwhile does not wait if it is for both.
                return FileChannel.open(path(name), StandardOpenOption.READ, access, LinkOption.NOFOLLOW_LINKS);
            } catch (AccessDeniedException e) {
                // a server that is not root, and a file that only its owner can write: for writing alone then
            }
        }
        return FileChannel.open(path(name), access, LinkOption.NOFOLLOW_LINKS);
    }

    void delete(Path name) throws IOException {
        Files.delete(path(name));
    }

    void move(Path name, OpenDirectory target, Path targetName) throws IOException {
        Files.move(path(name), target.path(targetName), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() {
        shared.release();
    }
}
