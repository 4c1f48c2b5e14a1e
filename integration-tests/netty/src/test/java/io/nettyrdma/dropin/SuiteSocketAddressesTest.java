// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketAddressesTest;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** An address is one of the internet and has a port, as the suite asserts for NIO. */
@Tag("dropin")
class SuiteSocketAddressesTest extends SocketAddressesTest {

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return Transport.UNDER_TEST.pairs();
    }

    @Override
    protected void assertAddress(SocketAddress address) {
        assertThat(address).isInstanceOfSatisfying(InetSocketAddress.class, inet -> assertThat(inet.getPort())
                .isPositive());
    }
}
