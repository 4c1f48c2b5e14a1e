// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import io.netty.bootstrap.Bootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.WriteBeforeRegisteredTest;
import java.util.List;
import org.junit.jupiter.api.Tag;

@Tag("dropin")
class SuiteWriteBeforeRegisteredTest extends WriteBeforeRegisteredTest {

    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return Transport.UNDER_TEST.clients();
    }
}
