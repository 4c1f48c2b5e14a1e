// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.soft.ring.RingWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * The socket of a connection, and the octets that are stuck: received ones that do not make a frame yet, and ones to
 * send that TCP does not take. Both buffers exist only while there are such octets. A direction may have moved to
 * memory that is shared with a peer on this host ({@link SameHost}); what then comes over TCP are bells, single octets
 * which say that the peer has written or made room, and the end.
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
    private @Nullable IOException inputFailure;
    private @Nullable RingWriter out;

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

    /** This side sends through this ring from now on, behind what TCP has not taken yet. */
    void sendTo(RingWriter ring) {
        out = ring;
    }

    /** Whether both addresses are of this host as seen from one network namespace. */
    boolean isOnThisHost() {
        InetSocketAddress local = localAddress();
        InetSocketAddress remote = remoteAddress();
        return local != null
                && remote != null
                && (remote.getAddress().isLoopbackAddress()
                        || remote.getAddress().equals(local.getAddress()));
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

    /**
     * Takes bells. A failure is kept as the end of the stream, since what is in the ring came before.
     *
     * @param staging anything to read into
     */
    void takeBells(ByteBuffer staging) {
        try {
            read(staging);
        } catch (IOException e) {
            inputFailure = e;
            endOfStream = true;
        }
    }

    /** Why the stream has ended, or {@code null} if the peer has ended it in an orderly way. */
    @Nullable
    IOException inputFailure() {
        return inputFailure;
    }

    /** Wakes the peer; unless octets for TCP are stuck, behind whose last it looks anyway. A full socket is awake. */
    void ring() throws IOException {
        if (unsent == null) {
            write(buffers.bell());
        }
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
     * Where octets to be sent are put.
     *
     * @param leastBytes what is worth while
     * @return {@code null} if there is no room in the ring, which a bell will tell of
     */
    @Nullable
    ByteBuffer staging(int leastBytes) throws IOException {
        return out == null ? buffers.transmitStaging() : out.room(leastBytes);
    }

    /**
     * Sends what {@link #staging} was filled with.
     *
     * @param staging with its position behind the last octet; must not be used afterwards
     */
    void send(ByteBuffer staging) throws IOException {
        assert unsent == null;
        if (out != null) {
            sentOctets += out.commit();
            ringIfAsleep(out);
            return;
        }
        sentOctets += write(staging.flip());
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
        if (out != null) {
            sentOctets += last.remaining();
            out.last(last);
            ringIfAsleep(out);
        } else if (unsent == null) {
            sentOctets += write(last);
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
        sentOctets += write(b);
        if (b.hasRemaining()) {
            return false;
        }
        dropUnsent();
        return true;
    }

    private void ringIfAsleep(RingWriter ring) throws IOException {
        if (ring.hasToWake()) {
            ring();
        }
    }

    private int write(ByteBuffer octets) throws IOException {
        try {
            return channel.write(octets);
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
