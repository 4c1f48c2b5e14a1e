// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketAutoReadTest;
import java.net.SocketAddress;
import java.util.List;
import org.junit.jupiter.api.Tag;

@Tag("dropin")
class SuiteDomainSocketAutoReadTest extends SocketAutoReadTest {

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return Transport.UNDER_TEST.domainPairs();
    }

    @Override
    protected SocketAddress newSocketAddress() {
        return Transport.newDomainAddress();
    }
}
