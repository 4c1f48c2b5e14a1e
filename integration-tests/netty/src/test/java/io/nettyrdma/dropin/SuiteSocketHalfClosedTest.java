// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import io.nettyrdma.logs.Logs;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

@Tag("dropin")
class SuiteSocketHalfClosedTest extends SocketHalfClosedTest {

    /** One test sets the option on the listener, too. */
    @BeforeEach
    void allowUnknownHalfClosureOfListeners() {
        if (Transport.UNDER_TEST.isEpoll()) {
            Logs.allow(ServerBootstrap.class.getName(), "Unknown channel option 'ALLOW_HALF_CLOSURE'");
        }
    }

    /** See the package: RDMA does not notice that the peer has gone before it has read what came before. */
    @Override
    public void testAutoCloseFalseDoesShutdownOutput(ServerBootstrap server, Bootstrap client) throws Throwable {
        assumeFalse(Transport.UNDER_TEST.isRdma(), "a write after an end that was not read succeeds");
        super.testAutoCloseFalseDoesShutdownOutput(server, client);
    }

    @Override
    @Test
    @Timeout(value = 20_000, unit = TimeUnit.MILLISECONDS)
    public void testAllDataReadEventTriggeredAfterHalfClosure(TestInfo info) throws Throwable {
        assumeFalse(
                Transport.UNDER_TEST.isGuests() || Transport.UNDER_TEST.isRdma(),
                "who reads as NIO hears of no end that was not asked for; for loops of NIO the test does nothing");
        super.testAllDataReadEventTriggeredAfterHalfClosure(info);
    }

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return Transport.UNDER_TEST.pairs();
    }
}
