// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.nettyrdma.error.RdmaProgressTimeoutException;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A peer that stops reading cannot hold what was sent to it for ever. */
class StuckPeerTest {

    private static final int BYTES = 131_072;
    private static final int MESSAGES = 400; // more than the send queue and TCP take

    static {
        Rdma.ensureAvailability(); // DiSNI's objects ask for an installed provider, whichever they belong to
    }

    private final SoftProvider provider = new SoftProvider(
            SoftProviderConfig.builder().receiverNotReadyTimeoutMillis(600_000).build());
    private final Inbox client = new Inbox();
    private final ChannelPair pair = new ChannelPair(LoopsOver.newFactory(provider), 1, Inbox::new, () -> client);

    @AfterEach
    void end() {
        pair.close();
        assertThat(provider.openResources()).isEqualTo(SoftProvider.OpenResources.NONE);
    }

    @Test
    void connectionWhoseOctetsDoNotMoveEndsByName() throws Exception {
        pair.option(RdmaChannelOption.RDMA_RECEIVE_SIZE, BYTES);
        pair.serverBootstrap
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, 1);
        pair.clientBootstrap.option(RdmaChannelOption.RDMA_PROGRESS_TIMEOUT_MILLIS, 400);
        RdmaChannel channel = pair.connect();
        List<ByteBuf> buffers = new ArrayList<>();
        ChannelFuture last = null;
        for (int i = 0; i < MESSAGES; i++) {
            buffers.add(Unpooled.directBuffer(BYTES).writeZero(BYTES));
            last = channel.write(buffers.get(i));
        }
        channel.flush();

        Throwable failure = client.nextFailure();
        assertThat(failure)
                .isInstanceOf(RdmaProgressTimeoutException.class)
                .hasMessageContaining("RDMA_PROGRESS_TIMEOUT_MILLIS=400")
                .returns(Duration.ofMillis(400), it -> ((RdmaProgressTimeoutException) it).timeout())
                .hasMessageContaining(pair.address().toString());
        client.awaitInactive();
        ChannelFuture lost = last;
        assertThatThrownBy(() -> ChannelPair.await(lost, "write"))
                .cause()
                .isInstanceOf(RdmaProgressTimeoutException.class);
        ChannelPair.until(() -> buffers.stream().allMatch(buffer -> buffer.refCnt() == 0), "every buffer is released");
    }
}
