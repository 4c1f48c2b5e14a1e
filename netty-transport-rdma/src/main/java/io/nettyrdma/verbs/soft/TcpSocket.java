// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * The socket of a connection, and the octets that are stuck: received ones that do not make a frame yet, and ones to
 * send that TCP does not take. Both buffers exist only while there are such octets.
 *
 * <p>Threading: confined to the thread of the event channel. Ownership: owns the socket; borrows buffers from the
 * pool of the event channel.
 */
final class TcpSocket {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(TcpSocket.class);

    /** A rest of more than this part of the staging buffer keeps the buffer, a smaller one is copied. */
    private static final int KEEP_FRACTION = 4;

    private final SocketChannel channel;
    private BufferPool buffers;
    private @Nullable SelectionKey key;
    private @Nullable ByteBuffer unparsed;
    private @Nullable ByteBuffer unsent;
    private long sentOctets;
    private @Nullable IOException outputFailure;
    private boolean endOfStream;

    TcpSocket(BufferPool buffers, SocketChannel channel) throws IOException {
        this.buffers = buffers;
        this.channel = channel;
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        TcpKeepalive.enable(channel);
    }

    boolean finishConnect() throws IOException {
        return channel.finishConnect();
    }

    SocketChannel channel() {
        return channel;
    }

    /** The socket is registered with a selector. */
    void key(SelectionKey value) {
        key = value;
    }

    /** Replaces who is told of readiness. */
    void handler(SelectorHandler handler) {
        if (key != null) {
            key.attach(handler);
        }
    }

    /**
     * Leaves the selector of the old event channel, and takes buffers from another pool. To be followed by a new key.
     */
    void moveTo(BufferPool target) {
        assert unparsed == null && unsent == null;
        if (key != null) {
            key.cancel();
        }
        buffers = target;
    }

    /** Sets the operations waited for. */
    void interest(int operations) {
        if (key != null && key.isValid() && key.interestOps() != operations) {
            key.interestOps(operations);
        }
    }

    @Nullable
    InetSocketAddress localAddress() {
        try {
            return (InetSocketAddress) channel.getLocalAddress();
        } catch (IOException e) {
            return null;
        }
    }

    @Nullable
    InetSocketAddress remoteAddress() {
        try {
            return (InetSocketAddress) channel.getRemoteAddress();
        } catch (IOException e) {
            return null;
        }
    }

    long sentOctets() {
        return sentOctets;
    }

    /** Why the direction to the peer is lost, or {@code null} if it is not. */
    @Nullable
    IOException outputFailure() {
        return outputFailure;
    }

    boolean hasUnsent() {
        return unsent != null;
    }

    boolean hasUnparsed() {
        return unparsed != null;
    }

    /** The octets that do not make a frame yet, if there are any; to be looked at only. */
    @Nullable
    ByteBuffer unparsed() {
        return unparsed;
    }

    /** Whether the peer has ended its direction. */
    boolean isEndOfStream() {
        return endOfStream;
    }

    /**
     * Moves the octets left over from before to the front of {@code staging}, which then takes what comes in next.
     */
    void takeUnparsed(ByteBuffer staging) {
        if (unparsed != null) {
            staging.put(unparsed);
            buffers.give(unparsed);
            unparsed = null;
        }
    }

    /** Keeps what {@code rest} still holds for the next time. */
    void keepUnparsed(ByteBuffer rest) {
        if (rest.hasRemaining()) {
            unparsed = buffers.take(rest.remaining()).put(rest).flip();
        }
    }

    int read(ByteBuffer into) throws IOException {
        int n = channel.read(into);
        if (n < 0) {
            endOfStream = true;
        }
        return n;
    }

    /** Reads up to {@code times} times, and forgets what comes in; returns whether anything did. */
    boolean discard(ByteBuffer staging, int times) throws IOException {
        int reads = 0;
        while (reads < times && read(staging.clear()) > 0) {
            reads++;
        }
        return reads > 0;
    }

    /**
     * Sends what the transmit staging buffer of the pool holds.
     *
     * @param staging flipped; must not be used afterwards
     */
    void send(ByteBuffer staging) throws IOException {
        assert unsent == null;
        write(staging);
        if (staging.remaining() > staging.capacity() / KEEP_FRACTION) {
            unsent = staging;
            buffers.loseTransmitStaging();
        } else if (staging.hasRemaining()) {
            // Little is left: a copy is cheap, and many slow connections do not each hold a whole staging buffer.
            unsent = buffers.take(staging.remaining()).put(staging).flip();
        }
    }

    /** Appends octets behind everything that is waiting to be sent, then sends what TCP takes. */
    void sendBehind(ByteBuffer last) throws IOException {
        if (unsent == null) {
            write(last);
            if (last.hasRemaining()) {
                unsent = buffers.take(last.remaining()).put(last).flip();
            }
        } else {
            ByteBuffer both = buffers.take(unsent.remaining() + last.remaining());
            both.put(unsent).put(last).flip();
            buffers.give(unsent);
            unsent = both;
        }
    }

    /** Sends more of what TCP did not take before; returns whether all is sent. */
    boolean sendUnsent() throws IOException {
        ByteBuffer b = unsent;
        if (b == null) {
            return true;
        }
        write(b);
        if (b.hasRemaining()) {
            return false;
        }
        dropUnsent();
        return true;
    }

    private void write(ByteBuffer octets) throws IOException {
        try {
            sentOctets += channel.write(octets);
        } catch (IOException e) {
            outputFailure = e;
            throw e;
        }
    }

    void dropUnsent() {
        if (unsent != null) {
            buffers.give(unsent);
            unsent = null;
        }
    }

    void dropUnparsed() {
        if (unparsed != null) {
            buffers.give(unparsed);
            unparsed = null;
        }
    }

    /** Ends the own direction with a FIN. */
    void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    void close() {
        dropUnparsed();
        dropUnsent();
        try {
            channel.close();
        } catch (IOException e) {
            logger.debug("closing a socket failed", e);
        }
    }
}
