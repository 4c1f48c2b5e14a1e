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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvMr;
import io.nettyrdma.conformance.Requirement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Keys, addresses and access checks. */
final class KeyTableTest {

    @Test
    @Requirement("V1-004")
    void keysAreDistinctNeverZeroAndFoundAgainWhileTheTableGrows() throws Exception {
        try (Node node = new Node(SoftProviderConfig.builder().build())) {
            KeyTable keys = node.context.device().keys;
            List<SoftMr> regions = new ArrayList<>();
            Set<Integer> seen = new HashSet<>();
            int topBits = 0;
            for (int i = 0; i < 3000; i++) {
                SoftMr mr = node.register(1, Node.LOCAL);
                regions.add(mr);
                assertThat(mr.key()).isNotZero();
                assertThat(seen.add(mr.key())).isTrue();
                assertThat(mr.getLkey()).isEqualTo(mr.getRkey());
                assertThat(mr.getAddr() & 0xfff).isZero();
                topBits += mr.getAddr() < 0 ? 1 : 0;
            }
            assertThat(topBits).isBetween(1000, 2000);
            for (SoftMr mr : regions) {
                assertThat(keys.lookup(mr.key())).isSameAs(mr);
                assertThat(keys.lookup(mr.key() ^ 0x4000_0000)).isNull();
                mr.deregister();
                assertThat(keys.lookup(mr.key())).isNull();
            }
            assertThat(keys.size()).isZero();
            assertThat(keys.lookup(0)).isNull();
        }
    }

    @Test
    @Requirement("V1-004")
    void keyIsNotZeroEvenIfChanceSaysSo() {
        KeyTable keys = new KeyTable(new CountingRandom(0));
        synchronized (keys) {
            // Two keys of four octets each are 0.
            assertThat(keys.freeKey()).isEqualTo(0x01010101);
        }
    }

    @Test
    void addressIsNotZeroAndItsRegionDoesNotWrap() {
        KeyTable zeros = new KeyTable(new CountingRandom(0));
        synchronized (zeros) {
            assertThat(zeros.freeAddress(1)).isEqualTo(0x0101010101010000L);
        }
        KeyTable ones = new KeyTable(new CountingRandom(-1));
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

    @Test
    @Requirement("V1-139")
    void boundsAreCheckedWithoutOverflow() throws Exception {
        try (Node node = new Node(SoftProviderConfig.builder().build())) {
            SoftMr mr = node.register(100, Node.ALL);
            SoftPd pd = (SoftPd) node.pd;
            long base = mr.getAddr();
            int right = IbvMr.IBV_ACCESS_REMOTE_WRITE;
            assertThat(AccessCheck.check(mr, pd, right, base, 100)).isEqualTo(AccessCheck.OK);
            assertThat(AccessCheck.check(mr, pd, right, base + 100, 0)).isEqualTo(AccessCheck.OK);
            assertThat(AccessCheck.check(mr, pd, right, base + 99, 1)).isEqualTo(AccessCheck.OK);
            assertThat(AccessCheck.check(mr, pd, right, base + 99, 2)).isEqualTo(AccessCheck.OUT_OF_BOUNDS);
            assertThat(AccessCheck.check(mr, pd, right, base - 1, 1)).isEqualTo(AccessCheck.OUT_OF_BOUNDS);
            assertThat(AccessCheck.check(mr, pd, right, base + 101, 0)).isEqualTo(AccessCheck.OUT_OF_BOUNDS);
            assertThat(AccessCheck.check(mr, pd, right, base, 0xffffffffL)).isNotEqualTo(AccessCheck.OK);
            assertThat(AccessCheck.check(mr, pd, right, -1, 2)).isEqualTo(AccessCheck.WRAPS);
            assertThat(AccessCheck.check(mr, pd, right, -1, 1)).isEqualTo(AccessCheck.WRAPS);
            assertThat(AccessCheck.check(null, pd, right, base, 1)).isEqualTo(AccessCheck.INVALID_KEY);
            assertThat(AccessCheck.check(mr, (SoftPd) node.newPd(), right, base, 1))
                    .isEqualTo(AccessCheck.WRONG_PD);
            mr.invalidate();
            assertThat(AccessCheck.check(mr, pd, right, base, 1)).isEqualTo(AccessCheck.INVALID_KEY);
        }
    }

    @Test
    void settersOfDisniDoNotChangeWhatIsChecked() throws Exception {
        try (Node node = new Node(SoftProviderConfig.builder().build())) {
            SoftMr mr = node.register(100, Node.ALL);
            long base = mr.getAddr();
            mr.setAddr(base - 1000);
            mr.setLength(5000);
            mr.setLkey(77);
            assertThat(mr.contains(base - 1, 1)).isFalse();
            assertThat(mr.contains(base, 101)).isFalse();
            assertThat(node.context.device().keys.lookup(mr.key())).isSameAs(mr);
        }
    }

    @Test
    void registersTheWholeCapacityWhateverPositionAndLimit() throws Exception {
        try (Node node = new Node(SoftProviderConfig.builder().build())) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(100).position(10).limit(20);
            SoftMr mr = node.register(buffer, Node.ALL);
            assertThat(mr.getLength()).isEqualTo(100);
            assertThat(mr.contains(mr.getAddr(), 100)).isTrue();
            assertThat(buffer.position()).isEqualTo(10);
        }
    }

    @Test
    void refusesWhatCannotBeRegistered() throws Exception {
        try (Node node = new Node(SoftProviderConfig.builder().build())) {
            assertThatThrownBy(() -> node.register(ByteBuffer.allocate(10), Node.LOCAL))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("heap");
            assertThatThrownBy(() -> node.register(10, IbvMr.IBV_ACCESS_REMOTE_WRITE))
                    .hasMessageContaining("local write");
            assertThatThrownBy(() -> node.register(10, IbvMr.IBV_ACCESS_REMOTE_ATOMIC))
                    .hasMessageContaining("access 0x8");
            assertThatThrownBy(() -> node.register(ByteBuffer.allocateDirect(10).asReadOnlyBuffer(), Node.LOCAL))
                    .hasMessageContaining("read-only");
            assertThatThrownBy(() -> node.pd.regMr(4096L, 10, Node.LOCAL))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("raw addresses");
            node.register(ByteBuffer.allocateDirect(10).asReadOnlyBuffer(), IbvMr.IBV_ACCESS_REMOTE_READ);
        }
    }

    @Test
    void invalidationWaitsForCopiesOfOtherThreads() throws Exception {
        try (Node node = new Node(SoftProviderConfig.builder().build())) {
            for (int round = 0; round < 50; round++) {
                ByteBuffer memory = ByteBuffer.allocateDirect(1 << 16);
                SoftMr mr = node.register(memory, Node.ALL);
                ByteBuffer ones = ByteBuffer.allocateDirect(1 << 16);
                for (int i = 0; i < ones.capacity(); i++) {
                    ones.put(i, (byte) 1);
                }
                AtomicBoolean started = new AtomicBoolean();
                Thread writer = new Thread(() -> {
                    boolean more = true;
                    while (more) {
                        started.set(true);
                        more = mr.write(mr.getAddr(), ones, 0, 1 << 16);
                    }
                });
                writer.start();
                while (!started.get()) {
                    Thread.onSpinWait();
                }
                mr.invalidate();
                for (int i = 0; i < memory.capacity(); i++) {
                    memory.put(i, (byte) 0);
                }
                writer.join(10_000);
                assertThat(writer.isAlive()).isFalse();
                for (int i = 0; i < memory.capacity(); i += 509) {
                    assertThat(memory.get(i)).isZero();
                }
            }
        }
    }
}
