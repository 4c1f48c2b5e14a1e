// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Keys, addresses and access checks. */
final class RegionTableTest {

    private final RegionTable regions = new RegionTable(new SecureRandom());
    private final ProtectionDomain domain = new ProtectionDomain();

    private Region register(int bytes, int rights) {
        return regions.register(domain, ByteBuffer.allocateDirect(bytes), rights);
    }

    @Test
    @Requirement("V1-004")
    void keysAreDistinctNeverZeroAndFoundAgainWhileTheTableGrows() {
        List<Region> registered = new ArrayList<>();
        Set<Integer> seen = new HashSet<>();
        int topBits = 0;
        for (int i = 0; i < 3000; i++) {
            Region region = register(1, Core.LOCAL);
            registered.add(region);
            assertThat(region.key()).isNotZero();
            assertThat(seen.add(region.key())).isTrue();
            assertThat(region.address() & 0xfff).isZero();
            topBits += region.address() < 0 ? 1 : 0;
        }
        assertThat(topBits).isBetween(1000, 2000);
        assertThat(domain.members()).isEqualTo(3000);
        for (Region region : registered) {
            assertThat(regions.lookup(region.key())).isSameAs(region);
            assertThat(regions.lookup(region.key() ^ 0x4000_0000)).isNull();
            assertThat(regions.deregister(region)).isTrue();
            assertThat(regions.deregister(region)).isFalse();
            assertThat(regions.lookup(region.key())).isNull();
        }
        assertThat(regions.size()).isZero();
        assertThat(domain.members()).isZero();
        assertThat(regions.lookup(0)).isNull();
    }

    @Test
    @Requirement("V1-004")
    void keyIsNotZeroEvenIfChanceSaysSo() {
        RegionTable keys = new RegionTable(new CountingRandom(0));
        synchronized (keys) {
            // Two keys of four octets each are 0.
            assertThat(keys.freeKey()).isEqualTo(0x01010101);
        }
    }

    @Test
    void addressIsNotZeroAndItsRegionDoesNotWrap() {
        RegionTable zeros = new RegionTable(new CountingRandom(0));
        synchronized (zeros) {
            assertThat(zeros.freeAddress(1)).isEqualTo(0x0101010101010000L);
        }
        RegionTable ones = new RegionTable(new CountingRandom(-1));
        synchronized (ones) {
            // The first one has a page left in front of 2^64, and 0 is none.
            assertThat(ones.freeAddress(0x1001)).isEqualTo(0x0101010101010000L);
        }
    }

    /** Eight octets of one value, of the next, and so on. */
    private static final class CountingRandom extends SecureRandom {
        private static final long serialVersionUID = 1L;

        private final int first;

        CountingRandom(int first) {
            this.first = first;
        }

        @Override
        public void nextBytes(byte[] octets) {
            for (int i = 0; i < octets.length; i++) {
                octets[i] = (byte) (first + i / Long.BYTES);
            }
        }
    }

    private AccessCheck write(Region region, long address, long length) {
        return regions.check(domain, VerbsConstants.ACCESS_REMOTE_WRITE, region.key(), address, length);
    }

    @Test
    @Requirement({"V1-139", "V2-160"})
    void boundsAreCheckedWithoutOverflow() {
        Region region = register(100, Core.ALL);
        long base = region.address();
        assertThat(write(region, base, 100)).isEqualTo(AccessCheck.OK);
        assertThat(write(region, base + 100, 0)).isEqualTo(AccessCheck.OK);
        assertThat(write(region, base + 99, 1)).isEqualTo(AccessCheck.OK);
        assertThat(write(region, base + 99, 2)).isEqualTo(AccessCheck.OUT_OF_BOUNDS);
        assertThat(write(region, base - 1, 1)).isEqualTo(AccessCheck.OUT_OF_BOUNDS);
        assertThat(write(region, base + 101, 0)).isEqualTo(AccessCheck.OUT_OF_BOUNDS);
        assertThat(write(region, base, 0xffffffffL)).isNotEqualTo(AccessCheck.OK);
        assertThat(write(region, -1, 2)).isEqualTo(AccessCheck.WRAPS);
        assertThat(write(region, -1, 1)).isEqualTo(AccessCheck.WRAPS);
    }

