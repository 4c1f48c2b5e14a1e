// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.spi.VerbsConstants;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** What a program reads when a connection could not be made. */
class ConnectFailureTest {

    private final ConnectAttempt attempt = new ConnectAttempt(new InetSocketAddress("192.0.2.7", 20049), null, null);

    private Throwable failure(int status, String reason) {
        return attempt.failure(VerbsConstants.CM_ADDR_ERROR, status, new byte[0], reason);
    }

    @Test
    void errorNumberHasANameAndTheAddressIsThere() {
        assertThat(failure(-19, null)).hasMessage("connection to /192.0.2.7:20049 failed: ENODEV: the device is gone");
        assertThat(failure(-999, null)).hasMessage("connection to /192.0.2.7:20049 failed: status -999");
    }

    @Test
    void providerThatSaysNothingIsNotGuessedFrom() {
        assertThat(failure(-1, null)).hasMessage("connection to /192.0.2.7:20049 failed");
        assertThat(failure(-19, "the RDMA device was removed"))
                .hasMessage("connection to /192.0.2.7:20049 failed: the RDMA device was removed");
    }
}
