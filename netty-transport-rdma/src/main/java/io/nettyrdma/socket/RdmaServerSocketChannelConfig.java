// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.netty.util.NetUtil;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.internal.Ranges;
import java.util.Map;

/**
 * Options of an {@link RdmaServerSocketChannel}. ALLOW_HALF_CLOSURE has no effect: the accepted channels have an option
 * of that name.
 *
 * <p>Threading: any thread.
 */
public final class RdmaServerSocketChannelConfig extends DefaultChannelConfig implements ServerSocketChannelConfig {

    private static final int BUFFER_BYTES = 256 * 1024;

    private final RdmaServerSocketChannel serverChannel;
    private volatile int backlog = NetUtil.SOMAXCONN;
    private volatile int receiveBufferSize = BUFFER_BYTES;
    private volatile boolean reuseAddress = true;
    private volatile int tcpFastOpen;
    private volatile boolean allowHalfClosure;

    RdmaServerSocketChannelConfig(RdmaServerSocketChannel channel) {
        super(channel);
        serverChannel = channel;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(),
                ChannelOption.SO_BACKLOG,
                ChannelOption.SO_RCVBUF,
                ChannelOption.SO_REUSEADDR,
                ChannelOption.TCP_FASTOPEN,
                ChannelOption.ALLOW_HALF_CLOSURE);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        if (option == ChannelOption.SO_BACKLOG) {
            return (T) Integer.valueOf(getBacklog());
        }
        if (option == ChannelOption.SO_RCVBUF) {
            return (T) Integer.valueOf(getReceiveBufferSize());
        }
        if (option == ChannelOption.SO_REUSEADDR) {
            return (T) Boolean.valueOf(isReuseAddress());
        }
        if (option == ChannelOption.TCP_FASTOPEN) {
            return (T) Integer.valueOf(getTcpFastOpen());
        }
        if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            return (T) Boolean.valueOf(allowHalfClosure);
        }
        return super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == ChannelOption.SO_BACKLOG) {
            setBacklog((Integer) value);
        } else if (option == ChannelOption.SO_RCVBUF) {
            setReceiveBufferSize((Integer) value);
        } else if (option == ChannelOption.SO_REUSEADDR) {
            setReuseAddress((Boolean) value);
        } else if (option == ChannelOption.TCP_FASTOPEN) {
            setTcpFastOpen((Integer) value);
        } else if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            allowHalfClosure = (Boolean) value; // no effect: it is the accepted channels that have two directions
        } else {
            return super.setOption(option, value);
        }
        return true;
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

    /** Has no effect: a stream over RDMA carries no bytes before it is connected. Default 0. */
    public int getTcpFastOpen() {
        return tcpFastOpen;
    }

    /** Sets {@link #getTcpFastOpen()}. */
    public RdmaServerSocketChannelConfig setTcpFastOpen(int requests) {
        tcpFastOpen = Ranges.require("TCP_FASTOPEN", requests, 0, Integer.MAX_VALUE);
        return this;
    }

    @Override
    protected void autoReadCleared() {
        serverChannel.clearRead();
    }

    /** Has no effect, as in Java's own sockets. */
    @Override
    public RdmaServerSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    @Deprecated
    public RdmaServerSocketChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setWriteBufferHighWaterMark(int bytes) {
        super.setWriteBufferHighWaterMark(bytes);
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setWriteBufferLowWaterMark(int bytes) {
        super.setWriteBufferLowWaterMark(bytes);
        return this;
    }
}
