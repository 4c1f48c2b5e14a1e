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

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * All memory keys of the device. A key is 32 unpredictable bits, never 0 (RFC 5040, section 8.1.1, rule 8), and its
 * low bits are its place in the table, so that a lookup is one load and one compare of all 32 bits.
 *
 * <p>Threading: lookups from any thread without a lock; changes take the monitor, because growing copies the array and
 * an insertion into the old copy would be lost. Registration is the rare operation of the two.
 * Ownership: the table holds a region from registration to deregistration.
 */
final class KeyTable {

    private static final int INITIAL_CAPACITY = 256;
    private static final int MAX_CAPACITY = 1 << 28;
    private static final int RANDOM_BYTES = 1024;

    private final SecureRandom random;
    // One system call gives the randomness of many registrations.
    private final byte[] entropy = new byte[RANDOM_BYTES];
    private int entropyUsed = RANDOM_BYTES;
    private int size;
    private volatile AtomicReferenceArray<@Nullable SoftMr> table = new AtomicReferenceArray<>(INITIAL_CAPACITY);

    KeyTable(SecureRandom random) {
        this.random = random;
    }

    /** The region registered under {@code key}, valid or not, or {@code null}. */
    @Nullable
    SoftMr lookup(int key) {
        AtomicReferenceArray<@Nullable SoftMr> t = table;
        SoftMr mr = t.get(key & (t.length() - 1));
        return mr != null && mr.key() == key ? mr : null;
    }

    /** A key that nobody has; to be followed by {@link #insert} before the monitor is given up. */
    int freeKey() {
        assert Thread.holdsLock(this);
        AtomicReferenceArray<@Nullable SoftMr> t = table;
        if (size >= t.length() / 2) {
            t = grow();
        }
        // At most half of the slots are taken, so this takes two attempts on average.
        for (; ; ) {
            int key = (int) random(Integer.BYTES);
            if (key != 0 && t.get(key & (t.length() - 1)) == null) {
                return key;
            }
        }
    }

    /** A page-aligned base address of which {@code lengthBytes} octets follow without wrapping. */
    long freeAddress(int lengthBytes) {
        assert Thread.holdsLock(this);
        for (; ; ) {
            long address = random(Long.BYTES) & ~0xfffL;
            if (address != 0 && Long.compareUnsigned(address + lengthBytes, address) >= 0) {
                return address;
            }
        }
    }

    void insert(SoftMr mr) {
        assert Thread.holdsLock(this);
        AtomicReferenceArray<@Nullable SoftMr> t = table;
        t.set(mr.key() & (t.length() - 1), mr);
        size++;
    }

    synchronized boolean remove(SoftMr mr) {
        AtomicReferenceArray<@Nullable SoftMr> t = table;
        boolean removed = t.compareAndSet(mr.key() & (t.length() - 1), mr, null);
        if (removed) {
            size--;
        }
        return removed;
    }

    synchronized int size() {
        return size;
    }

    /** A valid region that holds the range; a search, for the few verbs that take a bare address. */
    @Nullable
    SoftMr find(long address, int lengthBytes) {
        AtomicReferenceArray<@Nullable SoftMr> t = table;
        for (int i = 0; i < t.length(); i++) {
            SoftMr mr = t.get(i);
            if (mr != null && mr.isValid() && mr.contains(address, lengthBytes)) {
                return mr;
            }
        }
        return null;
    }

    private AtomicReferenceArray<@Nullable SoftMr> grow() {
        AtomicReferenceArray<@Nullable SoftMr> old = table;
        if (old.length() >= MAX_CAPACITY) {
            throw new IllegalStateException("too many registered regions: " + size);
        }
        AtomicReferenceArray<@Nullable SoftMr> next = new AtomicReferenceArray<>(old.length() * 2);
        for (int i = 0; i < old.length(); i++) {
            SoftMr mr = old.get(i);
            if (mr != null) {
                // One bit more: keys that had different places still have.
                next.set(mr.key() & (next.length() - 1), mr);
            }
        }
        table = next;
        return next;
    }

    private long random(int bytes) {
        if (entropyUsed + bytes > entropy.length) {
            random.nextBytes(entropy);
            entropyUsed = 0;
        }
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value = value << 8 | entropy[entropyUsed] & 0xff;
            entropy[entropyUsed++] = 0;
        }
        return value;
    }
}
