/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.verbs.soft;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The half-open connections of a listener whose peers have not sent an MPA Request yet, in the order they came, counted
 * by the address they came from: whoever opens many of them is the first to lose some. An IPv6 host has a whole network
 * of 64 bits to choose its addresses from, so that is what counts as one.
 *
 * <p>Threading: confined to the thread of the listener.
 */
final class SilentConnections {

    private final Map<ResponderStartup, Long> sources = new LinkedHashMap<>();
    private final Map<Long, Integer> counts = new HashMap<>();

    void add(ResponderStartup connection, @Nullable InetSocketAddress from) {
        long source = source(from);
        sources.put(connection, source);
        counts.merge(source, 1, Integer::sum);
    }

    /** It has spoken, or is gone. Idempotent. */
    void remove(ResponderStartup connection) {
        Long source = sources.remove(connection);
        if (source != null) {
            counts.computeIfPresent(source, (s, count) -> count == 1 ? null : count - 1);
        }
    }

    /** The oldest of those who have most, or {@code null} if all have spoken. */
    @Nullable
    ResponderStartup oldestOfMost() {
        int most = 0;
        for (int count : counts.values()) {
            most = Math.max(most, count);
        }
        for (Map.Entry<ResponderStartup, Long> entry : sources.entrySet()) {
            if (most == counts.getOrDefault(entry.getValue(), 0)) {
                return entry.getKey();
            }
        }
        return null;
    }

    private static long source(@Nullable InetSocketAddress from) {
        if (from == null) {
            return -1; // gone already
        }
        InetAddress address = from.getAddress();
        ByteBuffer octets = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet6Address ? octets.getLong() : octets.getInt() & 0xffffffffL;
    }
}
