// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.channel.ChannelOption;

/**
 * Options of {@link RdmaChannel}. The getter of the same name in the channel's
 * configuration describes each, with its default and its cost. Set options that shape the queue pair before the
 * connection is made or accepted: by the bootstrap, by an initializer, or on {@link RdmaPrivateDataEvent}.
 *
 * @param <T> type of the option's value
 */
public final class RdmaChannelOption<T> extends ChannelOption<T> {

    /** Bytes per posted receive: the longest message the peer can send. */
    public static final ChannelOption<Integer> RDMA_RECEIVE_SIZE =
            valueOf(RdmaChannelOption.class, "RDMA_RECEIVE_SIZE");

    /** Number of posted receives: how many messages the peer may send before the first is released. */
    public static final ChannelOption<Integer> RDMA_RECEIVE_COUNT =
            valueOf(RdmaChannelOption.class, "RDMA_RECEIVE_COUNT");

    /** Depth of the send queue: Sends, Writes and Reads outstanding before back-pressure. */
    public static final ChannelOption<Integer> RDMA_SEND_DEPTH = valueOf(RdmaChannelOption.class, "RDMA_SEND_DEPTH");

    /** Longest message this side sends. */
    public static final ChannelOption<Integer> RDMA_MAX_SEND_SIZE =
            valueOf(RdmaChannelOption.class, "RDMA_MAX_SEND_SIZE");

    /** RDMA Reads in flight, offered for both directions. */
    public static final ChannelOption<Integer> RDMA_READS_IN_FLIGHT =
            valueOf(RdmaChannelOption.class, "RDMA_READS_IN_FLIGHT");

    /** How long the peer's next Send may wait for a receive, in milliseconds, before the connection ends. */
    public static final ChannelOption<Integer> RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS =
            valueOf(RdmaChannelOption.class, "RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS");

    /** How long posted requests may make no progress, in milliseconds, before the connection ends. */
    public static final ChannelOption<Integer> RDMA_PROGRESS_TIMEOUT_MILLIS =
            valueOf(RdmaChannelOption.class, "RDMA_PROGRESS_TIMEOUT_MILLIS");

    /** Private data sent with the connection request or reply. */
    public static final ChannelOption<byte[]> RDMA_PRIVATE_DATA = valueOf(RdmaChannelOption.class, "RDMA_PRIVATE_DATA");

    @SuppressWarnings("deprecation")
    private RdmaChannelOption() {
        super(null);
    }
}
