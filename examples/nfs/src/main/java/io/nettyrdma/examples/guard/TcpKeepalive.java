// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import java.net.SocketOption;
import jdk.net.ExtendedSocketOptions;

/**
 * Has the kernel ask silent clients whether they are still there, so that one that vanished does not keep its place
 * among the connections: it ends after {@value #IDLE_SECONDS} s of silence and {@value #PROBES} questions, two minutes
 * in all. RDMA over the software provider does the same by itself.
 */
public final class TcpKeepalive {

    /** Seconds of silence before the first question. */
    public static final int IDLE_SECONDS = 60;

    /** Seconds between questions. */
    public static final int INTERVAL_SECONDS = 10;

    /** Questions without an answer after which the connection ends. */
    public static final int PROBES = 6;

    private TcpKeepalive() {}

    /**
     * For each connection that a listener accepts.
     *
     * @param listener of NIO sockets on a system that knows the options, as Linux does
     * @return the same
     */
    public static ServerBootstrap applyTo(ServerBootstrap listener) {
        return listener.childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(option(ExtendedSocketOptions.TCP_KEEPIDLE), IDLE_SECONDS)
                .childOption(option(ExtendedSocketOptions.TCP_KEEPINTERVAL), INTERVAL_SECONDS)
                .childOption(option(ExtendedSocketOptions.TCP_KEEPCOUNT), PROBES);
    }

    private static ChannelOption<Integer> option(SocketOption<Integer> option) {
        return NioChannelOption.of(option);
    }
}
