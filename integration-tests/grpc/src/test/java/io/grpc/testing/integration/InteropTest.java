// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.grpc.testing.integration;

import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import java.net.InetSocketAddress;
import org.junit.runner.RunWith;
import org.junit.runners.JUnit4;

/** In clear text, by the server's address. */
@RunWith(JUnit4.class)
public final class InteropTest extends InteropOverTransport {

    @Override
    NettyServerBuilder secure(NettyServerBuilder builder) {
        return builder;
    }

    @Override
    NettyChannelBuilder newClient(InetSocketAddress server) {
        return NettyChannelBuilder.forAddress(server).usePlaintext();
    }
}
