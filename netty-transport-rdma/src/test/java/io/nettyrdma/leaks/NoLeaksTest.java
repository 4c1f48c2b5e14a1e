// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.leaks;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NoLeaksTest {

    @Test
    void bufferThatNobodyReleasesIsFound() throws Exception {
        Logs.expect(ResourceLeakDetector.class, "LEAK: ByteBuf.release() was not called");
        leak();
        List<String> found = List.of();
        for (long end = System.nanoTime() + Deadline.DURATION.toNanos();
                found.isEmpty() && System.nanoTime() - end < 0; ) {
            found = LeakRecorder.takeLeaks();
        }
        assertThat(found).singleElement().asString().contains("ByteBuf").contains("NoLeaksTest");
        assertThat(LeakRecorder.takeLeaks()).isEmpty();
    }

    @Test
    void releasedBufferIsNotFound() throws Exception {
        List<ByteBuf> kept = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            kept.add(UnpooledByteBufAllocator.DEFAULT.directBuffer(16));
        }
        kept.forEach(ByteBuf::release);
        kept.clear();
        assertThat(LeakRecorder.takeLeaks()).isEmpty();
    }

    // A frame of its own, so that nothing holds the buffer when the garbage is collected.
    private static void leak() {
        UnpooledByteBufAllocator.DEFAULT.directBuffer(16).writeLong(1);
    }
}
