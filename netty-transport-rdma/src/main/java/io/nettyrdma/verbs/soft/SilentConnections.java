// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The half-open connections of a listener whose peers have not sent an MPA Request yet, by the address they came from:
 * an address that opens many of them is the first to lose some. An IPv6 host has a whole network of 64 bits to choose
 * its addresses from, so the network counts as one. All methods take logarithmic time, because strangers choose how
 * many connections and addresses there are.
 *
 * <p>Threading: confined to the thread of the listener.
 */
final class SilentConnections {

    /** The silent connections of one address, oldest first. Sorts before those with fewer, or with younger ones. */
    private static final class Source implements Comparable<Source> {
        private final long address;
        /** Each with its number: the listener's first connection has the lowest. */
        private final Map<ResponderStartup, Long> numbers = new LinkedHashMap<>();

        Source(long address) {
            this.address = address;
        }

        private Map.Entry<ResponderStartup, Long> oldest() {
            return numbers.entrySet().iterator().next();
        }

        @Override
        public int compareTo(Source other) {
            int most = Integer.compare(other.numbers.size(), numbers.size());
            return most != 0
                    ? most
                    : Long.compare(oldest().getValue(), other.oldest().getValue());
        }
    }

    private final Map<ResponderStartup, Source> connections = new HashMap<>();
    private final Map<Long, Source> sources = new HashMap<>();
    /** All sources, which are not empty. A source leaves it while its connections change. */
    private final TreeSet<Source> mostFirst = new TreeSet<>();

    private long lastNumber;

    void add(ResponderStartup connection, @Nullable InetSocketAddress from) {
        long address = address(from);
        Source source = sources.get(address);
        if (source == null) {
            source = new Source(address);
            sources.put(address, source);
        } else {
            mostFirst.remove(source);
        }
        source.numbers.put(connection, ++lastNumber);
        mostFirst.add(source);
        connections.put(connection, source);
    }

    /** It has spoken, or is gone. Idempotent. */
    void remove(ResponderStartup connection) {
        Source source = connections.remove(connection);
        if (source != null) {
            mostFirst.remove(source);
            source.numbers.remove(connection);
            if (source.numbers.isEmpty()) {
                sources.remove(source.address);
            } else {
                mostFirst.add(source);
            }
        }
    }

    /** The oldest of those who have most, or {@code null} if all have spoken. */
    @Nullable
    ResponderStartup oldestOfMost() {
        return mostFirst.isEmpty() ? null : mostFirst.first().oldest().getKey();
    }

    private static long address(@Nullable InetSocketAddress from) {
        if (from == null) {
            return -1; // gone already
        }
        InetAddress address = from.getAddress();
        ByteBuffer octets = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet6Address ? octets.getLong() : octets.getInt() & 0xffffffffL;
    }
}
