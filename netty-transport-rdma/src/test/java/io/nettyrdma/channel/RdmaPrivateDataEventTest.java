// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RdmaPrivateDataEventTest {

    @Test
    void octetsGivenMayBeChangedAfterwards() {
        byte[] octets = {1, 2, 3};
        RdmaPrivateDataEvent event = new RdmaPrivateDataEvent(octets);
        octets[0] = 9;
        assertThat(event.data()).containsExactly(1, 2, 3);
    }

    @Test
    void octetsTakenMayBeChangedAndTheNextHandlerSeesThemWhole() {
        RdmaPrivateDataEvent event = new RdmaPrivateDataEvent(new byte[] {1, 2, 3});
        event.data()[0] = 9;
        assertThat(event.data()).containsExactly(1, 2, 3);
    }

    @Test
    void printsItsOctets() {
        assertThat(new RdmaPrivateDataEvent(new byte[] {(byte) 0xf6, (byte) 0xab, 0x0e}))
                .hasToString("RdmaPrivateDataEvent[f6ab0e]");
        assertThat(new RdmaPrivateDataEvent(new byte[0])).hasToString("RdmaPrivateDataEvent[]");
    }

    @Test
    void equalOctetsAreEqualEvents() {
        RdmaPrivateDataEvent event = new RdmaPrivateDataEvent(new byte[] {1, 2});
        assertThat(event)
                .isEqualTo(new RdmaPrivateDataEvent(new byte[] {1, 2}))
                .hasSameHashCodeAs(new RdmaPrivateDataEvent(new byte[] {1, 2}))
                .isNotEqualTo(new RdmaPrivateDataEvent(new byte[] {1, 3}));
    }
}
