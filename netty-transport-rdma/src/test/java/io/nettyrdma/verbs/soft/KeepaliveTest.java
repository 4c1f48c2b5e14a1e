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
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;

/** A peer that vanishes while nothing is to be sent is found out by the kernel. */
class KeepaliveTest {

    @Test
    void kernelAsksASilentPeerWhetherItIsThere() throws Exception {
        try (SocketChannel socket = SocketChannel.open()) {
            new TcpSocket(null, socket);
            assertThat(socket.getOption(StandardSocketOptions.SO_KEEPALIVE)).isTrue();
        }
    }

    @Test
    void peerThatVanishesIsFoundOutWithinTwoMinutes() throws Exception {
        try (SocketChannel socket = SocketChannel.open()) {
            assumeTrue(socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE), "needs the options");
            new TcpSocket(null, socket);
            assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(60);
            assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL)).isEqualTo(10);
            assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT)).isEqualTo(6);
        }
    }
}
