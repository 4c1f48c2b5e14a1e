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
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One TCP connection from its first to its last octet: start-up (see {@link Startup}), stream, end.
 *
 * <pre>
 * STARTING → STREAMING → DRAINING → LINGERING → CLOSED
 * </pre>
 *
 * <p>DRAINING gets the octets out that TCP has not taken yet. LINGERING has sent the FIN and reads until the peer's, so
 * that no unread octet turns our FIN into a reset, which would cost the peer our last messages. One bound for both.
 *
 * <p>Threading: confined to the thread of the event channel. Ownership: owns the socket; belongs to its id as long as
 * that exists, and to the event channel while it closes.
 */
final class SoftConnection implements SelectorHandler {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(SoftConnection.class);

    /** When the initiator of a silent responder announces itself again for the first time, and how often it does. */
    private static final long REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int REPEATS = 3;

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
    private final TcpStream tcp;
    private SoftEventChannel events;
    private Phase phase = Phase.STARTING;
    private @Nullable Startup startup;
    private @Nullable SoftCmId id;
    private DeadlineQueue.@Nullable Deadline deadline;

    private @Nullable SoftQp qp;
    private @Nullable StreamReceiver receiver;
    private @Nullable StreamTransmitter transmitter;
    /** Octets of our start-up frame, which are no part of the stream. */
    private int startupOctets;

    private boolean awaitingFirstFpdu;
    private boolean receiverNotReady;
    private boolean turnQueued;
    private boolean disconnectReported;

    SoftConnection(SoftEventChannel events, SocketChannel socket, Startup startup) throws IOException {
        this.device = events.device();
        this.events = events;
        this.startup = startup;
        this.tcp = new TcpStream(events, socket);
        device.connections.incrementAndGet();
    }

    TcpStream tcp() {
        return tcp;
    }

    void id(SoftCmId value) {
        id = value;
        value.connection(this);
    }

    @Nullable
    Startup startup() {
        return startup;
    }

    boolean isStreaming() {
        return phase == Phase.STREAMING;
    }

    /** Replaces the one wait of this connection. */
    void deadline(long delayNanos, Runnable action) {
        cancelDeadline();
        deadline = events.deadline(delayNanos, action);
    }

