// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/**
 * RPC-over-RDMA: programs add the handlers of {@link io.nettyrdma.rpc} to their pipelines; the other packages
 * have the types that these take and return.
 */
module io.nettyrdma.rpc {
    requires transitive io.netty.buffer;
    requires transitive io.netty.codec;
    requires transitive io.netty.common;
    requires transitive io.netty.transport;
    requires transitive io.nettyrdma.transport;
    requires static jdk.jfr; // events, where the JVM has Flight Recorder
    requires static micrometer.core; // meters, for programs that have it
    requires static transitive org.jspecify;

    exports io.nettyrdma.rpc;
    exports io.nettyrdma.rpc.authentication;
    exports io.nettyrdma.rpc.binding;
    exports io.nettyrdma.rpc.error;
    exports io.nettyrdma.rpc.message;
    exports io.nettyrdma.rpc.metrics;
    exports io.nettyrdma.rpc.observe;
    exports io.nettyrdma.rpc.wire;
}
