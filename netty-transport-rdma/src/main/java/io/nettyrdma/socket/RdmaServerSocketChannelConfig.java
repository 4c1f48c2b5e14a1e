// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.netty.util.NetUtil;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.engine.AbstractRdmaChannelConfig;
import io.nettyrdma.engine.OptionTable;
import io.nettyrdma.internal.Ranges;

/**
 * Options of an {@link RdmaServerSocketChannel}. These have no effect: ALLOW_HALF_CLOSURE, as the accepted channels
 * have an option of that name, and TCP_FASTOPEN (default 0), as a stream carries no bytes before it is connected.
 *
 * <p>Threading: any thread.
 */
@SuppressWarnings("exports") // what it extends is not for programs
public final class RdmaServerSocketChannelConfig extends AbstractRdmaChannelConfig<RdmaServerSocketChannelConfig>
        implements ServerSocketChannelConfig {

    private static final int BUFFER_BYTES = 256 * 1024;

    private static final OptionTable<RdmaServerSocketChannelConfig> OPTIONS = new OptionTable<
                    RdmaServerSocketChannelConfig>()
            .add(ChannelOption.SO_BACKLOG, c -> c.getBacklog(), (c, v) -> c.setBacklog(v))
            .add(ChannelOption.SO_RCVBUF, c -> c.getReceiveBufferSize(), (c, v) -> c.setReceiveBufferSize(v))
            .add(ChannelOption.SO_REUSEADDR, c -> c.isReuseAddress(), (c, v) -> c.setReuseAddress(v))
            .keep(ChannelOption.TCP_FASTOPEN, 0, 0, Integer.MAX_VALUE)
            .keep(ChannelOption.ALLOW_HALF_CLOSURE);

    private volatile int backlog = NetUtil.SOMAXCONN;
    private volatile int receiveBufferSize = BUFFER_BYTES;
    private volatile boolean reuseAddress = true;

    RdmaServerSocketChannelConfig(RdmaServerSocketChannel channel) {
        super(channel, OPTIONS);
    }

    /**
     * Returns the limit of half-open connections, see {@link RdmaServerChannel}. Default {@link NetUtil#SOMAXCONN}, as
     * for NIO. It counts when the channel is bound.
     */
    @Override
    public int getBacklog() {
        return backlog;
    }

    @Override
    public RdmaServerSocketChannelConfig setBacklog(int connections) {
        backlog = Ranges.require("SO_BACKLOG", connections, 1, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Returns the default {@link RdmaSocketChannelConfig#getReceiveBufferSize()} of accepted channels. Default 262,144;
     * 1 or more.
     */
    @Override
    public int getReceiveBufferSize() {
        return receiveBufferSize;
    }

    @Override
    public RdmaServerSocketChannelConfig setReceiveBufferSize(int bytes) {
        receiveBufferSize = Ranges.require("SO_RCVBUF", bytes, 1, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Returns whether the port may be that of connections in TIME_WAIT. The software provider sets this option of its
     * listening socket; with other providers it has no effect. Default true. Set it before the channel is bound.
     */
    @Override
    public boolean isReuseAddress() {
        return reuseAddress;
    }

    @Override
    public RdmaServerSocketChannelConfig setReuseAddress(boolean wanted) {
        reuseAddress = wanted;
        return this;
    }

    /** Has no effect, as in Java's own sockets. */
    @Override
    public RdmaServerSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }
}
