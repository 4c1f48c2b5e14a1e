// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCounted;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Directories and files that stay open between calls, {@value #MAX_OPEN} at most; those unused longest are closed
 * first. While an object is open, the host cannot give its inode to another one.
 *
 * <p>Threading: any thread; the object's monitor guards all state. Ownership: owns the descriptors; a call holds a
 * reference to each one that it uses.
 */
final class OpenFiles implements Closeable {

    static final int MAX_OPEN = 128;

    /** A directory takes two descriptors. */
    static final int MAX_DESCRIPTORS = 2 * MAX_OPEN;

    static final long IDLE_SECONDS = 10;

    private static final Logger logger = LoggerFactory.getLogger(OpenFiles.class);

    enum Kind {
        DIRECTORY,
        READ,
        WRITE
    }

    private record Key(Node node, Kind kind) {}

    /** Opens an object that is not open yet. */
    interface Opener {
        Closeable open() throws IOException, NfsException;
    }

    /** An open object, until {@link #close()} gives the reference of one call back. */
    static final class Held extends AbstractReferenceCounted implements Closeable {

        private final Closeable object;
        private long usedNanos;

        private Held(Closeable object) {
            this.object = object;
        }

        FileChannel channel() {
            return (FileChannel) object;
        }

        @SuppressWarnings("unchecked") // Paths of the default file system have directories of such
        SecureDirectoryStream<Path> directory() {
            return (SecureDirectoryStream<Path>) object;
        }

        @Override
        public void close() {
            release();
        }

        @Override
        protected void deallocate() {
            try {
                object.close();
            } catch (IOException e) {
                logger.warn("closing a file failed", e);
            }
        }

        @Override
        public ReferenceCounted touch(Object hint) {
            return this;
        }
    }

    private final Map<Key, Held> open = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Held> eldest) {
            if (size() <= MAX_OPEN) {
                return false;
            }
            eldest.getValue().release();
            return true;
        }
    };

    /** Returns an open object; the caller closes it. */
    Held acquire(Node node, Kind kind, Opener opener) throws IOException, NfsException {
        Key key = new Key(node, kind);
        @Nullable Held known = find(key);
        if (known != null) {
            return known;
        }
        Held opened = new Held(opener.open());
        @Nullable Held faster = addIfAbsent(key, opened);
        if (faster == null) {
            return opened;
        }
        opened.release();
        return faster;
    }

    private synchronized @Nullable Held find(Key key) {
        @Nullable Held known = open.get(key);
        if (known != null) {
            known.usedNanos = System.nanoTime();
            known.retain();
        }
        return known;
    }

    private synchronized @Nullable Held addIfAbsent(Key key, Held opened) {
        @Nullable Held known = find(key);
        if (known == null) {
            opened.usedNanos = System.nanoTime();
            opened.retain();
            open.put(key, opened);
        }
        return known;
    }

    /** An object is gone, or is not what it was: its space becomes free when the last call is done with it. */
    synchronized void remove(Node node) {
        for (Kind kind : Kind.values()) {
            @Nullable Held removed = open.remove(new Key(node, kind));
            if (removed != null) {
                removed.release();
            }
        }
    }

    /** Closes what no call has used for {@value #IDLE_SECONDS} seconds, so that files removed by others free space. */
    void closeIdle() {
        closeUnused(TimeUnit.SECONDS.toNanos(IDLE_SECONDS));
    }

    private synchronized void closeUnused(long nanos) {
        long now = System.nanoTime();
        open.values().removeIf(held -> {
            boolean unused = now - held.usedNanos >= nanos;
            if (unused) {
                held.release();
            }
            return unused;
        });
    }

    /** Closes all that no call uses, and the rest when its calls end. */
    @Override
    public void close() {
        closeUnused(Long.MIN_VALUE);
    }
}
