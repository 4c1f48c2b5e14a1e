// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaProvider;
import com.sun.management.ThreadMXBean;
import io.nettyrdma.verbs.soft.SoftProvider;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The receives that are posted when a connection ends: the provider flushes all of them, each time. */
@ExtendWith(LeavesNothingOpen.class)
final class FlushedReceivesTest {

    private static final int RECEIVES = 4_096;

    /** An exception with its stack trace has more. */
    private static final int BYTES_EACH = 64;

    private static final int WARM_UP = 2;

    @Test
    void endOfAConnectionMakesNoExceptionForEachReceive() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (ChannelPair pair = new ChannelPair(TestProvider.SOFT, Inbox::new, Inbox::new)
                .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, RECEIVES)
                .option(RdmaChannelOption.RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS, 0) // posts all at once
                .option(RdmaChannelOption.RDMA_RECEIVE_SIZE, 16)) {
            SoftProvider provider = (SoftProvider) RdmaProvider.provider();
            long allocatedBytes = 0;
            for (int i = 0; i <= WARM_UP; i++) {
                RdmaChannel channel = pair.connect();
                long loop =
                        ChannelPair.onLoop(channel, () -> Thread.currentThread().getId());
                long before = threads.getThreadAllocatedBytes(loop);
                ChannelPair.await(channel.close(), "close");
                ChannelPair.until(() -> provider.openResources().queuePairs() == 0, "the end of both queue pairs");
                allocatedBytes = threads.getThreadAllocatedBytes(loop) - before;
            }
            assertThat(allocatedBytes).isBetween(1L, (long) BYTES_EACH * RECEIVES);
        }
    }
}
