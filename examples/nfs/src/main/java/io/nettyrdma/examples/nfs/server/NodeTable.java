// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.server.Node.Location;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which handle stands for which object: numbers of objects, never used twice, with the inodes and the names they were
 * seen under. Every change is in the {@link NodeJournal} before a client can see it, so handles survive a restart;
 * unless the disc is full, when they survive it only if there is room again before.
 *
 * <p>Memory: about 300 octets per object that a client has looked up and nobody has removed.
 *
 * <p>Threading: any thread; all state is confined to this object's monitor.
 */
final class NodeTable implements AutoCloseable {

    static final long ROOT_ID = 1;

    /**
     * Numbers that the journal says are used, in advance: one that a client got while nothing could be written must not
     * be used again after a restart.
     */
    private static final long RESERVED = 1L << 32;

    /** What identifies an object for the host. */
    private record Key(long device, long inode) {}

    private final Map<Long, Node> byId = new HashMap<>();
    private final Map<Key, Node> byKey = new HashMap<>();
    private final HandleSeal seal;
    private final NodeJournal journal;
    private final Node root;
    private long nextId;
    private long reservedEnd;

    private NodeTable(HandleSeal seal, NodeJournal journal, HostAttributes rootAttributes) {
        this.seal = seal;
        this.journal = journal;
        root = new Node(ROOT_ID, rootAttributes.device(), rootAttributes.inode(), seal.handle(ROOT_ID));
        add(root);
        nextId = ROOT_ID + 1;
    }

    /** Reads what an earlier server left in the journal, and goes on with it. */
    static NodeTable open(HandleSeal seal, NodeJournal journal, HostAttributes root) throws IOException {
        NodeTable table = new NodeTable(seal, journal, root);
        table.load();
        return table;
    }

    private synchronized void load() throws IOException {
        journal.replay(new NodeJournal.Reader() {
            @Override
            public void next(long id) {
                nextId = Math.max(nextId, id);
            }

            @Override
            public void bound(long id, long device, long inode, long directoryId, byte[] name) throws IOException {
                nextId = Math.max(nextId, id + 1);
                @Nullable Node directory = byId.get(directoryId);
                if (directory == null) {
                    return; // removed behind the server's back
                }
                Node node = byId.computeIfAbsent(id, made -> new Node(id, device, inode, seal.handle(id)));
                byKey.put(new Key(device, inode), node);
                try {
                    addLocation(node, new Location(directory, FileNames.path(name)));
                } catch (NfsException e) {
                    throw new IOException("the journal of handles has an impossible name", e);
                }
            }

            @Override
            public void unbound(long id, long directoryId, byte[] name) throws IOException {
                @Nullable Node node = byId.get(id);
                if (node != null) {
                    try {
                        Path path = FileNames.path(name);
                        node.locations.removeIf(known -> known.directory().id == directoryId
                                && known.name().equals(path));
                    } catch (NfsException e) {
                        throw new IOException("the journal of handles has an impossible name", e);
                    }
                }
            }

            @Override
            public void forgotten(long id) {
                @Nullable Node node = byId.get(id);
                if (node != null) {
                    remove(node);
                }
            }
        });
        compact();
    }

    Node root() {
        return root;
    }

    /**
     * The object a handle stands for.
     *
     * @throws NfsException BADHANDLE if this server never made it, STALE if the object is gone
     */
    synchronized Node resolve(byte[] handle) throws NfsException {
        if (handle.length != HandleSeal.HANDLE_BYTES) {
            throw new NfsException(Nfs3Status.BADHANDLE);
        }
        long id = ByteBuffer.wrap(handle).getLong();
        @Nullable Node node = byId.get(id);
        // In constant time, so that a forger learns nothing from how long the answer takes.
        if (!MessageDigest.isEqual(node == null ? seal.handle(id) : node.handle(), handle)) {
            throw new NfsException(Nfs3Status.BADHANDLE);
        }
        if (node == null) {
            throw new NfsException(Nfs3Status.STALE);
        }
        return node;
    }

    /** The object with these attributes, if clients know it. */
    synchronized @Nullable Node find(HostAttributes attributes) {
        return byKey.get(new Key(attributes.device(), attributes.inode()));
    }

    /** Where an object was seen, the latest first. */
    synchronized List<Location> locations(Node node) {
        List<Location> latestFirst = new ArrayList<>(node.locations);
        Collections.reverse(latestFirst);
        return latestFirst;
    }

    /** Notes that an object, known or new, has this name. */
    synchronized Node bind(Node directory, Path name, HostAttributes attributes) throws IOException {
        Key key = new Key(attributes.device(), attributes.inode());
        @Nullable Node node = byKey.get(key);
        if (node == null) {
            if (nextId >= reservedEnd) {
                compact();
            }
            long id = nextId++;
            node = new Node(id, attributes.device(), attributes.inode(), seal.handle(id));
        }
        Location location = new Location(directory, name);
        if (!node.locations.contains(location)) {
            if (attributes.isDirectory()) {
                node.locations.clear();
            }
            journal.bound(node.id, node.device, node.inode, directory.id, FileNames.octets(name));
            addLocation(node, location);
            add(node);
            compactIfWorthwhile();
        }
        return node;
    }

    /** Notes that an object lost a name. */
    synchronized void unbind(Node node, Node directory, Path name) throws IOException {
        if (node.locations.remove(new Location(directory, name))) {
            journal.unbound(node.id, directory.id, FileNames.octets(name));
        }
    }

    /** The object is gone; its handle is stale from now on. */
    synchronized void forget(Node node) throws IOException {
        if (node != root && byId.containsKey(node.id)) {
            journal.forgotten(node.id);
            remove(node);
        }
    }

    private static void addLocation(Node node, Location location) {
        node.locations.remove(location);
        node.locations.add(location);
    }

    private void add(Node node) {
        byId.put(node.id, node);
        byKey.put(new Key(node.device, node.inode), node);
    }

    private void remove(Node node) {
        byId.remove(node.id);
        byKey.remove(new Key(node.device, node.inode), node);
    }

    private void compactIfWorthwhile() {
        boolean longEnough = journal.recordCount() > 100_000 && journal.recordCount() > 4L * byId.size();
        if (longEnough && journal.isComplete() || journal.needsRewrite()) {
            try {
                compact();
            } catch (IOException e) {
                journal.onFailed(e); // what there is goes on
            }
        }
    }

    /** Directories before what is in them, so that a replay finds them. */
    private void compact() throws IOException {
        long end = nextId + RESERVED;
        journal.rewrite(writer -> {
            writer.next(end);
            Set<Node> written = new HashSet<>();
            written.add(root);
            for (Node node : byId.values()) {
                write(node, written, writer);
            }
        });
        reservedEnd = end;
    }

    private static void write(Node node, Set<Node> written, NodeJournal.Reader writer) throws IOException {
        if (!written.add(node)) {
            return;
        }
        for (Location location : node.locations) {
            write(location.directory(), written, writer);
            writer.bound(node.id, node.device, node.inode, location.directory().id, FileNames.octets(location.name()));
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (!journal.isComplete()) {
            try {
                compact();
            } catch (IOException e) {
                journal.onFailed(e);
            }
        }
        journal.close();
    }
}
