// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.grpc.testing.integration;

import io.grpc.ServerBuilder;
import io.grpc.netty.InternalNettyChannelBuilder;
import io.grpc.netty.InternalNettyServerBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.nettyrdma.channel.StreamTransport;
import io.nettyrdma.leaks.NoLeaks;
import io.nettyrdma.logs.NoUndeclaredLogs;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.AfterClass;
import org.junit.BeforeClass;

/**
 * gRPC's interoperability suite with a server and a client on the event loops and channels of {@link StreamTransport}.
 * Each test starts a server on a free port of the loopback address and connects one client to it. {@code mvn verify
 * -Pdropin} runs the suite once with NIO as the control and once with RDMA.
 *
 * <p>A program sets {@code channelType}, {@code eventLoopGroup} and their counterparts of the server, as here. The
 * other settings are those that the suite asks for. gRPC's own statistics are off: with them, over any transport, the
 * test {@code censusContextsPropagated} does not find the tag that the suite has set.
 *
 * <p>gRPC needs no datagram channel. It resolves names before it connects: {@code DnsNameResolver} asks
 * {@link InetAddress} on a thread of gRPC, and the bootstrap gets resolved addresses. Netty's resolver over UDP is
 * never used; the event loops of RDMA would refuse its channel. The tests in clear text connect to an address, the
 * tests over TLS to a name.
 *
 * <p>The package is that of the suite, because the method that returns the server's address is package-private.
 */
public abstract class InteropOverTransport extends AbstractInteropTest {

    /** Records leaks and lines of loggers from now on, as in all tests of this project. */
    @BeforeClass
    public static void record() throws InterruptedException {
        noneIsLeft();
    }

    @AfterClass
    public static void noneIsLeft() throws InterruptedException {
        NoLeaks.assertNoLeaks();
        NoUndeclaredLogs.assertNothingUndeclared();
    }

    /** Adds the security of the connections. */
    abstract NettyServerBuilder secure(NettyServerBuilder builder);

    /** Returns a builder for a client of the server, with the security of the connections. */
    abstract NettyChannelBuilder newClient(InetSocketAddress server);

    @Override
    protected final ServerBuilder<?> getServerBuilder() {
        NettyServerBuilder builder =
                NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        InternalNettyServerBuilder.setStatsEnabled(builder, false);
        return secure(builder)
                .channelType(StreamTransport.UNDER_TEST.server())
                .bossEventLoopGroup(StreamTransport.UNDER_TEST.group())
                .workerEventLoopGroup(StreamTransport.UNDER_TEST.group())
                .flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
                .maxInboundMessageSize(MAX_MESSAGE_SIZE)
                .addStreamTracerFactory(createCustomCensusTracerFactory());
    }

    @Override
    protected final NettyChannelBuilder createChannelBuilder() {
        NettyChannelBuilder builder = newClient((InetSocketAddress) getListenAddress());
        InternalNettyChannelBuilder.setStatsEnabled(builder, false);
        return builder.channelType(StreamTransport.UNDER_TEST.client())
                .eventLoopGroup(StreamTransport.UNDER_TEST.group())
                .flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
                .maxInboundMessageSize(MAX_MESSAGE_SIZE)
                .intercept(createCensusStatsClientInterceptor());
    }
}
