/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.channel;

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
