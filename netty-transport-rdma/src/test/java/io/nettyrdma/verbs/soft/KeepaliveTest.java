// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
