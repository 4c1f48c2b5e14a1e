// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

import io.nettyrdma.verbs.disni.DisniProviderFactory;
import io.nettyrdma.verbs.ffm.NativeProviderFactory;
import io.nettyrdma.verbs.soft.SoftProviderFactory;
import io.nettyrdma.verbs.spi.RdmaProviderFactory;

/**
 * Netty channels over RDMA, and the verbs below them. Programs use {@link io.nettyrdma.channel}; providers implement
 * {@link io.nettyrdma.verbs.spi}.
 */
@SuppressWarnings("module") // one package is exported to a module that is built after this one
module io.nettyrdma.transport {
    requires transitive disni;
    requires transitive io.netty.buffer;
    requires transitive io.netty.common;
    requires transitive io.netty.transport;
    requires static micrometer.core; // meters, for programs that have it
    requires static transitive org.jspecify;

    exports io.nettyrdma.channel;
    exports io.nettyrdma.flow;
    exports io.nettyrdma.metrics;
    exports io.nettyrdma.socket;
    exports io.nettyrdma.error;
    exports io.nettyrdma.verbs;
    exports io.nettyrdma.verbs.spi;
    exports io.nettyrdma.internal to
            io.nettyrdma.rpc;

    uses RdmaProviderFactory;

    // As META-INF/services has it for the class path.
    provides RdmaProviderFactory with
            NativeProviderFactory,
            DisniProviderFactory,
            SoftProviderFactory;
}
