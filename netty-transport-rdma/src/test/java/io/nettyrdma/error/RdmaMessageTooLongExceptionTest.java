// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.error;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RdmaMessageTooLongExceptionTest {

    @Test
    void exceptionCarriesItsNumbers() {
        RdmaMessageTooLongException send = RdmaMessageTooLongException.forSend(65_537, 65_536);
        assertThat(send)
                .hasMessageContaining("65537 bytes exceeds RDMA_MAX_SEND_SIZE=65536; add RdmaFlowControlHandler");
        assertThat(send.lengthBytes()).isEqualTo(65_537);
        assertThat(send.maxBytes()).isEqualTo(65_536);

        RdmaMessageTooLongException inPieces = RdmaMessageTooLongException.forPeer(2_000_000, 1_048_576);
        assertThat(inPieces).hasMessageContaining("2000000 bytes exceeds the 1048576 bytes of the peer's");
        assertThat(inPieces.lengthBytes()).isEqualTo(2_000_000);
        assertThat(inPieces.maxBytes()).isEqualTo(1_048_576);
    }
}
