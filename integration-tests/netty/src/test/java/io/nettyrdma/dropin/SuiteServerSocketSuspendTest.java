// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.ServerSocketSuspendTest;
import java.util.List;
import org.junit.jupiter.api.Tag;

@Tag("dropin")
class SuiteServerSocketSuspendTest extends ServerSocketSuspendTest {

    @Override
    protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
        return Transport.UNDER_TEST.servers();
    }
}
