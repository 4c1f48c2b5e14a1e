// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConnectionParametersTest {

    private final ConnectionParameters parameters = new ConnectionParameters(new byte[] {1, 2}, 128, 16);

    /** InfiniBand and RoCE end a connection with the first packet lost, or missing receive, beyond these. */
    @Test
    void lostPacketsAndMissingReceivesAreRepeatedButNotForEver() {
        assertThat(parameters.getRetry_count()).isEqualTo((byte) 6); // 7 is without end on rxe
        assertThat(parameters.getRnr_retry_count()).isPositive().isLessThan((byte) 7); // 7 is without end
    }

    @Test
    void narrowFieldsHoldWhatFitsForProvidersThatKnowNothingOfTheWideOnes() {
        assertThat(parameters.getResponder_resources()).isEqualTo(Byte.MAX_VALUE);
        assertThat(parameters.responderResources()).isEqualTo(128);
        assertThat(parameters.getInitiator_depth()).isEqualTo((byte) 16);
        assertThat(parameters.getPrivate_data_len()).isEqualTo((byte) 2);
    }
}