    private void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
    }

    // ---------------------------------------------------------------- start-up

    void sendFrame(MpaFrame frame) throws IOException {
        ByteBuffer staging = events.transmitStaging();
        frame.put(staging);
        tcp.send(staging.flip());
        updateInterest();
    }

    /** Sends a frame that nothing follows but the FIN. */
    void sendLast(MpaFrame frame) throws IOException {
        beginDraining();
        sendFrame(frame);
        finishDraining();
    }

    void moveTo(SoftEventChannel target) {
        cancelDeadline();
        tcp.moveTo(target);
        events = target;
    }

    void startStream(SoftQp queuePair, MpaTerms terms, int ownFrameOctets) {
        cancelDeadline();
        startupOctets = ownFrameOctets;
        qp = queuePair;
        receiver = new StreamReceiver(queuePair, device.keys, terms.crc(), startup instanceof ResponderStartup);
        transmitter = new StreamTransmitter(queuePair, device.keys, terms.crc(), device.config.fpduPayloadBytes());
        queuePair.readyToSend(terms.ird(), terms.ord());
        startup = null;
        phase = Phase.STREAMING;
        updateInterest();
    }

    /** The initiator owes the responder an FPDU: in the next turn, unless the application sends something before. */
    void announceReady() {
        announceReady(REPEATS, REPEAT_NANOS);
    }

    /**
     * Linux's siw hands the socket over to its receiver only after it has sent the MPA Reply. FPDUs that arrive in
     * between stay unread until the next segment, which for a requester that waits for an answer would be never. So a
     * responder that has sent nothing yet is sent further empty Writes, which mean nothing to one that is just silent.
     */
    private void announceReady(int repeats, long delayNanos) {
        assert transmitter != null;
        transmitter.announceReady();
        queueTurn();
        if (repeats > 0) {
            deadline(delayNanos, () -> {
                if (phase == Phase.STREAMING && receiver != null && !receiver.hasReceivedAny()) {
                    announceReady(repeats - 1, 4 * delayNanos);
                }
            });
        }
    }

    /** The responder sends no FPDU before it has one: RFC 5044, section 7.1.2, rule 4. But not for ever. */
    void awaitFirstFpdu(long timeoutNanos) {
        awaitingFirstFpdu = true;
        deadline(timeoutNanos, () -> {
            awaitingFirstFpdu = false;
            queueTurn();
        });
    }

    // ---------------------------------------------------------------- readiness

    @Override
    public void ready(int operations) {
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
        } catch (IOException e) {
            lost(e);
        } catch (RuntimeException | AssertionError e) {
            internalError(e);
        }
    }

    private void internalError(Throwable e) {
        // A fault of this provider must not take down the other connections of the event loop.
        logger.error("internal error on a connection, which is closed", e);
        lost(new IOException("internal error: " + e, e));
    }

    private boolean isReading() {
        return startup != null ? startup.isReading() : phase == Phase.STREAMING && !receiverNotReady;
    }

    private void readable() throws IOException {
        if (phase == Phase.DRAINING || phase == Phase.LINGERING) {
            discard();
        } else if (isReading()) {
            ByteBuffer staging = events.receiveStaging();
            tcp.takeUnparsed(staging);
            for (int i = 0; i < READS_PER_TURN && isReading(); i++) {
                int space = staging.remaining();
                int n = tcp.read(staging);
                if (n <= 0) {
                    break;
                }
                staging.flip();
                parse(staging);
                staging.compact();
                if (n < space && staging.position() == 0) {
                    // Drained, and between two frames.
                    break;
                }
            }
            finishReading(staging.flip());
        }
    }

    private void finishReading(ByteBuffer rest) throws IOException {
        if (phase == Phase.STARTING || phase == Phase.STREAMING) {
            tcp.keepUnparsed(rest);
            if (tcp.isEndOfStream()) {
                endOfStream();
            } else if (phase == Phase.STREAMING && !turnQueued) {
                transmit();
            }
        }
    }

    private void endOfStream() {
        if (phase == Phase.STREAMING && !tcp.hasUnparsed() && receiver != null && !receiver.isInsideMessage()) {
            // An orderly end needs no reason. There is no half-closed service: Linux closes both directions too.
            close();
        } else {
            String where = phase == Phase.STREAMING ? tcp.hasUnparsed() ? " inside an FPDU" : " inside a message" : "";
            lost(new EOFException("peer closed the connection" + where));
        }
    }

    private void parse(ByteBuffer b) throws IOException {
        if (startup != null) {
            startup.parse(b);
        }
        if (phase == Phase.STREAMING) {
            receive(b);
        }
    }

    private void discard() throws IOException {
        ByteBuffer staging = events.receiveStaging();
        for (int i = 0; i < READS_PER_TURN; i++) {
            int n = tcp.read(staging.clear());
            if (n < 0) {
                close();
            }
            if (n <= 0) {
                return;
            }
        }
    }

    private void writable() throws IOException {
        boolean all = tcp.sendUnsent();
        retire();
        if (all) {
            updateInterest();
            if (phase == Phase.STREAMING) {
                transmit();
            }
            finishDraining();
        }
    }

    private void updateInterest() {
        boolean read = phase == Phase.DRAINING || phase == Phase.LINGERING || isReading();
        tcp.interest((read ? SelectionKey.OP_READ : 0) | (tcp.hasUnsent() ? SelectionKey.OP_WRITE : 0));
    }

    // ---------------------------------------------------------------- stream

    private void receive(ByteBuffer b) {
        assert receiver != null && qp != null;
        StreamReceiver r = receiver;
        try {
            receiverNotReady = !r.consume(b);
            Terminate t = r.terminate();
            if (t != null) {
                drain("peer sent Terminate " + t.describe());
                return;
            }
            if (awaitingFirstFpdu && r.hasReceivedAny()) {
                awaitingFirstFpdu = false;
                cancelDeadline();
            }
            if (receiverNotReady) {
                holdBack(r.noBuffer(b));
            }
        } catch (StreamFault f) {
            terminate(f, true);
        }
        retire();
    }

    /**
     * No receive is posted for the peer's Send. DDP cannot say "later", but TCP can: the socket is not read for a
     * while. RFC 5041, section 7.1, allows to recover by means of the layer below.
     */
    private void holdBack(StreamFault fault) throws StreamFault {
        long nanos = device.config.receiverNotReadyTimeoutNanos();
        if (nanos == 0) {
            throw fault;
        }
        updateInterest();
        deadline(nanos, () -> {
            if (phase == Phase.STREAMING && receiverNotReady) {
                terminate(fault, true);
            }
        });
    }

    /** A receive was posted. */
    void receivePosted() {
        if (receiverNotReady) {
            queueTurn();
        }
    }

    /** Something was posted to the send queue, which goes out at once if nothing else is in front of it. */
    void sendPosted() {
        if (phase == Phase.STREAMING && !(turnQueued && transmitter != null && transmitter.isOutOfRoom())) {
            guardedTransmit();
        }
    }

    private void queueTurn() {
        if (!turnQueued) {
            turnQueued = true;
            events.ready(this);
        }
    }

    /** A turn asked for by {@link #queueTurn}. */
    void turn() {
        turnQueued = false;
        if (phase == Phase.STREAMING
                && receiverNotReady
                && qp != null
                && !qp.receives().isEmpty()) {
            resumeReceiving();
        }
        if (phase == Phase.STREAMING) {
            guardedTransmit();
        }
    }

    private void resumeReceiving() {
        try {
            receiverNotReady = false;
            cancelDeadline();
            ByteBuffer staging = events.receiveStaging();
            tcp.takeUnparsed(staging);
            receive(staging.flip());
            if (phase == Phase.STREAMING) {
                tcp.keepUnparsed(staging);
                updateInterest();
            }
        } catch (RuntimeException | AssertionError e) {
            internalError(e);
        }
    }

    private void guardedTransmit() {
        try {
            transmit();
        } catch (IOException e) {
            lost(e);
        } catch (RuntimeException | AssertionError e) {
            internalError(e);
        }
    }

    /** Sends up to one staging buffer. */
    private void transmit() throws IOException {
        assert transmitter != null && qp != null;
        StreamTransmitter t = transmitter;
        if (tcp.hasUnsent() || awaitingFirstFpdu || !t.hasWork()) {
            return;
        }
        ByteBuffer staging = events.transmitStaging();
        t.fill(staging);
        if (staging.flip().hasRemaining()) {
            tcp.send(staging);
        }
        retire();
        if (phase != Phase.STREAMING) {
            return;
        }
        StreamFault fault = t.fault();
        if (fault != null) {
            terminate(fault, true);
        } else if (tcp.hasUnsent()) {
            updateInterest();
        } else if (t.isOutOfRoom()) {
            queueTurn();
        }
    }

    /** Completes what is done. */
    private void retire() {
        if (qp != null && !qp.isInError()) {
            qp.retire(streamOctets());
            if (qp.isOverrun() && phase == Phase.STREAMING) {
                terminate(new StreamFault(TerminateError.RDMAP_LOCAL_CATASTROPHIC, "completion queue overrun"), true);
            }
        }
    }

    /** Octets of the stream that TCP has accepted. */
    private long streamOctets() {
        return tcp.sentOctets() - startupOctets;
    }

    // ---------------------------------------------------------------- the end

    /** Ends the stream in an orderly way: what is staged still goes out and completes, the rest is flushed. */
    void disconnect() {
        if (phase == Phase.STREAMING) {
            beginDraining();
            finishDraining();
        }
    }

    /** Ends the stream for a reason: everything is flushed now, and what is staged still goes out. */
    void drain(String why) {
        if (phase == Phase.STREAMING) {
            logger.debug("closing a connection: {}", why);
            reason(why);
            flush();
            beginDraining();
            finishDraining();
        }
    }

    /** Whether there are octets to get out before the connection can end. */
    boolean isDraining() {
        return phase == Phase.DRAINING;
    }

    /** Ends the connection with a Terminate: RFC 5040, section 6.2.1. */
    void terminate(StreamFault fault, boolean crc) {
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
            StreamTransmitter.appendTerminate(transmitter != null ? transmitter.fpdu() : new Fpdu(crc), b, fault);
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
        tcp.dropUnparsed();
        deadline(device.config.lingerTimeoutNanos(), this::close);
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
        updateInterest();
        try {
            tcp.shutdownOutput();
        } catch (IOException e) {
            logger.debug("sending a FIN failed", e);
            close();
        }
    }

    /** Flushes the queue pair, and tells that a connection which existed does so no more. */
    private void flush() {
        SoftQp q = qp != null ? qp : id != null ? id.queuePair() : null;
        if (q != null && !q.isInError()) {
            q.flush(streamOctets());
        }
        if (qp != null && !disconnectReported && id != null) {
            disconnectReported = true;
            id.event(EventType.RDMA_CM_EVENT_DISCONNECTED, 0, null);
        }
    }

    private void reason(String why) {
        if (id != null) {
            id.reason(why);
        }
    }

    /** The socket has failed, or the peer has ended the connection; no half-closed service. */
    void lost(IOException e) {
        if (startup != null) {
            startup.failed(e);
        } else if (phase != Phase.CLOSED) {
            logger.debug("connection lost: {}", e.toString());
            reason(e instanceof EOFException ? String.valueOf(e.getMessage()) : "connection lost: " + e.getMessage());
            close();
        }
    }

    /** The application destroys the id; it hears nothing more. */
    void idDestroyed() {
        if (startup != null) {
            startup.idDestroyed();
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
        flush();
        cancelDeadline();
        tcp.close();
        device.connections.decrementAndGet();
        if (id != null && id.connection() == this) {
            id.connection(null);
        }
    }

    @Override
    public void shutdown() {
        reason("event channel destroyed");
        close();
    }
}
