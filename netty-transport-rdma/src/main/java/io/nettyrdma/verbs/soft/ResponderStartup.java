// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.internal.Strangers;
import io.nettyrdma.verbs.soft.iwarp.MpaFormatException;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.MpaResponder;
import io.nettyrdma.verbs.soft.iwarp.MpaTerms;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.RequestGoneException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * The side that listens: MPA Request, the application's decision, MPA Reply. Between request and decision the socket
 * is parked, see {@link Parking}, and may move to another event channel.
 *
 * <p>Threading: confined to the thread of the event channel, which {@link #moveTo} changes. Ownership: the listener's
 * backlog counts it until the decision or the move.
 */
final class ResponderStartup implements Startup, PendingRequest {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(ResponderStartup.class);
    private static final byte[] NOTHING = {};

    private final SoftDevice device;
    private final SoftProviderConfig config;
    private final TcpConnection connection;
    private final long sinceNanos;
    private @Nullable SoftListener listener;
    private @Nullable MpaResponder mpa;
    private @Nullable SoftCmId id;

    private @Nullable Parking parking;

    private ResponderStartup(SoftListener listener, SoftEventChannel events, SocketChannel socket) throws IOException {
        this.listener = listener;
        device = events.device();
        config = device.config;
        sinceNanos = device.nanoTime();
        connection = new TcpConnection(events, socket, this);
    }

    static void onTcpAccepted(SoftListener listener, SoftEventChannel events, SocketChannel socket) {
        ResponderStartup startup = null;
        try {
            startup = new ResponderStartup(listener, events, socket);
            startup.connection.register(SelectionKey.OP_READ, startup.connection);
            startup.connection.deadline(startup.config.mpaRequestTimeoutNanos(), startup::end);
            listener.silent(startup);
        } catch (Throwable e) {
            if (startup != null) {
                startup.connection.onFailure(e);
            } else {
                listener.release();
                closeQuietly(socket);
                logger.debug("setting up an accepted socket failed", e);
            }
        }
    }

    private static void closeQuietly(SocketChannel socket) {
        try {
            socket.close();
        } catch (IOException e) {
            logger.debug("closing a socket failed", e);
        }
    }

    @Override
    public void connectable() {
        throw new IllegalStateException("an accepted socket does not connect");
    }

    @Override
    public boolean isReading() {
        return mpa == null;
    }

    @Override
    public void parse(ByteBuffer b) throws IOException {
        MpaFrame request;
        try {
            int bytes = MpaFrame.bytes(b, b.position(), b.remaining(), false);
            if (bytes < 0 || b.remaining() < bytes) {
                return;
            }
            request = MpaFrame.decode(b, b.position(), false);
            if (b.remaining() > bytes) {
                throw Parking.octetsTooEarly();
            }
            b.position(b.limit());
        } catch (MpaFormatException e) {
            device.strangers.info(() -> "closing a connection from " + remoteAddress() + ": " + e.getMessage());
            Strangers.onStranger(connection.tcp().localAddress());
            throw new IOException(e.getMessage(), e);
        }
        if (listener != null) {
            listener.notSilent(this);
        }
        MpaResponder responder = new MpaResponder(config.crcMode(), config.maxReadsInFlight(), request);
        mpa = responder;
        String refusal = responder.refuse();
        SoftListener askedListener = listener;
        if (refusal == null && (askedListener == null || !askedListener.isOpen())) {
            refusal = "no program listens any more";
        }
        if (refusal != null) {
            String why = refusal;
            device.strangers.info(() -> "rejecting a connection from " + remoteAddress() + ": " + why);
            sendReject(NOTHING);
            return;
        }
        assert askedListener != null;
        connection.tcp().handler(park());
        SoftCmId child = askedListener.request(
                connection, new ConnectionParameters(request.privateData(), responder.peerOrd(), responder.peerIrd()));
        id = child;
        connection.id(child);
    }

    @Nullable
    InetSocketAddress remoteAddress() {
        return connection.tcp().remoteAddress();
    }

    /** For how long the connection exists. */
    long ageNanos() {
        return device.nanoTime() - sinceNanos;
    }

    /** Takes what the peer has said by now. */
    void readNow() {
        connection.readNow();
    }

    private Parking park() {
        Parking p = new Parking(connection, this);
        parking = p;
        connection.deadline(config.acceptTimeoutNanos(), () -> {
            if (p.end()) {
                onNotAccepted();
            }
        });
        return p;
    }

    /** Takes the connection out of the parking; false if it is gone. */
    private boolean unpark() {
        Parking p = parking;
        if (p == null || !p.end()) {
            return false;
        }
        connection.tcp().handler(connection);
        return true;
    }

    private void onNotAccepted() {
        connection.tcp().handler(connection);
        if (id != null) {
            id.reason("the connection request was not accepted "
                    + SoftProviderConfig.within(config.acceptTimeoutNanos()));
        }
        rejectQuietly();
    }

    @Override
    public PendingRequest request() {
        return this;
    }

    @Override
    public void accept(SoftQp qp, int ird, int ord, byte[] privateData) throws IOException {
        if (mpa == null || id == null || !unpark()) {
            throw gone();
        }
        if (hasOctets()) {
            // They came in since the selector was asked last.
            IOException tooEarly = Parking.octetsTooEarly();
            onFailed(tooEarly);
            throw tooEarly;
        }
        leaveBacklog();
        MpaTerms terms = mpa.terms(ird, ord);
        MpaFrame reply = mpa.accept(terms, privateData);
        // The queue pair is ready before the peer can know: its first Send may come at once.
        connection.startStream(qp, terms, true, reply.bytes()).awaitFirstFpdu(config.firstFpduTimeoutNanos());
        id.event(EventType.RDMA_CM_EVENT_ESTABLISHED, 0, new ConnectionParameters(NOTHING, terms.ird(), terms.ord()));
        try {
            connection.sendFrame(reply);
        } catch (IOException e) {
            connection.onLost(e);
        }
    }

    private boolean hasOctets() {
        try {
            return connection.discardOnce() > 0;
        } catch (IOException e) {
            // The stream will find the same out, and tell the application as it should be told.
            return false;
        }
    }

    @Override
    public void reject(byte[] privateData) throws IOException {
        if (!unpark()) {
            throw gone();
        }
        sendReject(privateData);
    }

    private void sendReject(byte[] privateData) throws IOException {
        assert mpa != null;
        leaveBacklog();
        connection.sendLast(mpa.reject(privateData));
    }

    private void rejectQuietly() {
        try {
            sendReject(NOTHING);
        } catch (IOException e) {
            logger.debug("rejecting a connection failed", e);
            connection.close();
        }
    }

    @Override
    public void moveTo(SoftEventChannel target) throws IOException {
        if (!target.isOpen()) {
            throw new IOException("event channel is destroyed");
        }
        SoftCmId child = id;
        Parking old = parking;
        if (child == null || old == null) {
            throw gone();
        }
        if (!old.end()) {
            // The thread of the old event channel is closing it.
            child.connection(null);
            throw gone();
        }
        leaveBacklog();
        connection.moveTo(target);
        try {
            connection.register(SelectionKey.OP_READ, park());
        } catch (Throwable e) {
            connection.close(); // the id is the listener's still, and ends there
            throw e;
        }
        child.moveTo(target);
    }

    private static IOException gone() {
        return new RequestGoneException("the connection request is gone");
    }

    private void leaveBacklog() {
        if (listener != null) {
            if (mpa == null) {
                listener.notSilent(this); // no other thread can be here before the request is complete
            }
            listener.release();
            listener = null;
        }
    }

    /** Closes the connection without a word. */
    void end() {
        leaveBacklog();
        connection.close();
    }

    @Override
    public void onFailed(IOException e) {
        logger.debug("connection ended during start-up: {}", e.getMessage());
        if (id != null) {
            id.reason(String.valueOf(e.getMessage()));
        }
        end();
    }

    @Override
    public void onIdDestroyed() {
        // A request that is not taken is rejected, as Linux does.
        if (unpark()) {
            rejectQuietly();
        }
    }
}
