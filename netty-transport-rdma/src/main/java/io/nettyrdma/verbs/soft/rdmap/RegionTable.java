// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * All registered memory of the device, by its key, and the one place where octets go into registered memory or come out
 * of it: a region is looked up, the access checked (see {@link AccessCheck}), and the octets copied, in that order. A
 * key is 32 unpredictable bits, never 0 (RFC 5040, section 8.1.1, rule 8), and its low bits are its place in the table,
 * so that a lookup is one load and one compare of all 32 bits.
 *
 * <p>Threading: lookups and copies from any thread without a lock; changes take the monitor, because growing copies the
 * array and an insertion into the old copy would be lost. Registration is the rare operation of the two.
 * Ownership: the table holds a region from registration to deregistration.
 */
public final class RegionTable {

    private static final int INITIAL_CAPACITY = 256;
    private static final int MAX_CAPACITY = 1 << 28;
    private static final int RANDOM_BYTES = 1024;

    private final SecureRandom random;
    // One system call gives the randomness of many registrations.
    private final byte[] entropy = new byte[RANDOM_BYTES];
    private int entropyUsed = RANDOM_BYTES;
    private int size;
    private volatile AtomicReferenceArray<@Nullable Region> table = new AtomicReferenceArray<>(INITIAL_CAPACITY);

    /** An empty table, whose keys and addresses {@code random} makes up. */
    public RegionTable(SecureRandom random) {
        this.random = random;
    }

    /** The region registered under {@code key}, valid or not, or {@code null}. */
    @Nullable
    Region lookup(int key) {
        AtomicReferenceArray<@Nullable Region> t = table;
        Region region = t.get(key & (t.length() - 1));
        return region != null && region.key() == key ? region : null;
    }

    /** Returns an unused key. Call {@link #insert} before the monitor is given up. */
    int freeKey() {
        assert Thread.holdsLock(this);
        AtomicReferenceArray<@Nullable Region> t = table;
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

    void insert(Region region) {
        assert Thread.holdsLock(this);
        AtomicReferenceArray<@Nullable Region> t = table;
        t.set(region.key() & (t.length() - 1), region);
        size++;
        region.domain().enter();
    }

    /**
     * Registers the whole capacity of a buffer, whatever its position and limit.
     *
     * @param rights sum of {@code VerbsConstants.ACCESS_*}
     * @throws IllegalStateException if there are too many regions
     */
    public synchronized Region register(ProtectionDomain domain, ByteBuffer memory, int rights) {
        Region region = new Region(domain, memory, rights, freeKey(), freeAddress(memory.capacity()));
        insert(region);
        return region;
    }

    /** Invalidates a region for good and gives its key back; false if that was done before. */
    public boolean deregister(Region region) {
        region.invalidate();
        if (!remove(region)) {
            return false;
        }
        region.domain().leave();
        return true;
    }

    private synchronized boolean remove(Region region) {
        AtomicReferenceArray<@Nullable Region> t = table;
        boolean removed = t.compareAndSet(region.key() & (t.length() - 1), region, null);
        if (removed) {
            size--;
        }
        return removed;
    }

    /** Registered regions, valid or not. */
    public synchronized int size() {
        return size;
    }

    // ---------------------------------------------------------------- access

    /**
     * Places octets in registered memory, if they may go there.
     *
     * @param right one of {@code VerbsConstants.ACCESS_*}
     * @param from  holds the octets at {@code at}, whatever its position
     * @return what is wrong; then nothing was placed
     */
    AccessCheck place(
            ProtectionDomain domain, int right, int key, long address, ByteBuffer from, int at, int lengthBytes) {
        Region region = lookup(key);
        AccessCheck outcome = AccessCheck.check(region, domain, right, address, lengthBytes);
        if (region == null || outcome != AccessCheck.OK) {
            return outcome;
        }
        if (!region.write(address, from, at, lengthBytes)) {
            return AccessCheck.INVALID_KEY;
        }
        if (right == VerbsConstants.ACCESS_REMOTE_WRITE) {
            region.onWritten(address, lengthBytes);
        }
        return AccessCheck.OK;
    }

    /**
     * Fetches octets from registered memory, if they may be had.
     *
     * @param right as for {@link #check}
     * @param to    takes the octets at its position, which moves behind them
     * @return what is wrong; then nothing was fetched
     */
    AccessCheck fetch(ProtectionDomain domain, int right, int key, long address, int lengthBytes, ByteBuffer to) {
        Region region = lookup(key);
        AccessCheck outcome = AccessCheck.check(region, domain, right, address, lengthBytes);
        if (region == null || outcome != AccessCheck.OK) {
            return outcome;
        }
        return region.read(address, lengthBytes, to) ? AccessCheck.OK : AccessCheck.INVALID_KEY;
    }

    /**
     * Whether octets could be placed or fetched now.
     *
     * @param right one of {@code VerbsConstants.ACCESS_*}, or {@link AccessCheck#LOCAL_READ}
     */
    AccessCheck check(ProtectionDomain domain, int right, int key, long address, long lengthBytes) {
        return AccessCheck.check(lookup(key), domain, right, address, lengthBytes);
    }

    /**
     * Invalidates a region for the peer; false if it is not the peer's to invalidate. Only memory that was exposed to
     * the peer is: the key of a local region is on the wire too, as the sink of a Read (RFC 5040, sections 5.3 and
     * 8.1.1, rule 7). An invalid one stays so.
     */
    boolean invalidate(ProtectionDomain domain, int key) {
        Region region = lookup(key);
        if (region == null || region.domain() != domain || !region.isExposed()) {
            return false;
        }
        region.invalidate();
        return true;
    }

    private AtomicReferenceArray<@Nullable Region> grow() {
        AtomicReferenceArray<@Nullable Region> old = table;
        if (old.length() >= MAX_CAPACITY) {
            throw new IllegalStateException("too many registered regions: " + size);
        }
        AtomicReferenceArray<@Nullable Region> next = new AtomicReferenceArray<>(old.length() * 2);
        for (int i = 0; i < old.length(); i++) {
            Region region = old.get(i);
            if (region != null) {
                // One bit more: keys that had different places still have.
                next.set(region.key() & (next.length() - 1), region);
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
