// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.Channel;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.internal.PeerLog;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a loop whose channels have closed, and whose peers have not taken all bytes yet. Their number of
 * bytes is limited for the whole process: beyond it, the connection of this loop is cut whose peer has taken nothing
 * for the longest time.
 *
 * <p>Threading: the loop's; the sum of all loops is atomic.
 */
final class ClosedConnections {

    /** The limit is this part of the direct memory of the JVM. */
    private static final int MEMORY_PART = 8;

    /** What a connection holds besides its bytes, roughly: receives, published buffers, the socket's own. */
    static final long CONNECTION_BYTES = 64 * 1024;

    private static final PeerLog CUT = PeerLog.of(ClosedConnections.class);
    private static final AtomicLong ALL_BYTES = new AtomicLong();

    private record Counted(long bytes, Runnable cut) {}

    private final long limitBytes;
    private final AtomicLong allBytes;
    /** In the order of the latest progress. */
    private final Map<Channel, Counted> connections = new LinkedHashMap<>();

    ClosedConnections() {
        this(PlatformDependent.maxDirectMemory() / MEMORY_PART, ALL_BYTES);
    }

    /** @param allBytes sum of those that share the limit */
    ClosedConnections(long limitBytes, AtomicLong allBytes) {
        this.limitBytes = limitBytes;
        this.allBytes = allBytes;
    }

    /**
     * The connection of a channel still has {@code unsentBytes}, which may be fewer than before.
     *
     * @param cut ends the connection; {@link #remove} follows
     */
    void add(Channel channel, long unsentBytes, Runnable cut) {
        long bytes = CONNECTION_BYTES + unsentBytes;
        Counted before = connections.get(channel);
        if (before != null && before.bytes == bytes) {
            return; // no progress
        }
        remove(channel);
        connections.put(channel, new Counted(bytes, cut));
        allBytes.addAndGet(bytes);
        while (allBytes.get() > limitBytes && !connections.isEmpty()) {
            Map.Entry<Channel, Counted> eldest =
                    connections.entrySet().iterator().next();
            CUT.warn(() -> "closed connections hold more than " + limitBytes + " bytes, an eighth of the direct memory"
                    + " (-XX:MaxDirectMemorySize); cutting " + eldest.getKey()
                    + ", whose peer has taken nothing for the longest time");
            eldest.getValue().cut.run();
        }
    }

    /** Whether the connection of a channel is here. */
    boolean contains(Channel channel) {
        return connections.containsKey(channel);
    }

    /** The connection of a channel has ended. */
    void remove(Channel channel) {
        @Nullable Counted counted = connections.remove(channel);
        if (counted != null) {
            allBytes.addAndGet(-counted.bytes);
        }
    }
}
