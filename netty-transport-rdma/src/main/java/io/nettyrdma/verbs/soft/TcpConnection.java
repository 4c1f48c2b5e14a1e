// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.MpaTerms;
import io.nettyrdma.verbs.soft.iwarp.StreamFault;
import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.rdmap.RdmapTransmitter;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * One TCP connection from its first to its last octet: start-up (see {@link Startup}), stream (see
 * {@link RdmapStream}), end.
 *
 * <pre>
 * STARTING → STREAMING → DRAINING → LINGERING → CLOSED
 * </pre>
 *
 * <p>DRAINING gets the octets out that TCP has not taken yet. LINGERING has sent the FIN and reads until the peer's, so
 * that no unread octet turns our FIN into a reset, which would cost the peer our last messages. One bound for both,
 * which begins again when octets of the peer come: it may be reading our last messages and granting room for more.
 *
 * <p>Threading: confined to the thread of the event channel. Ownership: owns the socket; belongs to its id as long as
 * that exists, and to the event channel while it closes.
 */
final class TcpConnection implements SelectorHandler, StreamHost {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(TcpConnection.class);

    /** More than a socket holds that is not read: what still comes behind a failed write is not waited for. */
    private static final long MOST_ARRIVED_OCTETS = 64 << 20;

    /** Limit of all bounds together that the octets of a peer can begin again. */
    private static final int MOST_LINGERS = 15;

    /** Reads of one turn, each of up to a staging buffer, before other connections get theirs. */
    private static final int READS_PER_TURN = 4;

    private enum Phase {
        STARTING,
        STREAMING,
        DRAINING,
        LINGERING,
        CLOSED
    }

    private final SoftDevice device;
    private final TcpSocket tcp;
    private SoftEventChannel events;
    private Phase phase = Phase.STARTING;
    private long lingersSince;
    private @Nullable Startup startup;
    private @Nullable RdmapStream stream;
    private @Nullable SoftCmId id;
    private DeadlineQueue.@Nullable Deadline deadline;
    private boolean disconnectReported;

    TcpConnection(SoftEventChannel events, SocketChannel socket, Startup startup) throws IOException {
        this.device = events.device();
        this.events = events;
        this.startup = startup;
        this.tcp = new TcpSocket(events.buffers(), socket);
        device.connections.incrementAndGet();
    }

    TcpSocket tcp() {
        return tcp;
    }

    void id(SoftCmId value) {
        id = value;
        value.connection(this);
    }

    /** The start-up under way, or {@code null} if it is over. */
    @Nullable
    Startup startup() {
        return startup;
    }

    boolean isStreaming() {
        return phase == Phase.STREAMING;
    }

    @Override
    public boolean isDraining() {
        return phase == Phase.DRAINING;
    }

    @Override
    public boolean isLingering() {
        return phase == Phase.LINGERING;
    }

    @Override
    public void deadline(long delayNanos, Runnable action) {
        cancelDeadline();
        deadline = events.deadline(delayNanos, guarded(action));
    }

    @Override
    public Runnable guarded(Runnable action) {
        return () -> {
            try {
                action.run();
            } catch (Throwable e) {
                onFailure(e);
            }
        };
    }

