// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultMessageSizeEstimator;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.nettyrdma.socket.RdmaSocketChannelOption;
import java.util.HashMap;
import java.util.Map;

/** Every option of channels of byte streams, with a value that is not its default. */
final class StreamOptionValues {

    private StreamOptionValues() {}

    static Map<ChannelOption<?>, Object> ofStreams() {
        Map<ChannelOption<?>, Object> values = new HashMap<>(ofAnyChannel());
        values.put(ChannelOption.SO_RCVBUF, 10_000);
        values.put(ChannelOption.SO_SNDBUF, 20_000);
        values.put(ChannelOption.TCP_NODELAY, false);
        values.put(ChannelOption.SO_KEEPALIVE, true);
        values.put(ChannelOption.SO_REUSEADDR, false);
        values.put(ChannelOption.SO_LINGER, 3);
        values.put(ChannelOption.IP_TOS, 0x28);
        values.put(ChannelOption.ALLOW_HALF_CLOSURE, true);
        values.put(ChannelOption.TCP_FASTOPEN_CONNECT, true);
        values.put(RdmaSocketChannelOption.RDMA_STREAM_CREDITS, 200);
        values.put(RdmaSocketChannelOption.RDMA_STREAM_BUFFERS, 7);
        values.put(RdmaSocketChannelOption.TCP_KEEPIDLE, 60);
        values.put(RdmaSocketChannelOption.TCP_KEEPINTVL, 10);
        values.put(RdmaSocketChannelOption.TCP_KEEPCNT, 3);
        values.put(RdmaSocketChannelOption.TCP_USER_TIMEOUT, 20_000);
        return values;
    }

    static Map<ChannelOption<?>, Object> ofListeners() {
        Map<ChannelOption<?>, Object> values = new HashMap<>(ofAnyChannel());
        values.put(ChannelOption.SO_BACKLOG, 5);
        values.put(ChannelOption.SO_RCVBUF, 10_000);
        values.put(ChannelOption.SO_REUSEADDR, false);
        values.put(ChannelOption.TCP_FASTOPEN, 3);
        values.put(ChannelOption.ALLOW_HALF_CLOSURE, true);
        return values;
    }

    @SuppressWarnings("deprecation") // options that Netty keeps are options, too
    private static Map<ChannelOption<?>, Object> ofAnyChannel() {
        Map<ChannelOption<?>, Object> values = new HashMap<>();
        values.put(ChannelOption.CONNECT_TIMEOUT_MILLIS, 12_345);
        values.put(ChannelOption.MAX_MESSAGES_PER_READ, 3);
        values.put(ChannelOption.MAX_MESSAGES_PER_WRITE, 5);
        values.put(ChannelOption.WRITE_SPIN_COUNT, 7);
        values.put(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT);
        values.put(ChannelOption.AUTO_READ, false);
        values.put(ChannelOption.AUTO_CLOSE, false);
        values.put(ChannelOption.RCVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(777));
        values.put(ChannelOption.WRITE_BUFFER_HIGH_WATER_MARK, 100_000);
        values.put(ChannelOption.WRITE_BUFFER_LOW_WATER_MARK, 1_000);
        values.put(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(1_000, 2_000));
        values.put(ChannelOption.MESSAGE_SIZE_ESTIMATOR, new DefaultMessageSizeEstimator(9));
        values.put(ChannelOption.SINGLE_EVENTEXECUTOR_PER_GROUP, false);
        return values;
    }
}
