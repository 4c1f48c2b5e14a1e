// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The objects that clients have handles of. A handle is the random number of this start and the number of the object,
 * so a handle of an earlier start is stale. The table is bounded, with 300 bytes for each object: a new one drops the
 * one unused longest, whose handle is stale until it is looked up. A directory is used when an object below it is.
 *
 * <p>Threading: any thread; the object's monitor guards all state.
 */
final class HandleTable {

    static final int MAX_NODES = 100_000;
    static final int HANDLE_BYTES = 2 * Long.BYTES;
    private static final long ROOT_ID = 1;

    /** Where an object was seen. */
    record Location(Node directory, Path name) {}

    /** An object: its key, and the name that it was last seen under; the root has none. */
    static final class Node {

        final long id;
        private final Object key;

        /** Held by a call that changes the object, from the attributes before to those after. */
        final ReentrantLock lock = new ReentrantLock();

        volatile @Nullable Location location;

        private Node(long id, Object key, @Nullable Location location) {
            this.id = id;
            this.key = key;
            this.location = location;
        }

        boolean is(@Nullable Object other) {
            return key.equals(other);
        }
    }

    final Node root;
    private final int maxNodes;
    private final Consumer<String> log;
    private final long start = new SecureRandom().nextLong();

    /** The one unused longest first. */
    private final Map<Long, Node> byId = new LinkedHashMap<>(16, 0.75f, true);

    private final Map<Object, Node> byKey = new HashMap<>();
    private long nextId = ROOT_ID + 1;
    private boolean wasFull;

    /** @param log gets a line when the table is full for the first time */
    HandleTable(Object rootKey, int maxNodes, Consumer<String> log) {
        this.maxNodes = maxNodes;
        this.log = log;
        root = new Node(ROOT_ID, rootKey, null);
    }

    byte[] handle(Node node) {
        return ByteBuffer.allocate(HANDLE_BYTES).putLong(start).putLong(node.id).array();
    }

    synchronized Node resolve(byte[] handle) throws NfsException {
        if (handle.length != HANDLE_BYTES) {
            throw new NfsException(Nfs3Status.BADHANDLE);
        }
        ByteBuffer in = ByteBuffer.wrap(handle);
        boolean isOurs = in.getLong() == start;
        long id = in.getLong();
        @Nullable Node node = id == ROOT_ID ? root : byId.get(id);
        if (!isOurs || node == null) {
            throw new NfsException(Nfs3Status.STALE);
        }
        return used(node);
    }

    private Node used(Node node) {
        byId.get(node.id);
        for (@Nullable Location at = node.location; at != null; at = at.directory.location) {
            byId.get(at.directory.id);
        }
        return node;
    }

    /** As {@link #bind}, but null if an object of another client would be dropped. */
    synchronized @Nullable Node bindIfRoom(Location location, HostFile entry) {
        return byKey.containsKey(entry.key()) || byId.size() < maxNodes ? bind(location, entry) : null;
    }

    /**
     * Notes the name of an object, and returns the object. A file with one name that was seen under another one counts
     * as a new object: the host may have given it the inode of a removed file. If another program makes a file anew
     * under the same name and the same inode, the handle is of the new one: nothing that Java tells shows it, as a time
     * of creation is the one of modification on some file systems, and changes when an overlay copies a file.
     */
    synchronized Node bind(Location location, HostFile entry) {
        @Nullable Node known = byKey.get(entry.key());
        boolean hasOneName = entry.is(FileType.DIRECTORY) || entry.attributes().links() == 1;
        if (known != null && hasOneName && !location.equals(known.location)) {
            forget(known);
            known = null;
        }
        if (known == null) {
            while (byId.size() >= maxNodes) {
                forget(byId.values().iterator().next());
            }
            known = new Node(nextId++, entry.key(), location);
            byId.put(known.id, known);
            byKey.put(entry.key(), known);
            if (byId.size() == maxNodes && !wasFull) {
                wasFull = true;
                log.accept(maxNodes + " file handles are in use; from now on, those unused longest become stale");
            }
        }
        known.location = location;
        return used(known);
    }

    /** An entry is gone; returns its object if that is gone, too. */
    synchronized @Nullable Node unbind(Location location, HostFile entry) {
        @Nullable Node known = byKey.get(entry.key());
        if (known == null || !entry.is(FileType.DIRECTORY) && entry.attributes().links() > 1) {
            return null;
        }
        forget(known);
        return known;
    }

    private void forget(Node node) {
        byId.remove(node.id);
        byKey.remove(node.key, node);
    }
}
