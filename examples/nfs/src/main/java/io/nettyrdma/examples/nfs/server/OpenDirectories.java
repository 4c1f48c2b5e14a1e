// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Directories that stay open between calls, for finding the number of an open file takes longer than a call should. Who
 * takes one has made sure that it is still where the export has it.
 *
 * <p>Limit: {@value #MAX_OPEN} directories, one file descriptor each; those not used for longest are closed first.
 *
 * <p>Threading: any thread; all state is confined to this object's monitor.
 */
final class OpenDirectories {

    private static final int MAX_OPEN = 256;

    private final Map<Node, OpenDirectory.Shared> open = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Node, OpenDirectory.Shared> eldest) {
            if (size() <= MAX_OPEN) {
                return false;
            }
            eldest.getValue().release();
            return true;
        }
    };

    /** A directory that is open, for one call. */
    synchronized @Nullable OpenDirectory find(Node node, HostAttributes attributes) {
        OpenDirectory.@Nullable Shared shared = open.get(node);
        return shared == null ? null : shared.open(attributes);
    }

    /** Takes over a directory that was opened just now, and gives it to one call. */
    synchronized OpenDirectory add(Node node, OpenDirectory.Shared opened, HostAttributes attributes) {
        OpenDirectory.@Nullable Shared earlier = open.get(node);
        if (earlier != null) {
            opened.release(); // another call was faster
            return earlier.open(attributes);
        }
        open.put(node, opened);
        return opened.open(attributes);
    }

    /** A directory is gone, or is not what it was. */
    synchronized void remove(Node node) {
        OpenDirectory.@Nullable Shared removed = open.remove(node);
        if (removed != null) {
            removed.release();
        }
    }

    synchronized void close() {
        open.values().forEach(OpenDirectory.Shared::release);
        open.clear();
    }
}
