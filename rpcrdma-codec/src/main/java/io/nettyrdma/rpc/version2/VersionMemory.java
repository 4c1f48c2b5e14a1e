// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import java.net.SocketAddress;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Peers that were found to speak version 1 only, so that the next connection to them need not offer version 2. For
 * minutes, as peers are replaced; and for so many addresses, the oldest being forgotten first (C57).
 *
 * <p>Threading: thread-safe. There is a lock, since all connections of a configuration share it, on whatever loops they
 * are; it is taken once or twice in the life of a connection.
 */
final class VersionMemory {

    /** Addresses that are remembered at most. */
    static final int MAX_ADDRESSES = 1024;

    /** For how long. */
    static final long NANOS = 600_000_000_000L;

    private final Map<SocketAddress, Long> foundNanos = new LinkedHashMap<>();

    /** A peer was found not to speak version 2. */
    synchronized void remember(SocketAddress peer, long nowNanos) {
        foundNanos.remove(peer); // to the end
        foundNanos.put(peer, nowNanos);
        if (foundNanos.size() > MAX_ADDRESSES) {
            Iterator<SocketAddress> oldest = foundNanos.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** Whether a peer was found so lately. */
    synchronized boolean remembers(SocketAddress peer, long nowNanos) {
        Long found = foundNanos.get(peer);
        if (found == null) {
            return false;
        }
        if (nowNanos - found < NANOS) {
            return true;
        }
        foundNanos.remove(peer);
        return false;
    }
}
