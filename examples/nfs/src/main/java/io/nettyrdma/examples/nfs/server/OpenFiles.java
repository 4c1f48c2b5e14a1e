// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.server.Export.Action;
import io.nettyrdma.examples.nfs.server.HandleTable.Node;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Files that stay open between calls, {@value #MAX_OPEN} at most; those unused longest are closed first.
 *
 * <p>Threading: any thread; the object's monitor guards all state. Ownership: owns the descriptors; a call holds a
 * reference to each one that it uses.
 */
final class OpenFiles {

    static final int MAX_OPEN = 128;

    private record Key(Node node, boolean forWriting) {}

    /** An open file, until {@link #close()} gives the reference of one call back. */
    final class Held implements Closeable {

        final FileChannel channel;
        private int references = 1;

        private Held(FileChannel channel) {
            this.channel = channel;
        }

        @Override
        public void close() {
            synchronized (OpenFiles.this) {
                if (--references > 0) {
                    return;
                }
            }
            try {
                channel.close();
            } catch (IOException e) {
                // what had to be on the disk has been forced, which reports failures
            }
        }
    }

    /** The one unused longest first. Each has a reference of this map. */
    private final Map<Key, Held> open = new LinkedHashMap<>(16, 0.75f, true);

    /** Returns an open file, which the caller closes. No other call waits while it is opened. */
    Held acquire(Node node, boolean forWriting, Action<FileChannel> opener) throws IOException {
        Key key = new Key(node, forWriting);
        @Nullable Held known = use(key);
        return known != null ? known : keep(key, opener.run());
    }

    private synchronized @Nullable Held use(Key key) {
        @Nullable Held held = open.get(key);
        if (held != null) {
            held.references++;
        }
        return held;
    }

    private synchronized Held keep(Key key, FileChannel channel) {
        Held held = new Held(channel);
        @Nullable Held before = open.put(key, held); // of a call that opened it at the same time
        if (before != null) {
            before.close();
        }
        if (open.size() > MAX_OPEN) {
            Node oldest = open.keySet().iterator().next().node;
            close(oldest::equals);
        }
        held.references++;
        return held;
    }

    /** Closes the files of some objects, those in use when their calls end. A removed file takes space till then. */
    synchronized void close(Predicate<Node> which) {
        open.entrySet().removeIf(entry -> {
            boolean goes = which.test(entry.getKey().node);
            if (goes) {
                entry.getValue().close();
            }
            return goes;
        });
    }
}
