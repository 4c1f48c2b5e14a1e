// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.channel.ChannelOption;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.SocketChannelConfig;
import io.nettyrdma.engine.AbstractRdmaChannelConfig;
import io.nettyrdma.engine.OptionTable;
import io.nettyrdma.internal.Ranges;

/**
 * Options of an {@link RdmaSocketChannel}: those of a socket that apply to RDMA, and those of Netty's channels. The
 * guess of the {@link RecvByteBufAllocator} is also the size of the buffers that the peer may write to, at least 16 KiB
 * unless {@link #getReceiveBufferSize()} is too small for that.
 *
 * <p>These have no effect: the write spin count and the messages per write, because {@link #getSendBufferSize()} bounds
 * what one flush takes; {@link #isTcpNoDelay()}; {@code TCP_FASTOPEN_CONNECT} (default false); {@code
 * TCP_KEEPINTVL} (75), {@code TCP_KEEPCNT} (9) and {@code TCP_USER_TIMEOUT} (0).
 *
 * <p>Threading: any thread; credits and buffers before the connection is made, or on the event loop.
 */
@SuppressWarnings("exports") // what it extends is not for programs
public final class RdmaSocketChannelConfig extends AbstractRdmaChannelConfig<RdmaSocketChannelConfig>
        implements SocketChannelConfig {

    private static final int BUFFER_BYTES = 256 * 1024;
    /** With the peer's receive buffer about the bytes that TCP takes on Linux, over the loopback interface. */
    private static final int SEND_BUFFER_BYTES = 15 * 256 * 1024;

    private static final int MIN_CREDITS = 16;
    private static final int MAX_CREDITS = 16_000;
    private static final int MIN_BUFFERS = 2;
    private static final int MAX_BUFFERS = 16;
    private static final int MAX_TRAFFIC_CLASS = 255;
    private static final int MAX_KEEPALIVE_SECONDS = 32_767;
    private static final int MAX_KEEPALIVE_PROBES = 127;

    private static final OptionTable<RdmaSocketChannelConfig> OPTIONS = new OptionTable<RdmaSocketChannelConfig>()
            .add(ChannelOption.SO_RCVBUF, c -> c.getReceiveBufferSize(), (c, v) -> c.setReceiveBufferSize(v))
            .add(ChannelOption.SO_SNDBUF, c -> c.getSendBufferSize(), (c, v) -> c.setSendBufferSize(v))
            .add(ChannelOption.TCP_NODELAY, c -> c.isTcpNoDelay(), (c, v) -> c.setTcpNoDelay(v))
            .add(ChannelOption.SO_KEEPALIVE, c -> c.isKeepAlive(), (c, v) -> c.setKeepAlive(v))
            .add(ChannelOption.SO_REUSEADDR, c -> c.isReuseAddress(), (c, v) -> c.setReuseAddress(v))
            .add(ChannelOption.SO_LINGER, c -> c.getSoLinger(), (c, v) -> c.setSoLinger(v))
            .add(ChannelOption.IP_TOS, c -> c.getTrafficClass(), (c, v) -> c.setTrafficClass(v))
            .add(ChannelOption.ALLOW_HALF_CLOSURE, c -> c.isAllowHalfClosure(), (c, v) -> c.setAllowHalfClosure(v))
            .keep(ChannelOption.TCP_FASTOPEN_CONNECT)
            .add(RdmaSocketChannelOption.RDMA_STREAM_CREDITS, c -> c.streamCredits, (c, v) -> c.setStreamCredits(v))
            .add(RdmaSocketChannelOption.RDMA_STREAM_BUFFERS, c -> c.streamBuffers, (c, v) -> c.setStreamBuffers(v))
            .add(RdmaSocketChannelOption.TCP_KEEPIDLE, c -> c.getTcpKeepIdle(), (c, v) -> c.setTcpKeepIdle(v))
            .keep(RdmaSocketChannelOption.TCP_KEEPINTVL, 75, 1, MAX_KEEPALIVE_SECONDS)
            .alias(RdmaSocketChannelOption.TCP_KEEPINTVL, "TCP_KEEPINTERVAL") // as the JDK calls it
            .keep(RdmaSocketChannelOption.TCP_KEEPCNT, 9, 1, MAX_KEEPALIVE_PROBES)
            .alias(RdmaSocketChannelOption.TCP_KEEPCNT, "TCP_KEEPCOUNT")
            .keep(RdmaSocketChannelOption.TCP_USER_TIMEOUT, 0, 0, Integer.MAX_VALUE);

    private final RdmaSocketChannel socketChannel;
    private volatile int receiveBufferSize = BUFFER_BYTES;
    private volatile int sendBufferSize = SEND_BUFFER_BYTES;
    private volatile boolean tcpNoDelay = true;
    private volatile boolean keepAlive;
    private volatile boolean reuseAddress = true;
    private volatile int soLinger = -1;
    private volatile int trafficClass;
    private volatile boolean allowHalfClosure;
    private volatile int streamCredits = 48;
    private volatile int streamBuffers = 4;
    private volatile int tcpKeepIdle = 7_200;

    RdmaSocketChannelConfig(RdmaSocketChannel channel) {
        super(channel, OPTIONS);
        socketChannel = channel;
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
     * 3,932,160; 1 or more. The buffer holds memory only while it has bytes. It takes at most 65,536 while less than a
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
     * Returns how many seconds a close waits at most until the peer has taken the data. 0: the close does not wait, and
     * resets the connection. Negative: the close does not wait. Default -1. Behind the close the peer still gets the
     * data and the end, as from a TCP socket on Linux: for as long as its host answers, unless the closed connections
     * of the process hold more than an eighth of the direct memory of the JVM.
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

    /**
     * Returns the number of words that the peer may send before it needs a new limit. Default 48; 16 to 16,000. Each
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

    /** Has no effect, as in Java's own sockets. */
    @Override
    public RdmaSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }
}
