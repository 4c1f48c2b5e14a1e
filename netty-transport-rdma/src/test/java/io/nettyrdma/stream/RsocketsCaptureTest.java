// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.soft.captures.CapturedConnection;
import io.nettyrdma.verbs.soft.captures.TcpCapture;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Both directions of connections between rstream of librdmacm 44 over siw and a first prototype of a byte stream in
 * Java, without a rest: pieces of 5 octets, then of 64. All rules of {@link CapturedStream} hold.
 */
class RsocketsCaptureTest {

    @Test
    void bothDirectionsAreUnderstoodWithoutARest() throws Exception {
        List<CapturedConnection> connections =
                TcpCapture.connections(RsocketsCaptureTest.class, "/captures/rsockets-siw.pcap.gz");
        assertThat(connections).isNotEmpty();
        for (CapturedConnection connection : connections) {
            CapturedStream stream = CapturedStream.of(connection);
            for (CapturedStream.Direction direction : List.of(stream.forth(), stream.back())) {
                assertThat(direction.dataWords()).isPositive();
                assertThat(direction.publishedBuffers()).isGreaterThan(1);
            }
            // The capture ends after 120 frames, inside the second connection; the first one is an echo to its end.
            if (connection == connections.get(0)) {
                assertThat(stream.forth().dataBytes()).isEqualTo(31);
                assertThat(stream.back().dataBytes()).isEqualTo(31);
                assertThat(stream.forth().isDisconnected()).isTrue();
            }
        }
    }
}
