// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelFuture;
import io.nettyrdma.error.RdmaResourceLimitException;
import io.nettyrdma.socket.RdmaSocketChannelOption;
import io.nettyrdma.verbs.ChangedCapabilities;
import io.nettyrdma.verbs.strict.StrictDevice;
import io.nettyrdma.verbs.strict.Trait;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What does not fit a device is refused by the limit and the option that asks for it, before the device is asked. */
@ExtendWith(LeavesNothingOpen.class)
class SmallDeviceTest {

    @ParameterizedTest
    @CsvSource({
        "maxQueueDepth, 16, 17, 'receive queue of 17 requests (RDMA_RECEIVE_COUNT): the device has at most 16'",
        "maxQueueDepth, 18, 19, 'send queue of 19 requests (RDMA_SEND_DEPTH): the device has at most 18'",
        "maxCompletions, 35, 36, 'completion queue of the event loop: 0 of 35 entries in use, 36 more needed'",
    })
    void limitIsNamedWithTheOption(String limit, int most, int needed, String message) throws Exception {
        ChannelPair pair = new ChannelPair(Echo::new, Inbox::new);
        pair.clientBootstrap
                .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 17)
                .option(RdmaChannelOption.RDMA_SEND_DEPTH, 19);
        assertRefused(pair, Map.of(limit, most), needed, message);
    }

    @ParameterizedTest
    @CsvSource({
        "16, 144, 'requests (RDMA_STREAM_CREDITS): the device has at most 16'",
        "255, 256, 'send queue of 256 requests (fixed for byte streams): the device has at most 255'",
    })
    void limitOfAByteStreamIsNamedWithTheOption(int most, int needed, String message) throws Exception {
        StreamPair pair = new StreamPair(TestProvider.tested(), Echo::new, Inbox::new);
        pair.clientBootstrap.option(RdmaSocketChannelOption.RDMA_STREAM_CREDITS, 128);
        assertRefused(pair, Map.of("maxQueueDepth", most), needed, message);
    }

    /** A device may have less than it says; each refused connection would leave its loop one queue more. */
    @Test
    void completionQueueThatTurnsOutTooShortIsFreed() throws Exception {
        StrictDevice device = new StrictDevice(Set.of(Trait.SMALL_COMPLETION_QUEUE), 1);
        try (ChannelPair pair = new ChannelPair(Echo::new, Inbox::new)
                .clientsOver(device.extensions())
                .listen()) {
            pair.clientBootstrap
                    .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 16_384)
                    .option(RdmaChannelOption.RDMA_SEND_DEPTH, 16_384);
            for (int i = 0; i < 3; i++) {
                ChannelFuture refused = pair.clientBootstrap.connect(pair.address());
                assertThat(ChannelPair.done(refused).cause())
                        .isInstanceOf(RdmaResourceLimitException.class)
                        .hasMessageContaining("0 of 32767 entries in use, 32768 more needed");
                assertThat(device.openResources().completionQueues()).isEqualTo(1);
            }
        }
    }

    private static void assertRefused(LoopbackPair<?, ?> made, Map<String, Object> limits, int needed, String message)
            throws Exception {
        try (LoopbackPair<?, ?> pair = made.clientsOver(ChangedCapabilities.over(Rdma.extensions(), limits))
                .listen()) {
            ChannelFuture refused = pair.clientBootstrap.connect(pair.address());

            assertThat(ChannelPair.done(refused).cause())
                    .isInstanceOfSatisfying(RdmaResourceLimitException.class, it -> {
                        assertThat(it).hasMessageContaining(message);
                        assertThat(it.needed()).isEqualTo(needed);
                        assertThat(limits).containsValue((int) it.available());
                    });
            ChannelPair.await(refused.channel().closeFuture(), "close");
        }
    }
}
