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

/**
 * Receive queue: a ring of posted receives, kept field by field, growing to its depth only as far as it is used.
 *
 * <p>Threading: confined to the thread of the event channel.
 */
final class ReceiveRing {

    private static final int INITIAL_CAPACITY = 8;

    private final int depth;
    private final int maxSge;
    private long[] id;
    private int[] sgeCount;
    private long[] totalBytes;
    private long[] sgeAddress;
    private int[] sgeLength;
    private int[] sgeKey;
    private int mask;
    private long head;
    private long tail;

    ReceiveRing(int depth, int maxSge) {
        this.depth = depth;
        this.maxSge = maxSge;
        int capacity = Math.min(INITIAL_CAPACITY, SendRing.ceilingPowerOfTwo(depth));
        mask = capacity - 1;
        id = new long[capacity];
        sgeCount = new int[capacity];
        totalBytes = new long[capacity];
        sgeAddress = new long[capacity * maxSge];
        sgeLength = new int[capacity * maxSge];
        sgeKey = new int[capacity * maxSge];
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

    boolean isEmpty() {
        return tail == head;
    }

    /** Appends a receive whose scatter-gather entries follow by {@link #addSge}; it counts after {@link #commit}. */
    void begin(long wrId) {
        if (tail - head > mask) {
            grow();
        }
        int i = (int) tail & mask;
        id[i] = wrId;
        sgeCount[i] = 0;
        totalBytes[i] = 0;
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

    /** Moves the oldest receive to the end of another queue. */
    void moveHeadTo(ReceiveRing target) {
        int i = (int) head & mask;
        target.begin(id[i]);
        for (int s = i * maxSge; s < i * maxSge + sgeCount[i]; s++) {
            target.addSge(sgeAddress[s], sgeLength[s], sgeKey[s]);
        }
        target.commit();
        removeHead();
    }

    /** Identity of the oldest receive; so are the following. */
    long id() {
        return id[(int) head & mask];
    }

    long totalBytes() {
        return totalBytes[(int) head & mask];
    }

    int sgeCount() {
        return sgeCount[(int) head & mask];
    }

    long sgeAddress(int sge) {
        return sgeAddress[((int) head & mask) * maxSge + sge];
    }

    int sgeLength(int sge) {
        return sgeLength[((int) head & mask) * maxSge + sge];
    }

    int sgeKey(int sge) {
        return sgeKey[((int) head & mask) * maxSge + sge];
    }

    void removeHead() {
        head++;
    }

    private void grow() {
        id = SendRing.twice(id);
        sgeCount = SendRing.twice(sgeCount);
        totalBytes = SendRing.twice(totalBytes);
        sgeAddress = SendRing.twice(sgeAddress);
        sgeLength = SendRing.twice(sgeLength);
        sgeKey = SendRing.twice(sgeKey);
        mask = mask * 2 + 1;
    }
}
