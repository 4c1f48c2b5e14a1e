// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketConnectTest;
import io.nettyrdma.logs.Logs;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** Some of the tests ask for TCP Fast Open, and Netty warns if a channel does not know the option, as that of NIO. */
@Tag("dropin")
class SuiteSocketConnectTest extends SocketConnectTest {

    @BeforeEach
    void allowUnknownFastOpen() {
        if (!Transport.UNDER_TEST.isRdma()) {
            Logs.allow(
                    ServerBootstrap.class.getName(),
                    "Unknown channel option 'io.netty.channel.ChannelOption#TCP_FASTOPEN'");
            Logs.allow(Bootstrap.class.getName(), "Unknown channel option 'TCP_FASTOPEN_CONNECT'");
        }
    }

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return Transport.UNDER_TEST.pairs();
    }
}
