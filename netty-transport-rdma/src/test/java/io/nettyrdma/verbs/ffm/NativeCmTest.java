// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** What a program reads when a call of the connection manager fails. */
class NativeCmTest {

    private static final InetSocketAddress PEER = new InetSocketAddress("192.0.2.7", 20049);

    @Test
    void refusedConnectNamesThePeer() {
        assertThat(NativeCm.asJavaHasIt(new NativeFailure("rdma_connect", VerbsLibrary.ECONNREFUSED), PEER))
                .isInstanceOf(ConnectException.class)
                .hasMessage("Connection refused: /192.0.2.7:20049");
        assertThat(NativeCm.asJavaHasIt(new NativeFailure("rdma_bind_addr", VerbsLibrary.EADDRINUSE), null))
                .isInstanceOf(BindException.class)
                .hasMessage("rdma_bind_addr");
    }

    @Test
    void failureWithALoopbackAddressSaysWhatToDo() {
        NativeFailure noRoute = new NativeFailure("rdma_resolve_route", 19);
        assertThat(NativeCm.advised(noRoute, new InetSocketAddress("127.0.0.1", 7471)))
                .hasMessage("rdma_resolve_route; no device serves the loopback address: take an address of the"
                        + " device's interface, or -Dio.nettyrdma.provider=soft");
        assertThat(NativeCm.advised(noRoute, PEER)).isSameAs(noRoute);
        assertThat(NativeCm.advised(noRoute, null)).isSameAs(noRoute);
    }
}
