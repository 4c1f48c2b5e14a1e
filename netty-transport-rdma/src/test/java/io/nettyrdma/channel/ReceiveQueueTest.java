// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.error.RdmaResourceLimitException;
import io.nettyrdma.memory.RegisteredMemoryPool;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class ReceiveQueueTest {

    private static final int MIB = 1024 * 1024;

    private final RegisteredMemoryPool pool =
            new RegisteredMemoryPool(null, UnpooledByteBufAllocator.DEFAULT, () -> {});

    @Test
    void memoryThatTheJvmHasNotIsNotAskedFor() {
        int count = (int) (PlatformDependent.maxDirectMemory() / MIB) + 1;

        assertThatThrownBy(() -> queue(count, ReceiveQueue.MAX_ALLOCATION_NANOS))
                .isInstanceOfSatisfying(RdmaResourceLimitException.class, refused -> assertThat(refused.needed())
                        .isEqualTo((long) count * MIB))
                .hasMessageContaining("RDMA_RECEIVE_COUNT " + count + " times RDMA_RECEIVE_SIZE " + MIB)
                .hasMessageContaining("are left");

        assertThat(pool.usedBytes()).isZero();
    }

    /** Netty does not know of direct memory that others have. */
    @Test
    void memoryThatOthersHaveIsMissedWhenItDoesNotCome() {
        ByteBuffer others = ByteBuffer.allocateDirect((int) (PlatformDependent.maxDirectMemory() - 128 * MIB));

        assertThatThrownBy(() -> queue(256, ReceiveQueue.MAX_ALLOCATION_NANOS))
                .isInstanceOf(RdmaResourceLimitException.class)
                .hasMessageContaining("of which ")
                .hasMessageContaining(" came;")
                .hasCauseInstanceOf(OutOfMemoryError.class);

        assertThat(pool.usedBytes()).isZero();
        assertThat(others.capacity()).isPositive(); // until here
    }

    @Test
    void memoryThatComesTooLateIsGivenUpAndGivenBack() {
        assertThatThrownBy(() -> queue(64, 0))
                .isInstanceOf(RdmaResourceLimitException.class)
                .hasMessageContaining("came within 0 s");

        assertThat(pool.usedBytes()).isZero();
        pool.close();
    }

    private ReceiveQueue queue(int count, long maxAllocationNanos) throws RdmaResourceLimitException {
        return new ReceiveQueue(null, pool, count, count, MIB, null, () -> {}, maxAllocationNanos);
    }
}
