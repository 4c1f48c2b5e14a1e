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
import io.nettyrdma.internal.Ranges;
import io.nettyrdma.verbs.ConnectionParameters;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.VerbsConstants;
import java.util.Map;

/**
 * Configuration of an {@link RdmaChannel}. The options that shape the queue pair take effect when the connection is
 * made or accepted and cannot be changed afterwards.
 *
 * <p><b>Memory per connection.</b> Whatever its peer does, and however long it does not read, a connection holds at
 * most the sum of the following. Registered memory comes in powers of two, of 256 octets or more; {@code size} stands
 * for one of these.
 *
 * <ul>
 *   <li>Receives: {@code size(}{@link #getReceiveSize() RDMA_RECEIVE_SIZE}{@code )} x {@link #getReceiveCount()
 *       RDMA_RECEIVE_COUNT}, 256 KiB with the defaults, posted or received and not read; and as much again for what
 *       handlers keep. Messages beyond that are copied into memory of the channel's allocator.
 *   <li>Requests under way: {@link #getSendDepth() RDMA_SEND_DEPTH} x {@code size(}{@link #getMaxSendSize()
 *       RDMA_MAX_SEND_SIZE}{@code )} of copies, 512 KiB with the defaults, for messages that are not in registered
 *       memory already: those of {@link RdmaByteBufAllocator} need none, and longer ones than 64 KiB (32 KiB with the
 *       software provider) in one direct buffer are registered where they are.
 *   <li>What the application has written and the peer has not taken: its own buffers. {@link
 *       io.netty.channel.Channel#isWritable()} turns false at the high {@link WriteBufferWaterMark}, 64 KiB unless set;
 *       who goes on writing bounds it by other means.
 *   <li>About 100 octets of heap for each of RDMA_SEND_DEPTH and {@link #getReadsInFlight() RDMA_READS_IN_FLIGHT}, and
 *       40 for each of RDMA_SEND_DEPTH + RDMA_RECEIVE_COUNT in the completion queue: 33 KiB with the defaults.
 *   <li>With the software provider: its {@code stagingBytes}, 256 KiB unless set, of octets that TCP does not take, and
 *       as much of received ones that wait for a receive ({@link #getReceiverNotReadyTimeoutMillis()}); of an
 *       unfinished FPDU at most 128 KiB instead. While a Terminate is put behind them, three times the former and none
 *       of the latter. The data of RDMA Reads that the peer does not take waits where it is.
 * </ul>
 *
 * <p>With the defaults that is 1.5 MiB besides what the application has written. A connection that is not accepted yet
 * has none of it: what it costs stands at {@code SO_BACKLOG} of {@link RdmaServerChannel}.
 *
 * <p>Threading: set before the connection is made, or on the event loop; read from any thread.
 */
public final class RdmaChannelConfig extends DefaultChannelConfig {

    /** Private data per direction that every provider and the Linux driver {@code siw} can carry, in octets. */
    public static final int MAX_PRIVATE_DATA_BYTES = VerbsConstants.MAX_PRIVATE_DATA_BYTES;

    private static final int MAX_DEPTH = 16_384;
    private static final int MAX_READS = 128;
    private static final int RECEIVE_SIZE = 4096;
    private static final int SAME_AS_RECEIVE_SIZE = 0;
    private static final byte[] NONE = {};

