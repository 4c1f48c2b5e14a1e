// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which of the Reads under way a peer's Terminate is about. */
final class OutstandingReadsTest {

    @ParameterizedTest(name = "key {0}, address {1}: {2}")
    @CsvSource({
        "5, 0x100, 10",
        "5, 0x10f, 10", // refused on the way
        "5, 0x110, 11", // behind the first is the second
        "5, 0x11f, 11",
        "5, 0x120, -1",
        "5, 0xff, -1",
        "6, 0x100, -1",
        "7, -16, 12",
        "7, -1, 12", // offsets are unsigned
        "7, 0, -1",
    })
    void sourceTellsTheRead(int key, long address, long position) {
        OutstandingReads reads = new OutstandingReads();
        reads.limit(4);
        reads.add(10, 1, 0, 16, 5, 0x100);
        reads.add(11, 1, 16, 16, 5, 0x110);
        reads.add(12, 1, 32, 16, 7, -16);
        assertThat(reads.find(key, address)).isEqualTo(position);
    }
}
