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
 * RDMA Reads of this side whose responses are awaited, in the order of their requests, which is the order of the
 * responses (RFC 5040, section 5.5).
 *
 * <p>Threading: confined to the thread of the event channel.
 */
final class OutstandingReads {

    private int limit;
    private long[] position = new long[0];
    private int[] sinkKey = new int[0];
    private long[] sinkAddress = new long[0];
    private int[] bytes = new int[0];
    private int[] sourceKey = new int[0];
    private long[] sourceAddress = new long[0];
    private int mask;
    private long head;
    private long tail;
    private int placedBytes;
    private long broughtOctets;

    /** Sets the negotiated ORD. */
    void limit(int ord) {
        limit = ord;
    }

    int limit() {
        return limit;
    }

    boolean isEmpty() {
        return head == tail;
    }

    boolean isFull() {
        return tail - head >= limit; // V1-020
    }

    /** Adds the Read at {@code sendPosition} of the send queue. */
    void add(long sendPosition, int toKey, long toAddress, int byteCount, int fromKey, long fromAddress) {
        if (position.length == 0) {
            allocate();
        }
        int i = (int) tail++ & mask;
        position[i] = sendPosition;
        sinkKey[i] = toKey;
        sinkAddress[i] = toAddress;
        bytes[i] = byteCount;
        sourceKey[i] = fromKey;
        sourceAddress[i] = fromAddress;
    }

    // Most connections never read, so they pay nothing.
    private void allocate() {
        int capacity = SendRing.ceilingPowerOfTwo(limit);
        mask = capacity - 1;
        position = new long[capacity];
        sinkKey = new int[capacity];
        sinkAddress = new long[capacity];
        bytes = new int[capacity];
        sourceKey = new int[capacity];
        sourceAddress = new long[capacity];
    }

    /** Position in the send queue of the oldest Read; so are the following. */
    long position() {
        return position[(int) head & mask];
    }

    int sinkKey() {
        return sinkKey[(int) head & mask];
    }

    long sinkAddress() {
        return sinkAddress[(int) head & mask];
    }

    int bytes() {
        return bytes[(int) head & mask];
    }

    /** Octets of its response that are placed. */
    int placedBytes() {
        return placedBytes;
    }

    void placed(int byteCount) {
        placedBytes += byteCount;
        broughtOctets += byteCount;
    }

    /** Octets of all responses so far. */
    long broughtOctets() {
        return broughtOctets;
    }

    void removeHead() {
        head++;
        placedBytes = 0;
    }

    /**
     * Position in the send queue of the Read that a peer refused, or -1. The source in the peer's Terminate may be
     * where the transfer had got to, so anything inside the Read counts.
     */
    long find(int fromKey, long fromAddress) {
        for (long p = head; p != tail; p++) {
            int i = (int) p & mask;
            if (sourceKey[i] == fromKey && Long.compareUnsigned(fromAddress - sourceAddress[i], bytes[i]) < 0) {
                return position[i];
            }
        }
        return -1;
    }

    void clear() {
        head = tail;
        placedBytes = 0;
    }
}
