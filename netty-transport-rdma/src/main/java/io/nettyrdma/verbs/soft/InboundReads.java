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
 * RDMA Read Requests of the peer that wait for their turn or are being answered. Bounded by what was negotiated; as
 * Linux rounds the negotiated number up to a power of two, and keeps one more in its transmitter, so much is tolerated.
 *
 * <p>Threading: confined to the thread of the event channel.
 */
final class InboundReads {

    private static final int INITIAL_CAPACITY = 4;

    private int limit;
    private int[] sinkKey = new int[0];
    private long[] sinkAddress = new long[0];
    private int[] bytes = new int[0];
    private int[] sourceKey = new int[0];
    private long[] sourceAddress = new long[0];
    private int[] msn = new int[0];
    private int mask = -1;
    private long head;
    private long tail;

    /** Sets the negotiated IRD; 0 allows none. */
    void limit(int ird) {
        limit = ird == 0 ? 0 : SendRing.ceilingPowerOfTwo(ird) + 1;
    }

    boolean isEmpty() {
        return head == tail;
    }

    boolean isFull() {
        return tail - head >= limit;
    }

    int limit() {
        return limit;
    }

    void add(int toKey, long toAddress, int byteCount, int fromKey, long fromAddress, int sequence) {
        if (tail - head > mask) {
            grow();
        }
        int i = (int) tail++ & mask;
        sinkKey[i] = toKey;
        sinkAddress[i] = toAddress;
        bytes[i] = byteCount;
        sourceKey[i] = fromKey;
        sourceAddress[i] = fromAddress;
        msn[i] = sequence;
    }

    private void grow() {
        if (mask < 0) {
            int capacity = INITIAL_CAPACITY;
            sinkKey = new int[capacity];
            sinkAddress = new long[capacity];
            bytes = new int[capacity];
            sourceKey = new int[capacity];
            sourceAddress = new long[capacity];
            msn = new int[capacity];
            mask = capacity - 1;
            return;
        }
        sinkKey = SendRing.twice(sinkKey);
        sinkAddress = SendRing.twice(sinkAddress);
        bytes = SendRing.twice(bytes);
        sourceKey = SendRing.twice(sourceKey);
        sourceAddress = SendRing.twice(sourceAddress);
        msn = SendRing.twice(msn);
        mask = mask * 2 + 1;
    }

    /** Where the requester wants the octets of the oldest request; so are the following. */
    int sinkKey() {
        return sinkKey[(int) head & mask];
    }

    long sinkAddress() {
        return sinkAddress[(int) head & mask];
    }

    /** Octets asked for, unsigned. */
    long bytes() {
        return bytes[(int) head & mask] & 0xffffffffL;
    }

    int sourceKey() {
        return sourceKey[(int) head & mask];
    }

    long sourceAddress() {
        return sourceAddress[(int) head & mask];
    }

    int msn() {
        return msn[(int) head & mask];
    }

    void removeHead() {
        head++;
    }

    void clear() {
        head = tail;
    }
}
