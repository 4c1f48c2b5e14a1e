// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import io.netty.bootstrap.Bootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The host that does not answer is on loopback and not on the internet. */
@Tag("dropin")
class SuiteSocketConnectionAttemptTest extends SocketConnectionAttemptTest {

    private static SilentHost host;

    /**
     * The suite reads the properties once per JVM, when its class SocketTestPermutation is initialized. Only the tests
     * of this class make that happen: all others get their bootstraps from {@link Transport}.
     */
    @BeforeAll
    static void openHost() throws IOException {
        host = SilentHost.open(Transport.UNDER_TEST);
        System.setProperty(
                "io.netty.testsuite.badHost", host.address().getAddress().getHostAddress());
        System.setProperty(
                "io.netty.testsuite.badPort", String.valueOf(host.address().getPort()));
    }

    @AfterAll
    static void closeHost() throws IOException {
        host.close();
    }

    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return Transport.UNDER_TEST.clients();
    }
}
