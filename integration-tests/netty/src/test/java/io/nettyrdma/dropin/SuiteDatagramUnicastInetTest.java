// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import io.netty.bootstrap.Bootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.DatagramUnicastInetTest;
import java.util.List;
import org.junit.jupiter.api.Tag;

@Tag("dropin")
class SuiteDatagramUnicastInetTest extends DatagramUnicastInetTest {

    @Override
    protected List<BootstrapComboFactory<Bootstrap, Bootstrap>> newFactories() {
        return Transport.UNDER_TEST.datagramPairs();
    }
}
