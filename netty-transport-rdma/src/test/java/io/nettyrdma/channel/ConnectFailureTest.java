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
