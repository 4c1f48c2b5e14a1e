// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.mount.MountEntry;

/**
 * Who has mounted what, as DUMP tells it (RFC 1813, section 5.2.2). It is for people, and clients that never unmount
 * must not fill the memory, nor push each other's entries out: a host has {@link #MAX_PER_HOST} at most, the oldest of
 * its own make room, and there are {@link #MAX_MOUNTS} in all. With the longest paths that is 300 KiB.
 *
 * <p>Threading: any thread; confined to this object's monitor.
 */
final class MountList {

    /** Entries of one host. */
    static final int MAX_PER_HOST = 32;

    /** Entries of all hosts. */
    static final int MAX_MOUNTS = 256;

    private final List<MountEntry> mounts = new ArrayList<>();

    synchronized void add(MountEntry entry) {
        mounts.remove(entry);
        if (mounts.stream().filter(of(entry.getHost())).count() >= MAX_PER_HOST) {
            removeFirst(of(entry.getHost()));
        }
        if (mounts.size() >= MAX_MOUNTS) {
            mounts.remove(0);
        }
        mounts.add(entry);
    }

    private static Predicate<MountEntry> of(String host) {
        return entry -> entry.getHost().equals(host);
    }

    private void removeFirst(Predicate<MountEntry> which) {
        for (Iterator<MountEntry> i = mounts.iterator(); i.hasNext(); ) {
            if (which.test(i.next())) {
                i.remove();
                return;
            }
        }
    }

    synchronized void remove(String host, String path) {
        mounts.remove(new MountEntry(host, path));
    }

    synchronized void removeAll(String host) {
        mounts.removeIf(of(host));
    }

    /** {@code mountlist}: entries in their order, the newest last. */
    synchronized void write(ByteBuf out) {
        for (MountEntry entry : mounts) {
            out.writeInt(1);
            Xdr.writeString(out, entry.getHost());
            Xdr.writeString(out, entry.getPath());
        }
        out.writeInt(0);
    }
}
