// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannelConfig;
import io.nettyrdma.engine.OrderlyClose;
import io.nettyrdma.engine.TcpOptions;
import io.nettyrdma.internal.Ranges;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Options of an {@link RdmaSocketChannel}: those of a socket that apply to RDMA, and those of Netty's channels. The
 * guess of the {@link RecvByteBufAllocator} is also the size of the buffers that the peer may write to, at least 16 KiB
 * unless {@link #getReceiveBufferSize()} is too small for that.
 *
 * <p>These have no effect: the write spin count and the messages per write, because {@link #getSendBufferSize()} bounds
 * what one flush takes; {@link #isTcpNoDelay()}; {@link #isTcpFastOpenConnect()}; {@code TCP_KEEPINTVL} (default 75),
 * {@code TCP_KEEPCNT} (9) and {@code TCP_USER_TIMEOUT} (0).
 *
 * <p>Threading: any thread; credits and buffers before the connection is made, or on the event loop.
 */
public final class RdmaSocketChannelConfig extends DefaultChannelConfig implements SocketChannelConfig {

    private static final int BUFFER_BYTES = 256 * 1024;
    /** As a TCP socket has on Linux, over the loopback interface. */
    private static final int SEND_BUFFER_BYTES = 2_626_560;

    private static final int MIN_CREDITS = 16;
    private static final int MAX_CREDITS = 16_000;
    private static final int MIN_BUFFERS = 2;
    private static final int MAX_BUFFERS = 16;
    private static final int MAX_TRAFFIC_CLASS = 255;
    private static final int MAX_KEEPALIVE_SECONDS = 32_767;
    private static final int MAX_KEEPALIVE_PROBES = 127;

    /** Options that each transport declares for itself, by what their names end with. */
    private static final Map<String, ChannelOption<?>> TCP_OPTIONS = Map.of(
            "TCP_KEEPIDLE", RdmaSocketChannelOption.TCP_KEEPIDLE,
            "TCP_KEEPINTVL", RdmaSocketChannelOption.TCP_KEEPINTVL,
            "TCP_KEEPINTERVAL", RdmaSocketChannelOption.TCP_KEEPINTVL, // as the JDK calls it
            "TCP_KEEPCNT", RdmaSocketChannelOption.TCP_KEEPCNT,
            "TCP_KEEPCOUNT", RdmaSocketChannelOption.TCP_KEEPCNT,
            "TCP_USER_TIMEOUT", RdmaSocketChannelOption.TCP_USER_TIMEOUT);

    private final RdmaSocketChannel socketChannel;
    private volatile int receiveBufferSize = BUFFER_BYTES;
    private volatile int sendBufferSize = SEND_BUFFER_BYTES;
    private volatile boolean tcpNoDelay = true;
    private volatile boolean keepAlive;
    private volatile boolean reuseAddress = true;
    private volatile int soLinger = -1;
    private volatile int trafficClass;
    private volatile boolean allowHalfClosure;
    private volatile boolean tcpFastOpenConnect;
    private volatile int streamCredits = 112;
    private volatile int streamBuffers = 4;
    private volatile int tcpKeepIdle = 7_200;
    private volatile int tcpKeepIntvl = 75;
    private volatile int tcpKeepCnt = 9;
    private volatile int tcpUserTimeout;

    RdmaSocketChannelConfig(RdmaSocketChannel channel) {
        super(channel);
        socketChannel = channel;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(),
                ChannelOption.SO_RCVBUF,
                ChannelOption.SO_SNDBUF,
                ChannelOption.TCP_NODELAY,
                ChannelOption.SO_KEEPALIVE,
                ChannelOption.SO_REUSEADDR,
                ChannelOption.SO_LINGER,
                ChannelOption.IP_TOS,
                ChannelOption.ALLOW_HALF_CLOSURE,
                ChannelOption.TCP_FASTOPEN_CONNECT,
                RdmaSocketChannelOption.RDMA_STREAM_CREDITS,
                RdmaSocketChannelOption.RDMA_STREAM_BUFFERS,
                RdmaSocketChannelOption.TCP_KEEPIDLE,
                RdmaSocketChannelOption.TCP_KEEPINTVL,
                RdmaSocketChannelOption.TCP_KEEPCNT,
                RdmaSocketChannelOption.TCP_USER_TIMEOUT);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        if (option == ChannelOption.SO_RCVBUF) {
            return (T) Integer.valueOf(getReceiveBufferSize());
        }
        if (option == ChannelOption.SO_SNDBUF) {
            return (T) Integer.valueOf(getSendBufferSize());
        }
        if (option == ChannelOption.TCP_NODELAY) {
            return (T) Boolean.valueOf(isTcpNoDelay());
        }
        if (option == ChannelOption.SO_KEEPALIVE) {
            return (T) Boolean.valueOf(isKeepAlive());
        }
        if (option == ChannelOption.SO_REUSEADDR) {
            return (T) Boolean.valueOf(isReuseAddress());
        }
        if (option == ChannelOption.SO_LINGER) {
            return (T) Integer.valueOf(getSoLinger());
        }
        if (option == ChannelOption.IP_TOS) {
            return (T) Integer.valueOf(getTrafficClass());
        }
        if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            return (T) Boolean.valueOf(isAllowHalfClosure());
        }
        if (option == ChannelOption.TCP_FASTOPEN_CONNECT) {
            return (T) Boolean.valueOf(isTcpFastOpenConnect());
        }
        if (option == RdmaSocketChannelOption.RDMA_STREAM_CREDITS) {
            return (T) Integer.valueOf(getStreamCredits());
        }
        if (option == RdmaSocketChannelOption.RDMA_STREAM_BUFFERS) {
            return (T) Integer.valueOf(getStreamBuffers());
        }
        ChannelOption<?> known = ofThisTransport(option);
        if (known == RdmaSocketChannelOption.TCP_KEEPIDLE) {
            return (T) Integer.valueOf(getTcpKeepIdle());
        }
        if (known == RdmaSocketChannelOption.TCP_KEEPINTVL) {
            return (T) Integer.valueOf(tcpKeepIntvl);
        }
        if (known == RdmaSocketChannelOption.TCP_KEEPCNT) {
            return (T) Integer.valueOf(tcpKeepCnt);
        }
        if (known == RdmaSocketChannelOption.TCP_USER_TIMEOUT) {
            return (T) Integer.valueOf(tcpUserTimeout);
        }
        return super.getOption(option);
    }

    private static ChannelOption<?> ofThisTransport(ChannelOption<?> option) {
        return TCP_OPTIONS.getOrDefault(TcpOptions.name(option), option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == ChannelOption.SO_RCVBUF) {
            setReceiveBufferSize((Integer) value);
        } else if (option == ChannelOption.SO_SNDBUF) {
            setSendBufferSize((Integer) value);
        } else if (option == ChannelOption.TCP_NODELAY) {
            setTcpNoDelay((Boolean) value);
        } else if (option == ChannelOption.SO_KEEPALIVE) {
            setKeepAlive((Boolean) value);
        } else if (option == ChannelOption.SO_REUSEADDR) {
            setReuseAddress((Boolean) value);
        } else if (option == ChannelOption.SO_LINGER) {
            setSoLinger((Integer) value);
        } else if (option == ChannelOption.IP_TOS) {
            setTrafficClass((Integer) value);
        } else if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            setAllowHalfClosure((Boolean) value);
        } else if (option == ChannelOption.TCP_FASTOPEN_CONNECT) {
            setTcpFastOpenConnect((Boolean) value);
        } else if (option == RdmaSocketChannelOption.RDMA_STREAM_CREDITS) {
            setStreamCredits((Integer) value);
        } else if (option == RdmaSocketChannelOption.RDMA_STREAM_BUFFERS) {
            setStreamBuffers((Integer) value);
        } else {
            return setTcpOption(option, value);
        }
        return true;
    }

    private <T> boolean setTcpOption(ChannelOption<T> option, T value) {
        ChannelOption<?> known = ofThisTransport(option);
        if (known == RdmaSocketChannelOption.TCP_KEEPIDLE) {
            setTcpKeepIdle((Integer) value);
        } else if (known == RdmaSocketChannelOption.TCP_KEEPINTVL) {
            tcpKeepIntvl = Ranges.require("TCP_KEEPINTVL", (Integer) value, 1, MAX_KEEPALIVE_SECONDS);
        } else if (known == RdmaSocketChannelOption.TCP_KEEPCNT) {
            tcpKeepCnt = Ranges.require("TCP_KEEPCNT", (Integer) value, 1, MAX_KEEPALIVE_PROBES);
        } else if (known == RdmaSocketChannelOption.TCP_USER_TIMEOUT) {
            tcpUserTimeout = Ranges.require("TCP_USER_TIMEOUT", (Integer) value, 0, Integer.MAX_VALUE);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    /**
     * Returns the limit in bytes of memory that the peer may write, including bytes not yet read. Default 262,144; 1 or
     * more. A change applies to memory published afterwards.
     */
    @Override
    public int getReceiveBufferSize() {
        return receiveBufferSize;
    }

    @Override
    public RdmaSocketChannelConfig setReceiveBufferSize(int bytes) {
        receiveBufferSize = Ranges.require("SO_RCVBUF", bytes, 1, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Returns how many flushed bytes the stream takes before the peer does. Their promises succeed then. Default
     * 2,626,560; 1 or more. The buffer holds memory only while it has bytes. It takes at most 65,536 while less than a
     * quarter of the direct memory of the JVM is free. A change applies to the next flush.
     */
    @Override
    public int getSendBufferSize() {
        return sendBufferSize;
    }

    @Override
    public RdmaSocketChannelConfig setSendBufferSize(int bytes) {
        sendBufferSize = Ranges.require("SO_SNDBUF", bytes, 1, Integer.MAX_VALUE);
        return this;
    }

    /** Has no effect: each flush is sent at once. Default true. */
    @Override
    public boolean isTcpNoDelay() {
        return tcpNoDelay;
    }

    @Override
    public RdmaSocketChannelConfig setTcpNoDelay(boolean wanted) {
        tcpNoDelay = wanted;
        return this;
    }

    /**
     * Returns whether an idle stream detects a lost peer by sending empty RDMA Writes. It sends one after {@link
     * #getTcpKeepIdle()} seconds without output, or at most a quarter of that time later. The peer's program does not
     * see it. The software provider always uses TCP keepalive, too. Default false. May be changed at any time.
     */
    @Override
    public boolean isKeepAlive() {
        return keepAlive;
    }

    @Override
    public RdmaSocketChannelConfig setKeepAlive(boolean wanted) {
        keepAlive = wanted;
        socketChannel.onKeepaliveChanged();
        return this;
    }

    /**
     * Returns the seconds without output after which a stream sends an empty Write, if {@link #isKeepAlive()}. Default
     * 7,200; 1 to 32,767, as in {@code tcp(7)}. May be changed at any time.
     */
    public int getTcpKeepIdle() {
        return tcpKeepIdle;
    }

    /** Sets {@link #getTcpKeepIdle()}. */
    public RdmaSocketChannelConfig setTcpKeepIdle(int seconds) {
        tcpKeepIdle = Ranges.require("TCP_KEEPIDLE", seconds, 1, MAX_KEEPALIVE_SECONDS);
        socketChannel.onKeepaliveChanged();
        return this;
    }

    /**
     * Returns whether the local port may be that of a connection in TIME_WAIT. The software provider sets this option
     * of its TCP socket; with other providers it has no effect. Default true. Applies to a port bound afterwards.
     */
    @Override
    public boolean isReuseAddress() {
        return reuseAddress;
    }

    @Override
    public RdmaSocketChannelConfig setReuseAddress(boolean wanted) {
        reuseAddress = wanted;
        socketChannel.onSocketOptionChanged();
        return this;
    }

    /**
     * Returns how many seconds a close waits at most for flushed and posted data. 0: the close does not wait, and
     * resets the connection. Negative: at most one second. Default -1. After that time the channel is closed. The peer
     * still gets the data and the end behind it, unless it takes less than 64 KiB of them in 10 seconds; then it sees a
     * reset.
     */
    @Override
    public int getSoLinger() {
        return soLinger;
    }

    @Override
    public RdmaSocketChannelConfig setSoLinger(int seconds) {
        soLinger = seconds;
        return this;
    }

    /**
     * Returns the type of service, or the traffic class of IPv6, of sent packets. The software provider sets this
     * option of its TCP socket, and ignores a system that refuses it. With other providers the option has no effect.
     * Default 0; 0 to 255. May be changed at any time.
     */
    @Override
    public int getTrafficClass() {
        return trafficClass;
    }

    @Override
    public RdmaSocketChannelConfig setTrafficClass(int value) {
        trafficClass = Ranges.require("IP_TOS", value, 0, MAX_TRAFFIC_CLASS);
        socketChannel.onSocketOptionChanged();
        return this;
    }

    @Override
    public boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    @Override
    public RdmaSocketChannelConfig setAllowHalfClosure(boolean allowed) {
        allowHalfClosure = allowed;
        return this;
    }

    /** Has no effect: data written before the connection is made is sent by the first flush after that. */
    public boolean isTcpFastOpenConnect() {
        return tcpFastOpenConnect;
    }

    /** Sets {@link #isTcpFastOpenConnect()}. */
    public RdmaSocketChannelConfig setTcpFastOpenConnect(boolean wanted) {
        tcpFastOpenConnect = wanted;
        return this;
    }

    /**
     * Returns the number of words that the peer may send before it needs a new limit. Default 112; 16 to 16,000. Each
     * costs 4 bytes of registered memory and about 40 bytes of heap. Once the queue pair exists, the setter throws
     * {@link IllegalStateException}.
     */
    public int getStreamCredits() {
        return streamCredits;
    }

    /** Sets {@link #getStreamCredits()}. */
    public RdmaSocketChannelConfig setStreamCredits(int credits) {
        streamCredits = shaping("RDMA_STREAM_CREDITS", credits, MIN_CREDITS, MAX_CREDITS);
        return this;
    }

    /**
     * Returns the number of buffers that each side may have published at once; the lower number of both sides applies.
     * Default 4; 2 to 16. Fixed once the queue pair exists, as {@link #getStreamCredits()}.
     */
    public int getStreamBuffers() {
        return streamBuffers;
    }

    /** Sets {@link #getStreamBuffers()}. */
    public RdmaSocketChannelConfig setStreamBuffers(int buffers) {
        streamBuffers = shaping("RDMA_STREAM_BUFFERS", buffers, MIN_BUFFERS, MAX_BUFFERS);
        return this;
    }

    long closeMillis() {
        int seconds = soLinger;
        return seconds < 0 ? OrderlyClose.FLUSH_MILLIS : TimeUnit.SECONDS.toMillis(seconds);
    }

    private int shaping(String name, int value, int min, int max) {
        if (socketChannel.hasQueuePair()) {
            throw new IllegalStateException(
                    name + " cannot change once the queue pair exists; set it as an option of the"
                            + " bootstrap, or in the channel's initializer");
        }
        return Ranges.require(name, value, min, max);
    }

    @Override
    protected void autoReadCleared() {
        socketChannel.clearRead();
    }

    /** Has no effect, as in Java's own sockets. */
    @Override
    public RdmaSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    @Deprecated
    public RdmaSocketChannelConfig setMaxMessagesPerRead(int maxMessagesPerRead) {
        super.setMaxMessagesPerRead(maxMessagesPerRead);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setWriteSpinCount(int writeSpinCount) {
        super.setWriteSpinCount(writeSpinCount);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setAutoClose(boolean autoClose) {
        super.setAutoClose(autoClose);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }
}
