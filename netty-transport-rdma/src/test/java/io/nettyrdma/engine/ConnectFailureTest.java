// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import org.junit.jupiter.api.Test;

/** What a program reads when a connection could not be made. */
class ConnectFailureTest {

    private final ConnectAttempt attempt = new ConnectAttempt(
            new InetSocketAddress("192.0.2.7", 20049), null, null, cause -> new IOException("annotated", cause));

    private Throwable failure(int status, String reason) {
        return attempt.failure(VerbsConstants.CM_ADDR_ERROR, status, new byte[0], reason);
    }

    @Test
    void errorNumberHasANameAndTheAddressIsThere() {
        assertThat(failure(-19, null)).hasMessage("connection to /192.0.2.7:20049 failed: ENODEV: the device is gone");
        assertThat(failure(-999, null)).hasMessage("connection to /192.0.2.7:20049 failed: status -999");
    }

    private Throwable rejection(byte[] privateData, String reason) {
        return attempt.failure(VerbsConstants.CM_REJECTED, VerbsConstants.ECONNRESET, privateData, reason);
    }

    @Test
    void rejectionWithoutAReasonNamesUsualCauses() {
        String advised = "the peer rejected the connection: /192.0.2.7:20049; its log may say why, for example that"
                + " only one of the two sides is a byte stream (RdmaSocketChannel, RdmaServerSocketChannel) or has"
                + " flow control (RdmaFlowControlHandler), or that the initializer of the peer's channel failed";
        for (byte[] privateData : new byte[][] {{}, {1, 2}}) {
            assertThat(rejection(privateData, "peer rejected the connection")).hasMessage(advised);
            assertThat(rejection(privateData, null)).hasMessage(advised);
            assertThat(rejection(privateData, "backlog full"))
                    .hasMessage("the peer rejected the connection: /192.0.2.7:20049 (backlog full)");
        }
    }

    @Test
    void refusedLocalAddressIsNamed() {
        ChannelPromise promise = new DefaultChannelPromise(new EmbeddedChannel());
        new ConnectAttempt(attempt.remote(), new InetSocketAddress("192.0.2.1", 0), promise, cause -> cause)
                .fail(new BindException("Cannot assign requested address"));
        assertThat(promise.cause())
                .isInstanceOf(BindException.class)
                .hasMessage("Cannot assign requested address: /192.0.2.1:0");
    }

    @Test
    void providerThatSaysNothingIsNotGuessedFrom() {
        assertThat(failure(-1, null)).hasMessage("connection to /192.0.2.7:20049 failed");
        assertThat(failure(-19, "the RDMA device was removed"))
                .hasMessage("connection to /192.0.2.7:20049 failed: the RDMA device was removed");
    }

    @Test
    void systemsOwnFailuresAreAnnotatedAsNettysAre() {
        assertThat(attempt.failure(VerbsConstants.CM_REJECTED, VerbsConstants.ECONNREFUSED, new byte[0], null))
                .hasMessage("annotated")
                .cause()
                .isInstanceOf(ConnectException.class)
                .hasMessage("Connection refused");
        assertThat(attempt.failure(
                        VerbsConstants.CM_UNREACHABLE,
                        VerbsConstants.ENETUNREACH,
                        new byte[0],
                        "Network is unreachable"))
                .hasMessage("annotated")
                .cause()
                .isInstanceOf(NoRouteToHostException.class)
                .hasMessage("Network is unreachable");
        assertThat(attempt.failure(VerbsConstants.CM_UNREACHABLE, VerbsConstants.ETIMEDOUT, new byte[0], null))
                .isInstanceOf(ConnectTimeoutException.class)
                .hasMessage("connection timed out: /192.0.2.7:20049");
    }
}
