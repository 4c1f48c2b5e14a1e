// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.rpc.error.ConnectionLostException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;

class PeerTextTest {

    @Test
    void lostConnectionHasTheReasonForWhichItWasLost() {
        assertThat(PeerText.reason(new ConnectionLostException(1, new IOException("Read beyond a chunk"))))
                .isEqualTo("Read beyond a chunk");
        assertThat(PeerText.reason(new ConnectionLostException(1, null))).contains("connection lost");
    }

    @Test
    void closedConnectionIsNoNameOfAClass() {
        assertThat(PeerText.reason(new ClosedChannelException())).isEqualTo("the connection was closed");
    }

    @Test
    void failureThatSaysNothingIsNamed() {
        assertThat(PeerText.reason(new IllegalStateException())).isEqualTo("java.lang.IllegalStateException");
        assertThat(PeerText.reason(new IllegalStateException("why"))).isEqualTo("why");
    }
}
