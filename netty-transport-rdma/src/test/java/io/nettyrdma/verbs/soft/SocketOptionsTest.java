// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static java.net.StandardSocketOptions.IP_TOS;
import static java.net.StandardSocketOptions.SO_REUSEADDR;
import static java.net.StandardSocketOptions.TCP_NODELAY;
import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.nio.channels.ServerSocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Options of the TCP sockets below connections, set before and after these exist. */
class SocketOptionsTest {

    private static final int TOS = 0x28;

    private static <T> T optionOf(RdmaCmId id, SocketOption<T> option) throws IOException {
        return ((SoftCmId) id).connection().tcp().channel().getOption(option);
    }

    @Test
    void optionsOfBothSidesCountFromTheBeginning() throws Exception {
        try (Pair pair = new Pair()) {
            RdmaCmId id = pair.a.newId();
            assertThat(pair.a.extensions.setSocketOption(id, IP_TOS, 4)).isTrue();
            assertThat(pair.a.extensions.setSocketOption(id, IP_TOS, TOS)).isTrue();
            assertThat(pair.a.extensions.setSocketOption(id, SO_REUSEADDR, true))
                    .isTrue();
            pair.a.newQp(id, 8);
            pair.a.connect(id, pair.b.localAddress(pair.listener), Pair.DEFAULTS);
            assertThat(optionOf(id, IP_TOS)).isEqualTo(TOS);
            assertThat(optionOf(id, SO_REUSEADDR)).isTrue();

            RdmaCmEvent request = pair.b.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, pair.a);
            RdmaCmId asked = pair.b.own(request.getConnIdPriv());
            assertThat(optionOf(asked, IP_TOS)).isZero();
            pair.b.extensions.setSocketOption(asked, IP_TOS, TOS);
            assertThat(optionOf(asked, IP_TOS)).isEqualTo(TOS);
        }
    }

    @Test
    void optionsChangeWithAConnectedSocket() throws Exception {
        try (Pair pair = new Pair().connect()) {
            for (int tos : new int[] {TOS, 0}) {
                pair.a.extensions.setSocketOption(pair.aId, IP_TOS, tos);
                pair.b.extensions.setSocketOption(pair.bId, IP_TOS, tos);
                assertThat(optionOf(pair.aId, IP_TOS)).isEqualTo(tos);
                assertThat(optionOf(pair.bId, IP_TOS)).isEqualTo(tos);
            }
        }
    }

    @Test
    void connectionOfAnIdThatWasBoundHasItsOptions() throws Exception {
        try (Pair pair = new Pair()) {
            RdmaCmId id = pair.a.newId();
            pair.a.extensions.setSocketOption(id, IP_TOS, TOS);
            pair.a.cm.bindAddr(id, Pair.loopback());
            pair.a.newQp(id, 8);
            pair.a.connect(id, pair.b.localAddress(pair.listener), Pair.DEFAULTS);
            assertThat(optionOf(id, IP_TOS)).isEqualTo(TOS);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void listenerIsBoundWithItsOption(boolean reuse) throws Exception {
        try (Node node = new Node(Node.config().build())) {
            RdmaCmId id = node.newId();
            node.extensions.setSocketOption(id, SO_REUSEADDR, reuse);
            node.cm.bindAddr(id, Pair.loopback());
            assertThat(((SoftCmId) id).listener().socket().getOption(SO_REUSEADDR))
                    .isEqualTo(reuse);
        }
    }

    @Test
    void nothingFailsIfTheSystemRefuses() throws Exception {
        ServerSocketChannel socket = ServerSocketChannel.open();
        try {
            SocketOptions.set(socket, TCP_NODELAY, true); // not an option of it
        } finally {
            socket.close();
        }
        SocketOptions.set(socket, SO_REUSEADDR, true);
    }

    @Test
    void trafficClassOfVersion6FailsNothing() throws Exception {
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getByName("::1"), 0);
        SoftProviderConfig config = Node.config().build();
        try (Pair pair = new Pair(config, config, loopback).connect()) {
            assertThat(pair.a.extensions.setSocketOption(pair.aId, IP_TOS, TOS)).isTrue();
            assertThat(((SoftCmId) pair.aId).reason()).isNull();
        }
    }
}