    private final RdmaChannel rdmaChannel;
    private final ConnectionTerms terms = new Terms();
    private volatile int receiveSize = RECEIVE_SIZE;
    private volatile int receiveCount = 64;
    private volatile int sendDepth = 128;
    private volatile int maxSendSize = SAME_AS_RECEIVE_SIZE;
    private volatile int readsInFlight = MAX_READS;
    private volatile int receiverNotReadyTimeoutMillis = ConnectionParameters.PROVIDERS_TIMEOUT;
    private volatile int progressTimeoutMillis = 60_000;
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
                RdmaChannelOption.RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS,
                RdmaChannelOption.RDMA_PROGRESS_TIMEOUT_MILLIS,
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
        if (option == RdmaChannelOption.RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS) {
            return (T) Integer.valueOf(getReceiverNotReadyTimeoutMillis());
        }
        if (option == RdmaChannelOption.RDMA_PROGRESS_TIMEOUT_MILLIS) {
            return (T) Integer.valueOf(getProgressTimeoutMillis());
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
        } else if (option == RdmaChannelOption.RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS) {
            setReceiverNotReadyTimeoutMillis((Integer) value);
        } else if (option == RdmaChannelOption.RDMA_PROGRESS_TIMEOUT_MILLIS) {
            setProgressTimeoutMillis((Integer) value);
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
     * How many messages the peer may have unanswered, which is the number of posted receives. What is granted is
     * posted, whatever handlers keep: before anything is sent, a slot that a handler has not released is replaced by
     * another, up to as many again, and messages beyond that are copied. So the slots of a connection cost at most
     * twice the receive count times the receive size. A peer that sends more than is posted loses its connection (with
     * the software provider after {@link #getReceiverNotReadyTimeoutMillis()}): the protocol above has to keep count.
     * Default 64; 1 to 16,384.
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
     * the peer's receive size, which verbs do not tell; protocols such as RPC-over-RDMA agree on it by private data.
     * May be changed at any time. Default: the own {@link #getReceiveSize()}, which is right when both sides are
     * configured alike.
     */
    public int getMaxSendSize() {
        int size = maxSendSize;
        return size == SAME_AS_RECEIVE_SIZE ? receiveSize : size;
    }

    /** Sets {@link #getMaxSendSize()}. */
    public RdmaChannelConfig setMaxSendSize(int bytes) {
        maxSendSize = Ranges.require("RDMA_MAX_SEND_SIZE", bytes, 1, RegisteredMemoryPool.MAX_SLOT_BYTES);
        return this;
    }

    /**
     * RDMA Reads that may be in flight, offered to the peer for both directions (IRD and ORD). Further Reads wait in
     * the send queue. Default 128; 0 to 128, and best a power of two: Linux rounds it up.
     */
    public int getReadsInFlight() {
        return readsInFlight;
    }

    /** Sets {@link #getReadsInFlight()}. */
    public RdmaChannelConfig setReadsInFlight(int count) {
        readsInFlight = shaping("RDMA_READS_IN_FLIGHT", count, 0, MAX_READS);
        return this;
    }

    /**
     * How long the peer's next Send may wait for a receive before the connection ends, in milliseconds: the patience
     * with a channel that is not read ({@code autoRead=false}), or whose peer sends more than {@link
     * #getReceiveCount()} messages ahead. A message that nobody reads keeps its receive, so a relay to somebody slow
     * needs a protocol that counts, or as much time here as its slowest reader takes. 0 ends the connection at once;
     * -1, the default, leaves it to the provider: the software provider waits for a second ({@code
     * SoftProviderConfig}'s {@code receiverNotReadyTimeoutMillis}), others do not wait. A connection that asks one of
     * those for more than 0 fails with {@link RdmaUnsupportedException}.
     *
     * <p>While it waits, nothing else of the peer is read, neither RDMA Writes nor replies to RDMA Reads nor its end,
     * and up to the software provider's {@code stagingBytes} of direct memory hold what has come. The peer's writes
     * succeed all the same, as far as TCP takes their octets.
     */
    public int getReceiverNotReadyTimeoutMillis() {
        return receiverNotReadyTimeoutMillis;
    }

    /** Sets {@link #getReceiverNotReadyTimeoutMillis()}. */
    public RdmaChannelConfig setReceiverNotReadyTimeoutMillis(int millis) {
        receiverNotReadyTimeoutMillis = shaping(
                "RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS",
                millis,
                ConnectionParameters.PROVIDERS_TIMEOUT,
                Integer.MAX_VALUE);
        return this;
    }

    /**
     * How long posted requests may stand still, in milliseconds: none completes, and with the software provider no
     * octet of them leaves or arrives. A peer that has stopped to read, or to answer RDMA Reads, would hold what was
     * written to it for ever; after this time, or at most a quarter of it later, the connection ends with {@link
     * RdmaProgressTimeoutException}. Other providers tell of completions only, so that with them the longest request
     * has to be done in this time. Default 60,000; 0 for no limit. Takes effect with the next request.
     */
    public int getProgressTimeoutMillis() {
        return progressTimeoutMillis;
    }

    /** Sets {@link #getProgressTimeoutMillis()}. */
    public RdmaChannelConfig setProgressTimeoutMillis(int millis) {
        progressTimeoutMillis = Ranges.require("RDMA_PROGRESS_TIMEOUT_MILLIS", millis, 0, Integer.MAX_VALUE);
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

    /** What the connection of the channel is to be like. */
    ConnectionTerms terms() {
        return terms;
    }

    private final class Terms implements ConnectionTerms {

        @Override
        public QueuePairLimits limits() {
            return new QueuePairLimits(receiveCount, receiveSize, sendDepth);
        }

        @Override
        public void onDevice(RdmaCapabilities capabilities) {
            rdmaChannel.pipeline().fireUserEventTriggered(new RdmaDeviceEvent(capabilities));
        }

        @Override
        public ConnectionParameters parameters(RdmaCapabilities capabilities, int maxPrivateData) {
            int timeoutMillis = receiverNotReadyTimeoutMillis;
            if (timeoutMillis > 0 && !capabilities.waitsForReceives()) {
                throw new RdmaUnsupportedException("RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS=" + timeoutMillis
                        + ": with this provider a connection ends when the peer sends more than is posted; post more"
                        + " (RDMA_RECEIVE_COUNT=" + receiveCount + ") or let the peer send less");
            }
            int reads = Math.min(readsInFlight, capabilities.maxReadsInFlight());
            if (capabilities.privateData().any() && privateData.length > maxPrivateData) {
                throw new RdmaUnsupportedException("RDMA_PRIVATE_DATA: " + privateData.length
                        + " octets (expected: 0 to " + maxPrivateData + " in this direction on this device)");
            }
            return new ConnectionParameters(privateData, reads, reads, timeoutMillis);
        }

        @Override
        public void onPeerPrivateData(byte[] octets) {
            rdmaChannel.pipeline().fireUserEventTriggered(new RdmaPrivateDataEvent(octets));
        }
    }

    @Override
    protected void autoReadCleared() {
        rdmaChannel.clearRead();
    }

    private int shaping(String name, int value, int min, int max) {
        if (rdmaChannel.hasQueuePair()) {
            throw new IllegalStateException(name + " cannot change once the queue pair exists");
        }
        return Ranges.require(name, value, min, max);
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
