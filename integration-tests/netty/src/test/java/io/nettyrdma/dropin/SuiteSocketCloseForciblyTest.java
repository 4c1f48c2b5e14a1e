// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketCloseForciblyTest;
import io.nettyrdma.logs.Logs;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** The client has no handler for the reset, if it reads it as an exception. */
@Tag("dropin")
class SuiteSocketCloseForciblyTest extends SocketCloseForciblyTest {

    @BeforeEach
    void allowReset() {
        Logs.allowUnhandledException();
    }

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return Transport.UNDER_TEST.pairs();
    }
}
