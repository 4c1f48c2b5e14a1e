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

import java.util.Arrays;

/**
 * Send queue: a ring of work requests, kept field by field, growing to its depth only as far as it is used.
 *
 * <p>A request is posted, then handed to the stream (its last octet staged, or its Read Request sent), then done, and
 * leaves the ring in order: RFC 5040, section 5.5, rule 15. Positions count from 0 for ever.
 *
 * <p>Threading: confined to the thread of the event channel.
 */
final class SendRing {

    private static final int INITIAL_CAPACITY = 8;

    /** Not yet handed to the stream. */
    private static final long POSTED = Long.MAX_VALUE;
    /** Done regardless of the stream. */
    private static final long DONE = Long.MIN_VALUE;

    private final int depth;
    private final int maxSge;
    private long[] id;
    private int[] opcode;
    private int[] flags;
    private int[] remoteKey;
    private long[] remoteAddress;
    private int[] sgeCount;
    private long[] totalBytes;
    /** Stream offset at whose acceptance by TCP the request is done, or one of the markers above. */
    private long[] doneAt;

    private long[] sgeAddress;
    private int[] sgeLength;
    private int[] sgeKey;
    private int mask;
    private long head;
    private long next;
    private long tail;

    SendRing(int depth, int maxSge) {
        this.depth = depth;
        this.maxSge = maxSge;
        int capacity = Math.min(INITIAL_CAPACITY, ceilingPowerOfTwo(depth));
        mask = capacity - 1;
        id = new long[capacity];
        opcode = new int[capacity];
        flags = new int[capacity];
        remoteKey = new int[capacity];
        remoteAddress = new long[capacity];
        sgeCount = new int[capacity];
        totalBytes = new long[capacity];
        doneAt = new long[capacity];
        sgeAddress = new long[capacity * maxSge];
        sgeLength = new int[capacity * maxSge];
        sgeKey = new int[capacity * maxSge];
    }

    static int ceilingPowerOfTwo(int n) {
        return n <= 1 ? 1 : Integer.highestOneBit(n - 1) << 1;
    }

    int maxSge() {
        return maxSge;
    }

    int depth() {
        return depth;
    }

    boolean isFull() {
        return tail - head == depth;
    }

    /** Whether no request waits to be handed to the stream. */
    boolean hasNext() {
        return next != tail;
    }

    /** Oldest request not yet completed. */
    long head() {
        return head;
    }

    /** First request not yet handed to the stream. */
    long next() {
        return next;
    }

    /** One past the newest request. */
    long tail() {
        return tail;
    }

    /** Appends a request whose scatter-gather entries follow by {@link #addSge}; it counts after {@link #commit}. */
    void begin(long wrId, int wrOpcode, int wrFlags, int key, long address) {
        if (tail - head > mask) {
            grow();
        }
        int i = (int) tail & mask;
        id[i] = wrId;
        opcode[i] = wrOpcode;
        flags[i] = wrFlags;
        remoteKey[i] = key;
        remoteAddress[i] = address;
        sgeCount[i] = 0;
        totalBytes[i] = 0;
        doneAt[i] = POSTED;
    }

    void addSge(long address, int lengthBytes, int key) {
        int i = (int) tail & mask;
        int s = i * maxSge + sgeCount[i]++;
        sgeAddress[s] = address;
        sgeLength[s] = lengthBytes;
        sgeKey[s] = key;
        totalBytes[i] += lengthBytes;
    }

    void commit() {
        tail++;
    }

    /** Moves the oldest request, not yet handed to the stream, to the end of another queue. */
    void moveHeadTo(SendRing target) {
        int i = (int) head & mask;
        target.begin(id[i], opcode[i], flags[i], remoteKey[i], remoteAddress[i]);
        for (int s = i * maxSge; s < i * maxSge + sgeCount[i]; s++) {
            target.addSge(sgeAddress[s], sgeLength[s], sgeKey[s]);
        }
        target.commit();
        removeHead();
    }

    /** The request at {@link #next} ends at {@code streamOffset}. */
    void handedToStream(long streamOffset) {
        doneAt[(int) next++ & mask] = streamOffset;
    }

    /** The request at {@link #next} waits for {@link #done}. */
    void waiting() {
        next++;
    }

    /** A request that was {@link #waiting} is done. */
    void done(long position) {
        doneAt[(int) position & mask] = DONE;
    }

    /** Whether the oldest request is done, once TCP has accepted {@code acceptedOctets}. */
    boolean isHeadDone(long acceptedOctets) {
        return head != next && doneAt[(int) head & mask] <= acceptedOctets;
    }

    void removeHead() {
        head++;
        if (next < head) {
            next = head;
        }
    }

    long id(long position) {
        return id[(int) position & mask];
    }

    int opcode(long position) {
        return opcode[(int) position & mask];
    }

    int flags(long position) {
        return flags[(int) position & mask];
    }

    int remoteKey(long position) {
        return remoteKey[(int) position & mask];
    }

    long remoteAddress(long position) {
        return remoteAddress[(int) position & mask];
    }

    long totalBytes(long position) {
        return totalBytes[(int) position & mask];
    }

    int sgeCount(long position) {
        return sgeCount[(int) position & mask];
    }

    long sgeAddress(long position, int sge) {
        return sgeAddress[((int) position & mask) * maxSge + sge];
    }

    int sgeLength(long position, int sge) {
        return sgeLength[((int) position & mask) * maxSge + sge];
    }

    int sgeKey(long position, int sge) {
        return sgeKey[((int) position & mask) * maxSge + sge];
    }

    private void grow() {
        int capacity = mask + 1;
        // Twice the size: the upper half is a copy of the lower one, so every position finds its request.
        id = twice(id);
        opcode = twice(opcode);
        flags = twice(flags);
        remoteKey = twice(remoteKey);
        remoteAddress = twice(remoteAddress);
        sgeCount = twice(sgeCount);
        totalBytes = twice(totalBytes);
        doneAt = twice(doneAt);
        sgeAddress = twice(sgeAddress);
        sgeLength = twice(sgeLength);
        sgeKey = twice(sgeKey);
        mask = capacity * 2 - 1;
    }

    static long[] twice(long[] ring) {
        long[] next = Arrays.copyOf(ring, ring.length * 2);
        System.arraycopy(ring, 0, next, ring.length, ring.length);
        return next;
    }

    static int[] twice(int[] ring) {
        int[] next = Arrays.copyOf(ring, ring.length * 2);
        System.arraycopy(ring, 0, next, ring.length, ring.length);
        return next;
    }
}
