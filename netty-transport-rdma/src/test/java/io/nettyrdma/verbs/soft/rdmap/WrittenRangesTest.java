// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WrittenRangesTest {

    private static final int BYTES = 256;

    private final Region region = new RegionTable(new SecureRandom())
            .register(new ProtectionDomain(), ByteBuffer.allocateDirect(8 * 1024 * 1024), 0);

    private void write(int from, int bytes) {
        region.onWritten(region.address() + from, bytes);
    }

    @Test
    void writesInOrderCount() {
        write(0, 10);
        write(10, 5);
        assertThat(region.writtenBytes()).isEqualTo(15);
    }

    @Test
    void whatIsWrittenTwiceCountsOnce() {
        write(0, 10);
        write(5, 3);
        assertThat(region.writtenBytes()).isEqualTo(10);
    }

    @Test
    void nothingBehindAGapCountsUntilTheGapIsWritten() {
        write(20, 10);
        assertThat(region.writtenBytes()).isZero();
        write(0, 10);
        assertThat(region.writtenBytes()).isEqualTo(10);
        write(10, 10);
        assertThat(region.writtenBytes()).isEqualTo(30);
    }

    @Test
    void peerThatWritesBackwardsHasWrittenAllInTheEnd() {
        for (int at = 4 * 1024 * 1024; at > 0; at -= 1024) {
            assertThat(region.writtenBytes()).isZero();
            write(at - 1024, 1024);
        }
        assertThat(region.writtenBytes()).isEqualTo(4 * 1024 * 1024);
    }

    /** What a peer makes this side remember is bounded; more gaps cost that peer its claim. */
    @Test
    void moreGapsThanAreRememberedCountAsNotWritten() {
        for (int i = 1; i <= WrittenRanges.MOST + 1; i++) {
            write(2 * i, 1);
        }
        for (int i = 0; i <= WrittenRanges.MOST + 1; i++) {
            write(2 * i + 1, 1);
        }
        write(0, 1);
        assertThat(region.writtenBytes()).isLessThanOrEqualTo(2 * WrittenRanges.MOST + 2);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void anyOrderGivesThePrefixThatIsWritten(long seed) {
        Random random = new Random(seed);
        BitSet written = new BitSet();
        for (int i = 0; i < 400; i++) {
            int from = random.nextInt(BYTES);
            int bytes = 1 + random.nextInt(Math.min(8, BYTES - from));
            write(from, bytes);
            written.set(from, from + bytes);
            assertThat(region.writtenBytes()).as("seed %d, write %d", seed, i).isEqualTo(written.nextClearBit(0));
        }
    }
}
