// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A file, directory or other object that clients have a handle of: which inode it is, and under which names it was
 * seen. Directories have one name, other objects as many as clients looked up; the root has none.
 *
 * <p>Threading: the names are confined to the monitor of the {@link NodeTable}, the rest never changes.
 */
final class Node {

    /** Where an object was seen. */
    record Location(Node directory, Path name) {}

    final long id;
    final long device;
    final long inode;
    private final byte[] handle;
    final List<Location> locations = new ArrayList<>(1);

    Node(long id, long device, long inode, byte[] handle) {
        this.id = id;
        this.device = device;
        this.inode = inode;
        this.handle = handle;
    }

    /** The file handle; not to be changed. */
    byte[] handle() {
        return handle;
    }

    boolean is(HostAttributes attributes) {
        return attributes.device() == device && attributes.inode() == inode;
    }
}
