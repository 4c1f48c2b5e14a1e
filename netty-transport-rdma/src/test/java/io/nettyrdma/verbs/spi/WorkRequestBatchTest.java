// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WorkRequestBatchTest {

    @Test
    void addedRequestStartsClean() {
        WorkRequestBatch ring = new WorkRequestBatch(1);
        ring.add().send(7, 0, 2).remote(0x1234, 99).local(1, 2, 3);
        ring.clear();

        WorkRequest again = ring.add().receive(8);

        assertThat(again.remoteKey()).isZero();
        assertThat(again.remoteAddress()).isZero();
        assertThat(again.lengthBytes()).isZero();
        assertThat(again.opcode()).isEqualTo(-1);
    }

    @Test
    void fullRingRefusesAnotherRequest() {
        WorkRequestBatch ring = new WorkRequestBatch(1);
        ring.add();
        assertThat(ring.isFull()).isTrue();
        assertThatThrownBy(ring::add).isInstanceOf(IllegalStateException.class).hasMessageContaining("full");
    }
}
