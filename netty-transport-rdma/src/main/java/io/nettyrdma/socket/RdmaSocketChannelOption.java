// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.channel.ChannelOption;

/**
 * Options of {@link RdmaSocketChannel}, besides those of {@link ChannelOption}. The getter of the same name in the
 * configuration of the channel describes each.
 *
 * @param <T> type of the option's value
 */
public final class RdmaSocketChannelOption<T> extends ChannelOption<T> {

    /** Words that the peer may send before it needs a new limit. */
    public static final ChannelOption<Integer> RDMA_STREAM_CREDITS =
            valueOf(RdmaSocketChannelOption.class, "RDMA_STREAM_CREDITS");

    /** Buffers that each side may have published at once. */
    public static final ChannelOption<Integer> RDMA_STREAM_BUFFERS =
            valueOf(RdmaSocketChannelOption.class, "RDMA_STREAM_BUFFERS");

    /**
     * With SO_KEEPALIVE: seconds after which an idle stream sends an empty Write. The
     * channel also takes the option that epoll, io_uring or the JDK has for this, and for the next three.
     */
    public static final ChannelOption<Integer> TCP_KEEPIDLE = valueOf(RdmaSocketChannelOption.class, "TCP_KEEPIDLE");

    /** No effect, as the RDMA device repeats a Write that is lost. */
    public static final ChannelOption<Integer> TCP_KEEPINTVL = valueOf(RdmaSocketChannelOption.class, "TCP_KEEPINTVL");

    /** No effect, as the RDMA device repeats a Write that is lost. */
    public static final ChannelOption<Integer> TCP_KEEPCNT = valueOf(RdmaSocketChannelOption.class, "TCP_KEEPCNT");

    /** No effect, as the RDMA device decides when a peer is lost. */
    public static final ChannelOption<Integer> TCP_USER_TIMEOUT =
            valueOf(RdmaSocketChannelOption.class, "TCP_USER_TIMEOUT");

    @SuppressWarnings("deprecation")
    private RdmaSocketChannelOption() {
        super(null);
    }
}
