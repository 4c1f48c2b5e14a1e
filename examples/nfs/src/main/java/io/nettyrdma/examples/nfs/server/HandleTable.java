// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The objects that clients have handles of. A handle is the random number of this start and the number of the object,
 * so a handle of an earlier start is stale. The table is bounded: a new object drops the one that was unused longest
 * and has no object below it, and the handle of that one is stale until a client looks it up again.
 *
 * <p>Memory: about 300 bytes per object.
 *
 * <p>Threading: any thread; the object's monitor guards all state.
 */
final class HandleTable {

    static final int MAX_NODES = 100_000;
    static final int HANDLE_BYTES = 2 * Long.BYTES;
    private static final long ROOT_ID = 1;

    /** Names of one file that the table remembers. */
    private static final int MAX_LOCATIONS = 8;

    /** Where an object was seen. */
    record Location(Node directory, Path name) {}

    /**
     * An object: its key, and the names it was seen under, the latest first. A directory has one name, the root none.
     */
    static final class Node {

        final long id;
        private final Object key;
        private volatile List<Location> locations = List.of();
        private int children;

        private Node(long id, Object key) {
            this.id = id;
            this.key = key;
        }

        boolean is(Object other) {
            return key.equals(other);
        }

        List<Location> locations() {
            return locations;
        }
    }

    private final int maxNodes;
    private final Consumer<String> log;
    private final long start = new SecureRandom().nextLong();

    /** The one unused longest first. */
    private final Map<Long, Node> byId = new LinkedHashMap<>(16, 0.75f, true);

    private final Map<Object, Node> byKey = new HashMap<>();
    private final Node root;
    private long nextId = ROOT_ID + 1;
    private boolean wasFull;

    /**
     * A table with the root only.
     *
     * @param maxNodes objects besides the root, positive
     * @param log      gets a line when the table is full for the first time
     */
    HandleTable(Object rootKey, int maxNodes, Consumer<String> log) {
        this.maxNodes = maxNodes;
        this.log = log;
        root = new Node(ROOT_ID, rootKey);
    }

    Node root() {
        return root;
    }

    byte[] handle(Node node) {
        return ByteBuffer.allocate(HANDLE_BYTES).putLong(start).putLong(node.id).array();
    }

    /**
     * The object of a handle.
     *
     * @throws NfsException STALE if the table does not have it, BADHANDLE if no server of this kind made the handle
     */
    synchronized Node resolve(byte[] handle) throws NfsException {
        if (handle.length != HANDLE_BYTES) {
            throw new NfsException(Nfs3Status.BADHANDLE);
        }
        ByteBuffer in = ByteBuffer.wrap(handle);
        boolean ours = in.getLong() == start;
        long id = in.getLong();
        @Nullable Node node = id == ROOT_ID ? root : byId.get(id);
        if (!ours || node == null) {
            throw new NfsException(Nfs3Status.STALE);
        }
        return node;
    }

    /** As the other {@code bind}; a full table drops another object. */
    synchronized Node bind(Node directory, Path name, HostFile entry) {
        return Objects.requireNonNull(bind(directory, name, entry, true));
    }

    /**
     * Notes the name of an object, and returns the object. A file with one name that was seen under another one counts
     * as a new object: the host may have given it the inode of a removed file.
     *
     * @param mayDrop whether a full table drops another object
     * @return null if the table is full and must not drop one
     */
    synchronized @Nullable Node bind(Node directory, Path name, HostFile entry, boolean mayDrop) {
        Location location = new Location(directory, name);
        @Nullable Node known = byKey.get(entry.key());
        if (known != null && known.locations.contains(location)) {
            byId.get(known.id); // used now
            return known;
        }
        if (known != null && (entry.is(FileType.DIRECTORY) || entry.attributes().links() == 1)) {
            forget(known);
            known = null;
        }
        if (known == null) {
            if (byId.size() >= maxNodes && !wasFull) {
                wasFull = true;
                log.accept(maxNodes + " file handles are in use; from now on, those unused longest become stale");
            }
            if (byId.size() >= maxNodes && !mayDrop) {
                return null;
            }
            makeRoom();
            known = new Node(nextId++, entry.key());
            byId.put(known.id, known);
            byKey.put(entry.key(), known);
        }
        add(known, location);
        return known;
    }

    private void makeRoom() {
        while (byId.size() >= maxNodes) {
            Node eldest = byId.values().iterator().next();
            if (eldest.children > 0) {
                byId.get(eldest.id); // as used as what is below it
            } else {
                forget(eldest);
            }
        }
    }

    private static void add(Node node, Location location) {
        List<Location> all = new ArrayList<>(node.locations);
        all.add(0, location);
        location.directory.children++;
        if (all.size() > MAX_LOCATIONS) {
            all.remove(MAX_LOCATIONS).directory.children--;
        }
        node.locations = List.copyOf(all);
    }

    private static void remove(Node node, Location location) {
        List<Location> all = new ArrayList<>(node.locations);
        if (all.remove(location)) {
            location.directory.children--;
            node.locations = List.copyOf(all);
        }
    }

    /** An entry is gone; returns its object if that is gone, too. */
    synchronized @Nullable Node unbind(Node directory, Path name, HostFile entry) {
        @Nullable Node known = byKey.get(entry.key());
        if (known != null && !entry.is(FileType.DIRECTORY) && entry.attributes().links() > 1) {
            remove(known, new Location(directory, name));
            return null;
        }
        if (known != null) {
            forget(known);
        }
        return known;
    }

    /** An object has another name. */
    synchronized void move(Node node, Location from, Location to) {
        remove(node, from);
        remove(node, to);
        add(node, to);
    }

    private void forget(Node node) {
        byId.remove(node.id);
        byKey.remove(node.key, node);
        node.locations.forEach(location -> location.directory.children--);
        node.locations = List.of();
    }

    synchronized int size() {
        return byId.size();
    }
}