    @Override
    public void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
    }

    // ---------------------------------------------------------------- start-up

    void sendFrame(MpaFrame frame) throws IOException {
        ByteBuffer staging = events.buffers().transmitStaging();
        frame.put(staging);
        tcp.send(staging);
        updateInterest();
    }

    /** Sends a frame that nothing follows but the FIN. */
    void sendLast(MpaFrame frame) throws IOException {
        beginDraining();
        sendFrame(frame);
        finishDraining();
    }

    /**
     * Has {@code handler} told when the socket is ready, by the event channel that the connection belongs to.
     *
     * @param operations those waited for first, {@code SelectionKey.OP_*}
     */
    void register(int operations, SelectorHandler handler) throws IOException {
        tcp.key(events.register(tcp.channel(), operations, handler));
    }

    /** Leaves the old event channel; to be followed by a registration with the new one. */
    void moveTo(SoftEventChannel target) {
        cancelDeadline();
        tcp.moveTo(target.buffers());
        events.flushCancelledKeys();
        events = target;
    }

    /**
     * The start-up has succeeded.
     *
     * @param responder      whether this side was asked
     * @param ownFrameOctets octets of this side's start-up frame
     */
    RdmapStream startStream(SoftQp qp, MpaTerms terms, boolean responder, int ownFrameOctets) {
        cancelDeadline();
        RdmapStream s = new RdmapStream(this, tcp, events, qp, terms, responder, ownFrameOctets);
        stream = s;
        startup = null;
        phase = Phase.STREAMING;
        updateInterest();
        return s;
    }

    // ---------------------------------------------------------------- readiness

    @Override
    public void onReady(int operations) {
        try {
            if ((operations & SelectionKey.OP_CONNECT) != 0 && startup != null) {
                startup.connectable();
            }
            if ((operations & SelectionKey.OP_WRITE) != 0) {
                writable();
            }
            if ((operations & SelectionKey.OP_READ) != 0) {
                readable();
            }
        } catch (Throwable e) {
            onFailure(e);
        }
    }

    /** A fault of this provider must not take down the other connections of the event loop. */
    @Override
    public void onFailure(Throwable e) {
        try {
            end(e);
        } catch (Throwable again) {
            // Without memory, for example, even the end may fail: the socket has to be closed all the same.
            close();
            device.faults.error(() -> "a connection was closed, but could not end", again);
        }
    }

    private void end(Throwable e) {
        if (phase == Phase.STREAMING && e instanceof IOException lost && lost == tcp.outputFailure()) {
            tcp.dropUnsent();
            hearOut(lost);
        } else if (e instanceof IOException lost) {
            onLost(lost);
        } else {
            onLost(new IOException("internal error: " + e, e));
            device.faults.error(() -> "internal error on a connection, which is closed", e);
        }
    }

    /**
     * Reads what the peer has sent, and closes. A peer that exits with unread octets resets the connection, and a write
     * that meets the reset fails before what came in front of it is read. Linux hands that on to programs over TCP,
     * also after a failed write.
     */
    private void hearOut(IOException outputFailure) {
        try {
            for (long octets = 0; phase == Phase.STREAMING && stream != null && stream.isReady(); ) {
                int more = octets > MOST_ARRIVED_OCTETS ? 0 : readable();
                if (more == 0 && phase == Phase.STREAMING) {
                    onLost(outputFailure);
                }
                octets += more;
            }
        } catch (Throwable e) {
            onFailure(e);
        }
    }

    /** Not inside an FPDU: what there is of it would be moved back and forth. Rings are looked into anyway. */
    @Override
    public boolean mayLook() {
        return isReading() && shared() == null && !tcp.hasUnparsed() && !tcp.hasUnsent();
    }

    @Override
    public int poll() {
        try {
            return readable();
        } catch (Throwable e) {
            onFailure(e);
        }
        return 1;
    }

    @Override
    public void queueTurn() {
        events.queueTurn(this);
    }

    /** A turn asked for by the stream. */
    @Override
    public void turn() throws IOException {
        if (phase == Phase.STREAMING && stream != null) {
            stream.turn();
            IOException outputFailure = tcp.outputFailure();
            if (outputFailure != null) {
                hearOut(outputFailure); // the peer was held back
            }
        }
    }

    @Override
    public void readNow() {
        onReady(SelectionKey.OP_READ);
    }

    private boolean isReading() {
        if (startup != null) {
            return startup.isReading();
        }
        return phase == Phase.STREAMING && stream != null && stream.isReading();
    }

    /** Where the peer's octets are, or {@code null} if they come over TCP. */
    private @Nullable SameHost shared() {
        SameHost way = phase == Phase.STREAMING && stream != null ? stream.sameHost() : null;
        return way != null && way.isReceiving() ? way : null;
    }

    /** Returns how many octets came; the end counts as one. */
    private int readable() throws IOException {
        int octets = 0;
        SameHost shared = shared();
        if (phase == Phase.DRAINING || phase == Phase.LINGERING) {
            discard();
        } else if (shared != null) {
            octets = shared.hearBell();
        } else if (isReading()) {
            ByteBuffer staging = events.buffers().receiveStaging();
            tcp.takeUnparsed(staging);
            for (int i = 0; i < READS_PER_TURN && isReading(); i++) {
                int space = staging.remaining();
                int n = tcp.read(staging);
                octets += Math.abs(n);
                if (n <= 0) {
                    break;
                }
                staging.flip();
                parse(staging);
                staging.compact();
                shared = shared();
                if (shared != null) {
                    return octets + shared.hearBell();
                }
                if (n < space && staging.position() == 0) {
                    // Drained, and between two frames.
                    break;
                }
            }
            finishReading(staging.flip());
        }
        return octets;
    }

    private void parse(ByteBuffer b) throws IOException {
        if (startup != null) {
            startup.parse(b);
        }
        if (phase == Phase.STREAMING && stream != null) {
            stream.receive(b);
        }
    }

    private void finishReading(ByteBuffer rest) throws IOException {
        if (phase == Phase.STARTING || phase == Phase.STREAMING) {
            tcp.keepUnparsed(rest);
            if (tcp.isEndOfStream()) {
                endOfStream();
            } else if (phase == Phase.STREAMING && stream != null) {
                stream.onReceived();
            }
        }
    }

    @Override
    public void endOfStream() {
        IOException failure = tcp.outputFailure() != null ? tcp.outputFailure() : tcp.inputFailure();
        if (failure != null) {
            onLost(failure);
        } else if (stream == null) {
            onLost(new EOFException("peer closed the connection"));
        } else if (tcp.hasUnparsed() || stream.isInsideMessage()) {
            onLost(new EOFException(
                    "peer closed the connection inside " + (tcp.hasUnparsed() ? "an FPDU" : "a message")));
        } else {
            // An orderly end needs no reason. There is no half-closed service: Linux closes both directions too.
            close();
        }
    }

    /** Reads once and forgets what came; tells how many octets, negative at the end of the stream. */
    int discardOnce() throws IOException {
        return tcp.read(events.buffers().receiveStaging());
    }

    private void discard() throws IOException {
        boolean any = tcp.discard(events.buffers().receiveStaging(), READS_PER_TURN);
        long linger = device.config.lingerTimeoutNanos();
        if (tcp.isEndOfStream()) {
            close();
        } else if (any && phase == Phase.LINGERING && device.nanoTime() - lingersSince < MOST_LINGERS * linger) {
            deadline(linger, this::lingerOver);
        }
    }

    private void writable() throws IOException {
        boolean all = tcp.sendUnsent();
        if (all) {
            updateInterest();
        }
        if (stream != null) {
            stream.onSent(all);
        }
        if (all) {
            finishDraining();
        }
    }

    @Override
    public void updateInterest() {
        boolean read = phase == Phase.DRAINING || phase == Phase.LINGERING || isReading();
        tcp.interest((read ? SelectionKey.OP_READ : 0) | (tcp.hasUnsent() ? SelectionKey.OP_WRITE : 0));
    }

    // ---------------------------------------------------------------- the end

    /** Ends the stream in an orderly way: what is staged still goes out and completes, the rest is flushed. */
    void disconnect() {
        if (phase == Phase.STREAMING) {
            beginDraining();
            finishDraining();
        }
    }

    @Override
    public void drain(String why) {
        if (phase == Phase.STREAMING) {
            logger.debug("closing a connection: {}", why);
            reason(why);
            flush();
            beginDraining();
            finishDraining();
        }
    }

    /** Ends the connection with a Terminate: RFC 5040, section 6.2.1. Also before its stream runs. */
    @Override
    public void terminate(StreamFault fault, Fpdu fpdu) {
        if (phase != Phase.STREAMING && phase != Phase.STARTING) {
            return;
        }
        String why = fault.getMessage() + "; sent Terminate " + fault.error().text();
        logger.debug("closing a connection: {}", why);
        reason(why);
        flush();
        beginDraining();
        ByteBuffer b = events.buffers().take(Fpdu.bytes(Ddp.UNTAGGED_HEADER_BYTES + Terminate.MAX_BYTES));
        try {
            RdmapTransmitter.appendTerminate(fpdu, b, fault);
            tcp.sendBehind(b.flip());
        } catch (IOException e) {
            logger.debug("sending a Terminate failed", e);
            close();
        } finally {
            events.buffers().give(b);
        }
        finishDraining();
    }

    private void beginDraining() {
        phase = Phase.DRAINING;
        startup = null;
        if (stream != null) {
            stream.end();
        }
        tcp.dropUnparsed();
        deadline(device.config.lingerTimeoutNanos(), this::lingerOver);
        updateInterest();
    }

    private void finishDraining() {
        if (phase != Phase.DRAINING) {
            return;
        }
        if (tcp.hasUnsent()) {
            updateInterest();
            return;
        }
        flush();
        phase = Phase.LINGERING;
        lingersSince = device.nanoTime();
        updateInterest();
        try {
            tcp.shutdownOutput();
        } catch (IOException e) {
            logger.debug("sending a FIN failed", e);
            close();
        }
    }

    private void lingerOver() {
        if (phase == Phase.DRAINING) {
            reason("the last bytes could not be sent " + SoftProviderConfig.within(device.config.lingerTimeoutNanos()));
        }
        close();
    }

    /** Flushes the queue pair, and tells that a connection which existed does so no more. */
    private void flush() {
        if (stream != null) {
            stream.flush();
            if (!disconnectReported && id != null) {
                disconnectReported = true;
                id.event(EventType.RDMA_CM_EVENT_DISCONNECTED, 0, null);
            }
        } else if (id != null && id.queuePair() != null) {
            id.queuePair().queues().flush();
        }
    }

    private void reason(String why) {
        if (id != null) {
            id.reason(why);
        }
    }

    /** The socket has failed, or the peer has ended the connection at a bad time. */
    void onLost(IOException e) {
        if (startup != null) {
            startup.onFailed(e);
        } else if (phase != Phase.CLOSED) {
            logger.debug("connection lost: {}", e.toString());
            reason(e instanceof EOFException ? String.valueOf(e.getMessage()) : "connection lost: " + e.getMessage());
            close();
        }
    }

    /** The application destroys the id; it hears nothing more. */
    void onIdDestroyed() {
        if (startup != null) {
            startup.onIdDestroyed();
        } else {
            disconnect();
        }
        flush();
        id = null;
    }

    /** Closes the socket at once. */
    void close() {
        if (phase == Phase.CLOSED) {
            return;
        }
        phase = Phase.CLOSED;
        startup = null;
        try {
            if (stream != null) {
                stream.end();
            }
            flush();
        } finally {
            cancelDeadline();
            tcp.close();
            if (stream != null) {
                stream.sameHost().close();
            }
            device.connections.decrementAndGet();
            if (id != null && id.connection() == this) {
                id.connection(null);
            }
        }
    }

    @Override
    public void shutdown() {
        reason("event channel destroyed");
        try {
            if (phase == Phase.LINGERING) {
                // An unread octet would turn the close into a reset.
                discard();
            }
        } catch (IOException e) {
            logger.debug("reading until the end failed", e);
        }
        close();
    }
}
