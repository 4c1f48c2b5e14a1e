// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.nettyrdma.rpc.error.HostAuthenticationException;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which properties of this side go out when (draft -01, section 6.3.4). The first message has at most 1,024
 * octets, as the peer may be one of version 1. The others wait until the peer has said how long its Receives are.
 * Properties that do not fit one message go in several whole sets. A single property that fits no message makes a set
 * that is continued (C7).
 *
 * <p>Threading: confined to one thread.
 */
final class OwnProperties {

    /** Octets of the first message at most (C9, C52). */
    static final int MAX_FIRST_BYTES = 1024;

    /**
     * One set, in one message or in the fragments of several.
     *
     * @param more     whether another set follows
     * @param maxBytes octets of a message at most
     */
    record Part(List<TransportProperty> properties, boolean more, int maxBytes) {

        /** Octets of the set behind the prefix of a header. */
        int bytes() {
            return Rdma2Encoder.encodedBytes(properties);
        }

        /** Octets of the set in each fragment but the last one (C6). */
        int fragmentBytes() {
            return maxBytes - Rdma2.PREFIX_BYTES & ~3;
        }

        /** Messages that the set takes. */
        int messages() {
            int bytes = bytes();
            return Rdma2.PREFIX_BYTES + bytes <= maxBytes ? 1 : (bytes + fragmentBytes() - 1) / fragmentBytes();
        }
    }

    private final Deque<TransportProperty> waiting = new ArrayDeque<>();
    private boolean begun;
    private boolean complete;
    private boolean over;
    private int messages;
    private long bytes;

    /** Adds properties to those that wait. */
    void add(Collection<TransportProperty> properties) {
        waiting.addAll(properties);
    }

    /** Nothing is added any more. */
    void complete() {
        complete = true;
    }

    /** Whether the last set is out. */
    boolean isOver() {
        return over;
    }

    /**
     * The next set to send, {@code null} if there is none now.
     *
     * @param peerIsKnown whether a set of the peer was applied
     * @param longestSend octets of the longest message that this side sends and the peer takes
     * @throws HostAuthenticationException if it would be more than a side may send (C54)
     */
    @Nullable
    Part next(boolean peerIsKnown, int longestSend) throws HostAuthenticationException {
        boolean first = !begun;
        if (over || !first && !peerIsKnown || !first && !complete && waiting.isEmpty()) {
            return null;
        }
        begun = true;
        int maxBytes = first ? Math.min(MAX_FIRST_BYTES, longestSend) : longestSend; // V2-023
        List<TransportProperty> set = take(maxBytes - Rdma2.PREFIX_BYTES, first);
        boolean last = complete && waiting.isEmpty(); // V2-113
        Part part = new Part(set, !last, maxBytes); // V2-129, V2-187 (C56)
        messages += part.messages();
        bytes += part.bytes();
        if (messages > PropertyExchange.MAX_MESSAGES || bytes > PropertyExchange.MAX_BYTES) {
            throw new HostAuthenticationException("the handshake of this side takes " + messages + " messages and "
                    + bytes + " bytes of properties, which exceeds " + PropertyExchange.MAX_MESSAGES + " or "
                    + PropertyExchange.MAX_BYTES); // C54
        }
        over = last;
        return part;
    }

    /** As many as fit into one message; a single one if that fits none, but not in the first message. */
    private List<TransportProperty> take(int maxBytes, boolean first) {
        List<TransportProperty> set = new ArrayList<>();
        for (TransportProperty next = waiting.peek(); next != null; next = waiting.peek()) {
            set.add(next);
            if (Rdma2Encoder.encodedBytes(set) > maxBytes && (first || set.size() > 1)) { // V2-129
                set.remove(set.size() - 1);
                break;
            }
            waiting.remove();
        }
        return set;
    }
}
