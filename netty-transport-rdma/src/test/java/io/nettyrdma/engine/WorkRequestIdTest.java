// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** io_uring incubator #194: a completion of a closed channel reached the next channel with the same number. */
class WorkRequestIdTest {

    @Test
    void everyPartComesBackWhateverTheOthersAre() {
        int[] registrations = {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x55555555};
        int[] slots = {0, 1, 4095, Integer.MAX_VALUE};
        for (int registration : registrations) {
            for (int operation : new int[] {WorkRequestId.RECEIVE, WorkRequestId.SEND}) {
                for (int slot : slots) {
                    long id = WorkRequestId.of(registration, operation, slot);
                    assertThat(WorkRequestId.registration(id)).isEqualTo(registration);
                    assertThat(WorkRequestId.operation(id)).isEqualTo(operation);
                    assertThat(WorkRequestId.slot(id)).isEqualTo(slot);
                }
            }
        }
    }
}
