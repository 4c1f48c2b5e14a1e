// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketReadPendingTest;
import io.nettyrdma.logs.Logs;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

@Tag("dropin")
class SuiteSocketReadPendingTest extends SocketReadPendingTest {

    /** The server closes with bytes unread. With epoll the client then reads a reset, for which it has no handler. */
    @BeforeEach
    void allowResetOfEpoll() {
        if (Transport.UNDER_TEST.isEpoll()) {
            Logs.allowUnhandledException();
        }
    }

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return Transport.UNDER_TEST.pairs();
    }
}
