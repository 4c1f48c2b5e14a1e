// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each read() of the program is followed by a message, or by another read. */
class DeliveriesTest {

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final Deliveries deliveries = new Deliveries();

    DeliveriesTest() {
        channel.config().setAutoRead(false);
    }

    @AfterEach
    void end() {
        channel.finishAndReleaseAll();
    }

    @Test
    void batchOfWhichTheProgramGetsNothingIsFollowedByARead() {
        deliveries.onReceived();
        assertThat(deliveries.readAgain(channel)).isTrue();
        assertThat(deliveries.readAgain(channel)).as("the same batch").isFalse();
    }

    @Test
    void batchOfWhichTheProgramGetsAMessageIsNot() {
        deliveries.onReceived();
        deliveries.onHandedOn();
        deliveries.onReceived();
        assertThat(deliveries.readAgain(channel)).isFalse();
    }

    @Test
    void messageThatIsDroppedAfterAllCountsAsKept() {
        deliveries.onReceived();
        deliveries.onHandedOn();
        assertThat(deliveries.readAgainForDropped(channel))
                .as("the batch ends later")
                .isFalse();
        assertThat(deliveries.readAgain(channel)).isTrue();
    }

    /** As a call whose chunks come after the batch. */
    @Test
    void messageThatIsDroppedBehindItsBatchIsFollowedByAReadAtOnce() {
        deliveries.onReceived();
        deliveries.onHandedOn();
        deliveries.readAgain(channel);
        deliveries.onHandedOn();
        assertThat(deliveries.readAgainForDropped(channel)).isTrue();
    }

    @Test
    void channelThatReadsByItselfNeedsNoOtherRead() {
        channel.config().setAutoRead(true);
        deliveries.onReceived();
        assertThat(deliveries.readAgain(channel)).isFalse();
        assertThat(deliveries.readAgainForDropped(channel)).isFalse();
    }
}
