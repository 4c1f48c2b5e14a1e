// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import java.util.Map;
import java.util.TreeMap;

/**
 * Ranges of a region that its peer has written ahead of a gap. Known peers write in order; RFC 8166 lets them write in
 * any.
 *
 * <p>Threading: as {@link Region#onWritten}.
 */
final class WrittenRanges {

    /** Ranges that are kept. A peer that leaves more gaps counts as having written nothing of the next range. */
    static final int MOST = 1024;

    /** From their first octet to the one behind the last. None touches another. */
    private final TreeMap<Integer, Integer> ends = new TreeMap<>();

    /** Adds a range, and joins it with those that it touches. */
    void add(int from, int end) {
        int first = from;
        int last = end;
        Map.Entry<Integer, Integer> before = ends.floorEntry(from);
        if (before != null && before.getValue() >= from) {
            first = before.getKey();
            last = Math.max(last, before.getValue());
        }
        Map.Entry<Integer, Integer> next;
        while ((next = ends.ceilingEntry(first)) != null && next.getKey() <= last) {
            last = Math.max(last, next.getValue());
            ends.remove(next.getKey());
        }
        if (ends.size() < MOST) {
            ends.put(first, last);
        }
    }

    /** Removes the ranges that begin at or before {@code end}, and returns the end of all that. */
    int joined(int end) {
        int last = end;
        Map.Entry<Integer, Integer> next;
        while ((next = ends.firstEntry()) != null && next.getKey() <= last) {
            last = Math.max(last, next.getValue());
            ends.pollFirstEntry();
        }
        return last;
    }
}
