/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.channel;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import java.util.Map;

/**
 * Configuration of an {@link RdmaChannel}. The options that shape the queue pair take effect when the connection is
 * made or accepted and cannot be changed afterwards.
 *
 * <p>Threading: set before the connection is made, or on the event loop; read from any thread.
 */
public final class RdmaChannelConfig extends DefaultChannelConfig {

    /** Private data per direction that every provider and the Linux driver {@code siw} can carry, in octets. */
    public static final int MAX_PRIVATE_DATA_BYTES = 251;

    private static final int MAX_DEPTH = 16_384;
    private static final int MAX_READS = 128;
    private static final int RECEIVE_SIZE = 4096;
    private static final int SAME_AS_RECEIVE_SIZE = 0;
    private static final byte[] NONE = {};

    private final RdmaChannel rdmaChannel;
    private volatile int receiveSize = RECEIVE_SIZE;
    private volatile int receiveCount = 64;
    private volatile int sendDepth = 128;
    private volatile int maxSendSize = SAME_AS_RECEIVE_SIZE;
    private volatile int readsInFlight = MAX_READS;
    private volatile byte[] privateData = NONE;

    RdmaChannelConfig(RdmaChannel channel) {
        // Messages have the size they have: there is nothing to predict.
        super(channel, new FixedRecvByteBufAllocator(RECEIVE_SIZE));
        rdmaChannel = channel;
        setMessageSizeEstimator(RdmaMessageSizeEstimator.INSTANCE);
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(),
                RdmaChannelOption.RDMA_RECEIVE_SIZE,
                RdmaChannelOption.RDMA_RECEIVE_COUNT,
                RdmaChannelOption.RDMA_SEND_DEPTH,
                RdmaChannelOption.RDMA_MAX_SEND_SIZE,
                RdmaChannelOption.RDMA_READS_IN_FLIGHT,
                RdmaChannelOption.RDMA_PRIVATE_DATA);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        if (option == RdmaChannelOption.RDMA_RECEIVE_SIZE) {
            return (T) Integer.valueOf(getReceiveSize());
        }
        if (option == RdmaChannelOption.RDMA_RECEIVE_COUNT) {
            return (T) Integer.valueOf(getReceiveCount());
        }
        if (option == RdmaChannelOption.RDMA_SEND_DEPTH) {
            return (T) Integer.valueOf(getSendDepth());
        }
        if (option == RdmaChannelOption.RDMA_MAX_SEND_SIZE) {
            return (T) Integer.valueOf(getMaxSendSize());
        }
        if (option == RdmaChannelOption.RDMA_READS_IN_FLIGHT) {
            return (T) Integer.valueOf(getReadsInFlight());
        }
        if (option == RdmaChannelOption.RDMA_PRIVATE_DATA) {
            return (T) getPrivateData();
        }
        return super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == RdmaChannelOption.RDMA_RECEIVE_SIZE) {
            setReceiveSize((Integer) value);
        } else if (option == RdmaChannelOption.RDMA_RECEIVE_COUNT) {
            setReceiveCount((Integer) value);
        } else if (option == RdmaChannelOption.RDMA_SEND_DEPTH) {
            setSendDepth((Integer) value);
        } else if (option == RdmaChannelOption.RDMA_MAX_SEND_SIZE) {
            setMaxSendSize((Integer) value);
        } else if (option == RdmaChannelOption.RDMA_READS_IN_FLIGHT) {
            setReadsInFlight((Integer) value);
        } else if (option == RdmaChannelOption.RDMA_PRIVATE_DATA) {
            setPrivateData((byte[]) value);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    /**
     * Octets per posted receive, which is the longest message the peer can send: a longer one ends the connection.
     * Default 4,096; 1 to 16 MiB. Costs the next power of two times {@link #getReceiveCount()} of direct memory per
     * connection.
     */
    public int getReceiveSize() {
        return receiveSize;
    }

    /** Sets {@link #getReceiveSize()}. */
    public RdmaChannelConfig setReceiveSize(int bytes) {
        receiveSize = shaping("RDMA_RECEIVE_SIZE", bytes, 1, RegisteredMemoryPool.MAX_SLOT_BYTES);
        return this;
    }

    /**
     * How many messages the peer may have unanswered, which is the number of posted receives. What is granted is posted,
     * whatever handlers keep: before anything is sent, a slot that a handler has not released is replaced by another, up
     * to as many again, and messages beyond that are copied. So the slots of a connection cost at most twice the receive
     * count times the receive size. A peer that sends more than is posted loses its connection (with the software
     * provider after its receiver-not-ready time): the protocol above has to keep count. Default 64; 1 to 16,384.
     */
    public int getReceiveCount() {
        return receiveCount;
    }

    /** Sets {@link #getReceiveCount()}. */
    public RdmaChannelConfig setReceiveCount(int count) {
        receiveCount = shaping("RDMA_RECEIVE_COUNT", count, 1, MAX_DEPTH);
        return this;
    }

    /**
     * Sends, Writes and Reads posted at once; further ones wait in the channel. Default 128; 1 to 16,384. Costs about
     * 100 octets each.
     */
    public int getSendDepth() {
        return sendDepth;
    }

    /** Sets {@link #getSendDepth()}. */
    public RdmaChannelConfig setSendDepth(int depth) {
        sendDepth = shaping("RDMA_SEND_DEPTH", depth, 1, MAX_DEPTH);
        return this;
    }

    /**
     * Longest Send in octets; writing a longer message fails with {@link RdmaMessageTooLongException}. It has to match
     * the peer's receive size, which verbs do not tell; protocols such as RPC-over-RDMA agree on it by private data. May
     * be changed at any time. Default: the own {@link #getReceiveSize()}, which is right when both sides are configured
     * alike.
     */
    public int getMaxSendSize() {
        int size = maxSendSize;
        return size == SAME_AS_RECEIVE_SIZE ? receiveSize : size;
    }

    /** Sets {@link #getMaxSendSize()}. */
    public RdmaChannelConfig setMaxSendSize(int bytes) {
        maxSendSize = check("RDMA_MAX_SEND_SIZE", bytes, 1, RegisteredMemoryPool.MAX_SLOT_BYTES);
        return this;
    }

    /**
     * RDMA Reads that may be in flight, offered to the peer for both directions (IRD and ORD). Further Reads wait in the
     * send queue. Default 128; 0 to 128, and best a power of two: Linux rounds it up.
     */
    public int getReadsInFlight() {
        return readsInFlight;
    }

    /** Sets {@link #getReadsInFlight()}. */
    public RdmaChannelConfig setReadsInFlight(int count) {
        readsInFlight = shaping("RDMA_READS_IN_FLIGHT", count, 0, MAX_READS);
        return this;
    }

    /** Octets for the peer that travel with the connection request or reply. Default none; at most 251. */
    public byte[] getPrivateData() {
        return privateData.clone();
    }

    /** Sets {@link #getPrivateData()}; the array is copied. */
    public RdmaChannelConfig setPrivateData(byte[] data) {
        shaping("RDMA_PRIVATE_DATA length", data.length, 0, MAX_PRIVATE_DATA_BYTES);
        privateData = data.clone();
        return this;
    }

    @Override
    protected void autoReadCleared() {
        rdmaChannel.clearRead();
    }

    private int shaping(String name, int value, int min, int max) {
        if (rdmaChannel.hasQueuePair()) {
            throw new IllegalStateException(name + " cannot change once the queue pair exists");
        }
        return check(name, value, min, max);
    }

    private static int check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + " to " + max + ')');
        }
        return value;
    }

    @Override
    public RdmaChannelConfig setConnectTimeoutMillis(int connectTimeoutMillis) {
        super.setConnectTimeoutMillis(connectTimeoutMillis);
        return this;
    }

    @Override
    public RdmaChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public RdmaChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    public RdmaChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public RdmaChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark writeBufferWaterMark) {
        super.setWriteBufferWaterMark(writeBufferWaterMark);
        return this;
    }
}
