// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import io.netty.bootstrap.Bootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.DatagramConnectedWriteExceptionTest;
import java.util.List;
import org.junit.jupiter.api.Tag;

@Tag("dropin")
class SuiteDatagramConnectedWriteExceptionTest extends DatagramConnectedWriteExceptionTest {

    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return List.of(Transport.UNDER_TEST::newDatagrams);
    }
}