    @Test
    void keyDomainAndRightsAreCheckedInThisOrder() {
        Region region = register(100, VerbsConstants.ACCESS_REMOTE_READ);
        int key = region.key();
        long base = region.address();
        ProtectionDomain other = new ProtectionDomain();
        int right = VerbsConstants.ACCESS_REMOTE_WRITE;
        assertThat(regions.check(other, right, key ^ 0x100, base, 101)).isEqualTo(AccessCheck.INVALID_KEY);
        assertThat(regions.check(other, right, key, base, 101)).isEqualTo(AccessCheck.WRONG_PD);
        assertThat(regions.check(domain, right, key, base, 101)).isEqualTo(AccessCheck.NO_RIGHT);
        assertThat(regions.check(domain, AccessCheck.LOCAL_READ, key, base, 101))
                .isEqualTo(AccessCheck.OUT_OF_BOUNDS);
        region.invalidate();
        assertThat(regions.check(other, right, key, base, 1)).isEqualTo(AccessCheck.INVALID_KEY);
    }

    @Test
    void octetsArePlacedAndFetchedOnlyIfAllowed() {
        Region region = register(100, VerbsConstants.ACCESS_LOCAL_WRITE | VerbsConstants.ACCESS_REMOTE_WRITE);
        int key = region.key();
        long at = region.address() + 10;
        ByteBuffer octets = ByteBuffer.wrap(new byte[] {1, 2, 3, 4});
        ByteBuffer out = ByteBuffer.allocate(8);
        int writing = VerbsConstants.ACCESS_REMOTE_WRITE;
        int reading = VerbsConstants.ACCESS_REMOTE_READ;
        assertThat(regions.place(domain, writing, key, at, octets, 1, 3)).isEqualTo(AccessCheck.OK);
        assertThat(octets.position()).isZero();
        assertThat(regions.fetch(domain, AccessCheck.LOCAL_READ, key, at - 1, 5, out))
                .isEqualTo(AccessCheck.OK);
        assertThat(out.position()).isEqualTo(5);
        assertThat(out.array()).containsExactly(0, 2, 3, 4, 0, 0, 0, 0);
        assertThat(regions.fetch(domain, reading, key, at, 1, out)).isEqualTo(AccessCheck.NO_RIGHT);
        assertThat(regions.place(domain, writing, key, at + 90, octets, 0, 1)).isEqualTo(AccessCheck.OUT_OF_BOUNDS);
        region.invalidate();
        assertThat(regions.place(domain, writing, key, at, octets, 0, 4)).isEqualTo(AccessCheck.INVALID_KEY);
        assertThat(regions.fetch(domain, AccessCheck.LOCAL_READ, key, at, 1, out))
                .isEqualTo(AccessCheck.INVALID_KEY);
        assertThat(out.position()).isEqualTo(5);
    }

    @Test
    void peerInvalidatesOnlyWhatIsExposedToIt() {
        Region exposed = register(1, VerbsConstants.ACCESS_REMOTE_READ);
        Region local = register(1, Core.LOCAL);
        assertThat(regions.invalidate(new ProtectionDomain(), exposed.key())).isFalse();
        assertThat(regions.invalidate(domain, exposed.key() ^ 0x100)).isFalse();
        assertThat(regions.invalidate(domain, local.key())).isFalse();
        assertThat(exposed.isValid() && local.isValid()).isTrue();
        assertThat(regions.invalidate(domain, exposed.key())).isTrue();
        assertThat(exposed.isValid()).isFalse();
        assertThat(regions.invalidate(domain, exposed.key())).isTrue();
    }

    @Test
    void invalidationWaitsForCopiesOfOtherThreads() throws Exception {
        for (int round = 0; round < 50; round++) {
            ByteBuffer memory = ByteBuffer.allocateDirect(1 << 16);
            Region region = regions.register(domain, memory, Core.ALL);
            ByteBuffer ones = ByteBuffer.allocateDirect(1 << 16);
            for (int i = 0; i < ones.capacity(); i++) {
                ones.put(i, (byte) 1);
            }
            AtomicBoolean started = new AtomicBoolean();
            Thread writer = new Thread(() -> {
                boolean more = true;
                while (more) {
                    started.set(true);
                    more = region.write(region.address(), ones, 0, 1 << 16);
                }
            });
            writer.start();
            while (!started.get()) {
                Thread.onSpinWait();
            }
            region.invalidate();
            for (int i = 0; i < memory.capacity(); i++) {
                memory.put(i, (byte) 0);
            }
            writer.join(Deadline.MILLIS);
            assertThat(writer.isAlive()).isFalse();
            for (int i = 0; i < memory.capacity(); i += 509) {
                assertThat(memory.get(i)).isZero();
            }
        }
    }
}
