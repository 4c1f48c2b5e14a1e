// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.nettyrdma.verbs.spi.VerbsConstants;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A Send that does not fit the receive it finds: both sides learn both sizes, as far as one can know the other's. */
final class MessageTooLongTest {

    @ParameterizedTest(name = "Send of {0}, receive of {1}")
    @CsvSource({
        // in one segment
        "5000, 1000, Send of 5000 octets",
        "1, 0, Send of 1 octets",
        // in two of which the first fits, or does not
        "1500, 1200, Send of 1500 octets",
        "1500, 900, Send of at least 1024 octets",
    })
    void bothSidesLearnTheSizes(int sendBytes, int receiveBytes, String send) throws Exception {
        SoftProviderConfig config = Node.config()
                .fpduPayloadBytes(sendBytes == 1500 ? 1024 : SoftProviderConfig.FPDU_PAYLOAD_BYTES)
                .build();
        try (Pair p = new Pair(config).connect()) {
            SoftMr from = p.a.register(8192, Node.LOCAL);
            SoftMr to = p.b.register(8192, Node.LOCAL);
            p.b.receive(p.bQp, 7, to, 0, receiveBytes);
            p.a.send(p.aQp, 1, 0, from, 0, sendBytes);
            assertThat(p.b.completion(p.a).status()).isEqualTo(VerbsConstants.WC_LOC_LEN_ERR);
            p.b.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.a);
            p.a.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.b);
            assertThat(p.b.reason(p.bId))
                    .isEqualTo("peer's " + send + " does not fit a receive of " + receiveBytes
                            + " (RDMA_RECEIVE_SIZE); sent Terminate DDP/untagged buffer/message too long");
            assertThat(p.a.reason(p.aId))
                    .isEqualTo("peer sent Terminate DDP/untagged buffer/message too long (12 05 c0 00): a " + send
                            + " does not fit its receive (RDMA_RECEIVE_SIZE there, RDMA_MAX_SEND_SIZE here)");
        }
    }
}
