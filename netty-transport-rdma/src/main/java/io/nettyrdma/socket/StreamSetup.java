// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.nettyrdma.engine.ConnectionTerms;
import io.nettyrdma.engine.LoopDevice;
import io.nettyrdma.engine.QueuePairLimits;
import io.nettyrdma.engine.VerbsConnection;
import io.nettyrdma.error.RdmaResourceLimitException;
import io.nettyrdma.error.RdmaStreamProtocolException;
import io.nettyrdma.error.RdmaUnsupportedException;
import io.nettyrdma.internal.PeerLog;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.stream.ReceiveWindow;
import io.nettyrdma.stream.SendWindow;
import io.nettyrdma.stream.SetupData;
import io.nettyrdma.stream.StreamProtocolException;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import java.net.StandardSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * How two sides of a stream agree: the private data of both, and the memory that this side tells of in its own.
 *
 * <p>Threading: the loop's. Ownership: of the table and the published buffers, until {@link #free}.
 */
final class StreamSetup implements ConnectionTerms {

    private static final PeerLog STRANGERS = PeerLog.of(StreamSetup.class);
    private static final PeerLog MEMORY = PeerLog.of(RdmaSocketChannel.class);

    /** Receives beyond the credits, for words that need no credit. */
    private static final int UNCOUNTED_WORDS = 16;

    /** Requests of the send queue. */
    static final int SEND_DEPTH = 256;

    /** As rsockets of librdmacm: it offers one Read, and holds none. */
    private static final int READS = 1;

    private final Channel channel;
    private final RdmaSocketChannelConfig config;
    private final VerbsConnection connection;
    private final Runnable refuse;
    private @Nullable PublishedBuffers buffers;
    private @Nullable SetupData own;
    private @Nullable SetupData peer;
    private boolean reply;

    /** @param refuse closes a channel whose peer is not to be accepted */
    StreamSetup(Channel channel, RdmaSocketChannelConfig config, VerbsConnection connection, Runnable refuse) {
        this.channel = channel;
        this.config = config;
        this.connection = connection;
        this.refuse = refuse;
    }

    /** Receives to post. */
    int receiveCount() {
        return config.getStreamCredits() + UNCOUNTED_WORDS;
    }

    /** Whether words and entries are big-endian: as the side wants that asks. */
    boolean isNetworkOrder() {
        SetupData asked = peer;
        return asked != null && asked.networkOrder();
    }

    @Override
    public void onDevice(RdmaCapabilities capabilities) {
        // Nothing depends on it before the parameters.
    }

    @Override
    public QueuePairLimits limits() {
        return new QueuePairLimits(receiveCount(), "RDMA_STREAM_CREDITS", SEND_DEPTH, "fixed for byte streams");
    }

    @Override
    public ConnectionParameters parameters(RdmaCapabilities capabilities, int maxPrivateData) throws IOException {
        if (maxPrivateData < SetupData.BYTES) {
            throw new RdmaUnsupportedException("a byte stream needs " + SetupData.BYTES
                    + " bytes of private data, but the device carries " + maxPrivateData);
        }
        applySocketOptions();
        free(); // that of an attempt from another port
        LoopDevice device = connection.device();
        try {
            return offer(device);
        } catch (OutOfMemoryError e) {
            throw outOfMemory(channel, config, e);
        }
    }

    /** Names the options that decide how much memory a stream needs; the log has it, too. */
    static RdmaResourceLimitException outOfMemory(
            Channel channel, RdmaSocketChannelConfig config, OutOfMemoryError cause) {
        RdmaResourceLimitException refused = new RdmaResourceLimitException(
                "no direct memory is left for the byte stream, which takes blocks of "
                        + RegisteredMemoryPool.SLAB_BYTES + " bytes (" + cause.getMessage()
                        + "); lower RDMA_STREAM_CREDITS " + config.getStreamCredits() + ", RDMA_STREAM_BUFFERS "
                        + config.getStreamBuffers() + " or SO_RCVBUF " + config.getReceiveBufferSize()
                        + ", or raise -XX:MaxDirectMemorySize",
                RegisteredMemoryPool.SLAB_BYTES,
                0);
        refused.initCause(cause);
        MEMORY.warn(() -> channel + " ends: " + refused.getMessage());
        return refused;
    }

    private ConnectionParameters offer(LoopDevice device) throws IOException {
        int entries = config.getStreamBuffers();
        PublishedBuffers published = new PublishedBuffers(device, entries * ReceiveWindow.ENTRY_BYTES);
        buffers = published;
        int most = peer == null ? entries : Math.min(entries, peer.tableEntries());
        int bytes = StreamInput.bufferBytes(channel, config, most);
        published.add(bytes);
        SetupData mine = new SetupData(
                isNetworkOrder(),
                config.getStreamCredits(),
                published.tableAddress(),
                published.tableKey(),
                entries,
                published.lastAddress(),
                published.lastKey(),
                bytes);
        own = mine;
        byte[] octets = new byte[SetupData.BYTES];
        mine.encode(Unpooled.wrappedBuffer(octets).clear());
        return new ConnectionParameters(octets, READS, READS);
    }

    /** Sets the options that providers with sockets of their own have a use for. */
    void applySocketOptions() {
        connection.setSocketOption(StandardSocketOptions.SO_REUSEADDR, config.isReuseAddress());
        connection.setSocketOption(StandardSocketOptions.IP_TOS, config.getTrafficClass());
    }

    @Override
    public void onPeerPrivateData(byte[] octets) {
        if (own != null) {
            return; // a reply, which was checked
        }
        try {
            peer = SetupData.decodeRequest(Unpooled.wrappedBuffer(octets));
        } catch (StreamProtocolException e) {
            // Nothing for the pipeline, which would never see the channel active: anybody may send a request.
            STRANGERS.info(() -> "rejecting a connection from " + channel.remoteAddress() + ": " + e.getMessage());
            refuse.run();
        }
    }

    @Override
    public void checkReply(byte[] octets) throws RdmaStreamProtocolException {
        reply = SetupData.isOfStream(Unpooled.wrappedBuffer(octets));
        try {
            peer = SetupData.decodeReply(Unpooled.wrappedBuffer(octets), own());
        } catch (StreamProtocolException e) {
            throw new RdmaStreamProtocolException(e);
        }
    }

    /**
     * Whether a byte stream has accepted this side's request: it takes words, even if its reply is not good. A peer of
     * another kind would take them for data.
     */
    boolean hasReply() {
        return reply;
    }

    private SetupData own() {
        SetupData present = own;
        if (present == null) {
            throw new IllegalStateException("nothing was offered");
        }
        return present;
    }

    private SetupData peer() {
        SetupData present = peer;
        if (present == null) {
            throw new IllegalStateException("the peer has offered nothing");
        }
        return present;
    }

    /** Where the peer lets this side write. Both sides have offered. */
    SendWindow sendWindow() {
        return new SendWindow(buffers().table(), own(), peer());
    }

    /** What the peer may write. Both sides have offered. */
    ReceiveWindow receiveWindow() {
        return new ReceiveWindow(own(), peer());
    }

    /** With the table and the first buffer, which were offered. */
    PublishedBuffers buffers() {
        PublishedBuffers present = buffers;
        assert present != null;
        return present;
    }

    /** Lets go of all that the peer was told of. */
    void free() throws IOException {
        PublishedBuffers old = buffers;
        buffers = null;
        if (old != null) {
            old.free();
        }
    }
}
