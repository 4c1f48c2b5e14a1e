// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.Channel;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.internal.PeerLog;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The connections of all loops whose channels have closed, and whose peers have not taken all bytes yet. Their number
 * of bytes is limited: beyond it, the connection is cut whose peer has taken nothing for the longest time.
 *
 * <p>Threading: any. There is a lock, as the connection to cut may be another loop's; only what has closed before its
 * peer had all comes here.
 */
final class ClosedConnections {

    /** The limit is this part of the direct memory of the JVM. */
    private static final int MEMORY_PART = 8;

    /** What a connection holds besides its bytes, roughly: receives, published buffers, the socket's own. */
    static final long CONNECTION_BYTES = 64 * 1024;

    static final ClosedConnections ALL = new ClosedConnections(PlatformDependent.maxDirectMemory() / MEMORY_PART);

    private static final PeerLog CUT = PeerLog.of(ClosedConnections.class);

    private record Counted(long bytes, Runnable cut) {}

    private final long limitBytes;
    /** In the order of the latest progress. */
    private final Map<Channel, Counted> connections = new LinkedHashMap<>();

    private long allBytes;

    ClosedConnections(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * The connection of a channel still has {@code unsentBytes}, which may be fewer than before.
     *
     * @param cut ends the connection; from the thread of any loop
     */
    void add(Channel channel, long unsentBytes, Runnable cut) {
        if (count(channel, new Counted(CONNECTION_BYTES + unsentBytes, cut))) {
            for (Runnable next = takeBeyondLimit(); next != null; next = takeBeyondLimit()) {
                next.run();
            }
        }
    }

    /** Returns whether the connection is new, or has made progress. */
    private synchronized boolean count(Channel channel, Counted counted) {
        Counted before = connections.get(channel);
        if (before != null && before.bytes == counted.bytes) {
            return false;
        }
        remove(channel);
        connections.put(channel, counted);
        allBytes += counted.bytes;
        return true;
    }

    /** Takes out the connection to cut, if one must be. */
    private synchronized @Nullable Runnable takeBeyondLimit() {
        if (allBytes <= limitBytes) {
            return null;
        }
        Map.Entry<Channel, Counted> eldest = connections.entrySet().iterator().next();
        Channel channel = eldest.getKey();
        CUT.warn(() -> "closed connections hold more than " + limitBytes + " bytes, an eighth of the direct memory"
                + " (-XX:MaxDirectMemorySize); cutting " + channel
                + ", whose peer has taken nothing for the longest time");
        Runnable cut = eldest.getValue().cut;
        remove(channel);
        return cut;
    }

    synchronized boolean contains(Channel channel) {
        return connections.containsKey(channel);
    }

    synchronized void remove(Channel channel) {
        Counted counted = connections.remove(channel);
        if (counted != null) {
            allBytes -= counted.bytes;
        }
    }
}
