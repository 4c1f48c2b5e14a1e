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
