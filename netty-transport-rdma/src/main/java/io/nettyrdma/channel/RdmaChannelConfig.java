// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.nettyrdma.engine.AbstractRdmaChannelConfig;
import io.nettyrdma.engine.ConnectionTerms;
import io.nettyrdma.engine.OptionTable;
import io.nettyrdma.engine.QueuePairLimits;
import io.nettyrdma.engine.TcpOptions;
import io.nettyrdma.error.RdmaMessageTooLongException;
import io.nettyrdma.error.RdmaProgressTimeoutException;
import io.nettyrdma.error.RdmaUnsupportedException;
import io.nettyrdma.internal.Ranges;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsConstants;

/**
 * Configuration of an {@link RdmaChannel}. The options that shape the queue pair take effect when the connection is
 * made or accepted and cannot be changed afterwards. Options of TCP are accepted and have no effect: messages are sent
 * at once, as with TCP_NODELAY, and the software provider always uses TCP's keepalive.
 *
 * <p><b>Memory per connection.</b> Even if its peer misbehaves or does not read, a connection holds at most the sum of
 * the following. Registered memory comes in powers of two, of 256 bytes or more; {@code size} stands for one of these.
 *
 * <ul>
 *   <li>Receives: {@code size(}{@link #getReceiveSize() RDMA_RECEIVE_SIZE}{@code )} x {@link #getReceiveCount()
 *       RDMA_RECEIVE_COUNT}, 256 KiB with the defaults, posted or received and not read; and as much again for messages
 *       that handlers keep. The channel copies messages beyond that into memory of its allocator.
 *   <li>Requests under way: {@link #getSendDepth() RDMA_SEND_DEPTH} x {@code size(}{@link #getMaxSendSize()
 *       RDMA_MAX_SEND_SIZE}{@code )} of copies, 512 KiB with the defaults, for messages outside registered memory.
 *       Buffers of {@link RdmaByteBufAllocator} need no copy. The channel registers messages longer than 64 KiB (32 KiB
 *       with the software provider) in one direct buffer in place.
 *   <li>The application's own buffers that the peer has not taken. {@link io.netty.channel.Channel#isWritable()} turns
 *       false at the high {@link WriteBufferWaterMark}, 64 KiB unless set. An application that goes on writing needs a
 *       limit of its own.
 *   <li>About 100 bytes of heap for each of RDMA_SEND_DEPTH and {@link #getReadsInFlight() RDMA_READS_IN_FLIGHT}, and
 *       40 for each of RDMA_SEND_DEPTH + RDMA_RECEIVE_COUNT in the completion queue: 33 KiB with the defaults.
 *   <li>With the software provider: 256 KiB for bytes that TCP does not take yet,
 *       and as much for received bytes that wait for a receive ({@link #getReceiverNotReadyTimeoutMillis()}), or at
 *       most 128 KiB for an unfinished FPDU. While a Terminate waits behind them, three times the former and none of
 *       the latter. RDMA Read data that the peer does not take is not copied.
 * </ul>
 *
 * <p>With the defaults that is 1.5 MiB besides the application's buffers. A connection that is not accepted yet has
 * none of it; see {@code SO_BACKLOG} of {@link RdmaServerChannel} for its cost.
 *
 * <p>Threading: set before the connection is made, or on the event loop; read from any thread.
 */
@SuppressWarnings("exports") // what it extends is not for programs
public final class RdmaChannelConfig extends AbstractRdmaChannelConfig<RdmaChannelConfig> {

    /** Private data per direction that every provider and the Linux driver {@code siw} can carry, in bytes. */
    public static final int MAX_PRIVATE_DATA_BYTES = VerbsConstants.MAX_PRIVATE_DATA_BYTES;

    private static final int MAX_DEPTH = 16_384;
    private static final int MAX_READS = 128;
    private static final int RECEIVE_SIZE = 4096;
    private static final int SAME_AS_RECEIVE_SIZE = 0;
    private static final byte[] NONE = {};

