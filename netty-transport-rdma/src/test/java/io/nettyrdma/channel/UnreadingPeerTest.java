// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import io.nettyrdma.verbs.soft.ClockedProvider;
import io.nettyrdma.verbs.soft.SilentClient;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import org.junit.jupiter.api.Test;

/**
 * What a peer that sends and does not read makes a channel hold, beside the sum in the javadoc of its configuration.
 */
class UnreadingPeerTest {

    /** More than the kernel keeps for a socket. */
    private static final int WRITTEN_MESSAGES = 16_384;

    /** Registered memory of one connection, posted receives included. */
    private static long registeredBytes(RdmaChannelConfig config) {
        return (long) config.getReceiveCount() * size(config.getReceiveSize())
                + (long) config.getSendDepth() * size(config.getMaxSendSize());
    }

    private static long size(int bytes) {
        return Math.max(256, Integer.highestOneBit(2 * bytes - 1));
    }

    @Test
    void registeredMemoryStaysWithinTheSum() throws Exception {
        ClockedProvider provider =
                new ClockedProvider(SoftProviderConfig.builder().build());
        ByteBuf message = Unpooled.buffer(4_096).writeZero(4_096);
        ChannelPair unread = // its server's inbox takes the peer's end
                new ChannelPair(LoopsOver.newFactory(provider.provider()), 1, Inbox::new, Inbox::new)
                        .option(ChannelOption.AUTO_READ, false);
        try (ChannelPair pair = unread.listen();
                SilentClient peer = SilentClient.connect(pair.address())) {
            RdmaChannel channel = pair.accepted();
            ChannelPair.until(channel::isActive, "the channel is active");
            // Nobody reads the channel, so more than is posted waits.
            peer.send(channel.config().getReceiveCount() + 6, 4_000);
            for (int i = 0; i < WRITTEN_MESSAGES; i++) {
                channel.write(message.retainedDuplicate());
            }
            channel.flush();

            long sum = registeredBytes(channel.config());
            assertThat(sum).as("with the defaults").isEqualTo(256 * 1024 + 512 * 1024);
            long[] peak = new long[1];
            ChannelPair.until(
                    () -> {
                        try {
                            long used = ChannelPair.onLoop(channel, LoopMemory::usedBytes);
                            peak[0] = Math.max(peak[0], used);
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                        return peak[0] >= sum;
                    },
                    "as much registered memory as there may be");
            assertThat(peak[0]).isEqualTo(sum);
            assertThat(channel.isWritable()).isFalse();
        }
        assertThat(provider.provider().openResources()).isEqualTo(SoftProvider.OpenResources.NONE);
        assertThat(message.release()).isTrue();
    }
}