    private static final OptionTable<RdmaChannelConfig> OPTIONS = new OptionTable<RdmaChannelConfig>()
            .add(RdmaChannelOption.RDMA_RECEIVE_SIZE, c -> c.getReceiveSize(), (c, v) -> c.setReceiveSize(v))
            .add(RdmaChannelOption.RDMA_RECEIVE_COUNT, c -> c.getReceiveCount(), (c, v) -> c.setReceiveCount(v))
            .add(RdmaChannelOption.RDMA_SEND_DEPTH, c -> c.getSendDepth(), (c, v) -> c.setSendDepth(v))
            .add(RdmaChannelOption.RDMA_MAX_SEND_SIZE, c -> c.getMaxSendSize(), (c, v) -> c.setMaxSendSize(v))
            .add(RdmaChannelOption.RDMA_READS_IN_FLIGHT, c -> c.getReadsInFlight(), (c, v) -> c.setReadsInFlight(v))
            .add(
                    RdmaChannelOption.RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS,
                    c -> c.getReceiverNotReadyTimeoutMillis(),
                    (c, v) -> c.setReceiverNotReadyTimeoutMillis(v))
            .add(
                    RdmaChannelOption.RDMA_PROGRESS_TIMEOUT_MILLIS,
                    c -> c.getProgressTimeoutMillis(),
                    (c, v) -> c.setProgressTimeoutMillis(v))
            .add(RdmaChannelOption.RDMA_PRIVATE_DATA, c -> c.getPrivateData(), (c, v) -> c.setPrivateData(v));

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
        // The sender sets the size of messages: no prediction is needed.
        super(channel, OPTIONS, new FixedRecvByteBufAllocator(RECEIVE_SIZE));
        setMessageSizeEstimator(RdmaMessageSizeEstimator.INSTANCE);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        return super.setOption(option, value) || TcpOptions.isIgnored(option);
    }

    /**
     * Returns the bytes per posted receive: the longest message the peer can send. A longer one ends the connection.
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
     * Returns the number of receives: how many messages the peer may have unanswered. The channel has memory for this
     * number even while handlers keep messages: before each send it replaces their slots, up to as many again, and
     * copies messages beyond that. The slots of a connection therefore cost at most twice the receive count times the
     * receive size. All are posted, or with the software provider as many as bursts have needed: it holds a message
     * back until there is a receive. A peer that sends more loses its connection (with the software provider after
     * {@link #getReceiverNotReadyTimeoutMillis()}), so the protocol above must limit it. Default 64; 1 to 16,384.
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
     * Returns the limit of Sends, Writes and Reads posted at once. More wait in the channel. Default 128; 1 to 16,384.
     * Each costs about 100 bytes.
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
     * Returns the longest Send in bytes; writing a longer message fails with {@link RdmaMessageTooLongException}. It
     * must match the peer's receive size. Verbs do not report it, so protocols such as RPC-over-RDMA agree on it by
     * private data. May be changed at any time. Default: {@link #getReceiveSize()}, for sides with the same
     * configuration.
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
     * Returns the limit of RDMA Reads in flight, offered to the peer for both directions (IRD and ORD). More wait in
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
     * Returns how long the peer's next Send may wait for a receive before the connection ends, in milliseconds. A Send
     * waits if the channel is not read ({@code autoRead=false}), or if the peer sends more than {@link
     * #getReceiveCount()} messages ahead. An unread message keeps its receive. A relay to slow readers therefore needs
     * a protocol with credits, or a time that covers its slowest reader. 0 ends the connection at once. -1, the
     * default, leaves it to the provider: the software provider waits for a second ({@code SoftProviderConfig}'s {@code
     * receiverNotReadyTimeoutMillis}), others do not wait. With those, a connection with more than 0 fails with {@link
     * RdmaUnsupportedException}.
     *
     * <p>During the wait, the channel reads nothing else of the peer: no RDMA Writes, no replies to RDMA Reads, and not
     * its end. With the software provider, up to 256 KiB of direct memory hold the received bytes. The peer's
     * writes succeed as long as TCP takes their bytes.
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
     * Returns how long posted requests may make no progress, in milliseconds: none completes, and with the software
     * provider no byte of them leaves or arrives. Without a limit, a peer that stops reading, or answering RDMA Reads,
     * would hold written data for ever. After this time, or at most a quarter of it later, the connection ends with
     * {@link RdmaProgressTimeoutException}. Other providers report completions only: with them the longest request must
     * complete in this time. Default 60,000; 0 for no limit. Takes effect with the next request.
     */
    public int getProgressTimeoutMillis() {
        return progressTimeoutMillis;
    }

    /** Sets {@link #getProgressTimeoutMillis()}. */
    public RdmaChannelConfig setProgressTimeoutMillis(int millis) {
        progressTimeoutMillis = Ranges.require("RDMA_PROGRESS_TIMEOUT_MILLIS", millis, 0, Integer.MAX_VALUE);
        return this;
    }

    /** Returns the bytes that the connection request or reply carries to the peer. Default none; at most 251. */
    public byte[] getPrivateData() {
        return privateData.clone();
    }

    /** Sets {@link #getPrivateData()}; the array is copied. */
    public RdmaChannelConfig setPrivateData(byte[] data) {
        shaping("RDMA_PRIVATE_DATA length", data.length, 0, MAX_PRIVATE_DATA_BYTES);
        privateData = data.clone();
        return this;
    }

    ConnectionTerms terms() {
        return terms;
    }

    private final class Terms implements ConnectionTerms {

        @Override
        public QueuePairLimits limits() {
            return new QueuePairLimits(receiveCount, "RDMA_RECEIVE_COUNT", sendDepth, "RDMA_SEND_DEPTH");
        }

        @Override
        public void onDevice(RdmaCapabilities capabilities) {
            channel.pipeline().fireUserEventTriggered(new RdmaDeviceEvent(capabilities));
        }

        @Override
        public ConnectionParameters parameters(RdmaCapabilities capabilities, int maxPrivateData) {
            int timeoutMillis = receiverNotReadyTimeoutMillis;
            if (timeoutMillis > 0 && !capabilities.waitsForReceives()) {
                throw new RdmaUnsupportedException("RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS=" + timeoutMillis
                        + ": this provider ends a connection whose peer sends more than is posted; set 0 or -1,"
                        + " and post more (RDMA_RECEIVE_COUNT=" + receiveCount + ") or let the peer send less");
            }
            int reads = Math.min(readsInFlight, capabilities.maxReadsInFlight());
            if (capabilities.privateData().any() && privateData.length > maxPrivateData) {
                throw new RdmaUnsupportedException("RDMA_PRIVATE_DATA: " + privateData.length
                        + " bytes (expected: 0 to " + maxPrivateData + " in this direction on this device)");
            }
            return new ConnectionParameters(privateData, reads, reads, timeoutMillis);
        }

        @Override
        public void checkReply(byte[] octets) {
            // Private data is the application's.
        }

        @Override
        public void onPeerPrivateData(byte[] octets) {
            channel.pipeline().fireUserEventTriggered(new RdmaPrivateDataEvent(octets));
        }
    }
}
