// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.MpaFormatException;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.MpaInitiator;
import io.nettyrdma.verbs.soft.iwarp.MpaTerms;
import io.nettyrdma.verbs.soft.iwarp.StreamFault;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import org.jspecify.annotations.Nullable;

/**
 * The side that connects: TCP, MPA Request, MPA Reply. Whatever comes of it is told by an event, with the status that
 * Linux gives for iWARP.
 *
 * <p>Threading: confined to the thread of the event channel.
 */
final class InitiatorStartup implements Startup {

    private static final int MAX_REPORTED_DEPTH = 255;

    private final SoftCmId id;
    private final SoftProviderConfig config;
    private final MpaInitiator mpa;
    private final TcpConnection connection;
    private boolean awaitingReply;

    private InitiatorStartup(SoftCmId id, MpaInitiator mpa, SocketChannel socket) throws IOException {
        this.id = id;
        this.config = id.device().config;
        this.mpa = mpa;
        connection = new TcpConnection(id.events(), socket, this);
        connection.id(id);
    }

    static void connect(SoftCmId id, MpaInitiator mpa, @Nullable InetSocketAddress from, InetSocketAddress to)
            throws IOException {
        SocketChannel socket = SocketChannel.open();
        InitiatorStartup startup;
        try {
            id.applySocketOptions(socket);
            if (from != null) {
                socket.bind(from);
            }
            startup = new InitiatorStartup(id, mpa, socket);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            socket.close();
            throw e;
        }
        startup.connect(socket, to);
    }

    private void connect(SocketChannel socket, InetSocketAddress to) {
        try {
            boolean connected = socket.connect(to);
            connection.register(connected ? 0 : SelectionKey.OP_CONNECT, connection);
            if (connected) {
                sendRequest();
            } else {
                connection.deadline(
                        config.connectTimeoutNanos(),
                        () -> failUnreachable(
                                VerbsConstants.ETIMEDOUT,
                                "no TCP connection " + SoftProviderConfig.within(config.connectTimeoutNanos())
                                        + " (connectTimeoutMillis)"));
            }
        } catch (IOException e) {
            onConnectFailed(e);
        } catch (UnsupportedAddressTypeException e) {
            onConnectFailed(new IOException("unsupported address: " + to, e));
        }
    }

    @Override
    public void connectable() {
        if (awaitingReply) {
            return;
        }
        try {
            if (connection.tcp().finishConnect()) {
                sendRequest();
            }
        } catch (IOException e) {
            onConnectFailed(e);
        }
    }

    private void sendRequest() throws IOException {
        awaitingReply = true;
        id.source(connection.tcp().localAddress());
        connection.deadline(
                config.mpaReplyTimeoutNanos(),
                () -> failUnreachable(
                        VerbsConstants.ETIMEDOUT,
                        "the peer took the TCP connection, but did not answer "
                                + SoftProviderConfig.within(config.mpaReplyTimeoutNanos())
                                + "; the program there may have a blocked event loop, may have failed to set a"
                                + " channel up, or may not speak iWARP (no MPA Reply)"));
        connection.sendFrame(mpa.request());
    }

    private void onConnectFailed(IOException e) {
        String text = String.valueOf(e.getMessage());
        if (e instanceof NoRouteToHostException) {
            failUnreachable(VerbsConstants.EHOSTUNREACH, text);
        } else if (text.contains("unreachable")) {
            failUnreachable(VerbsConstants.ENETUNREACH, text);
        } else if (e instanceof ConnectException && text.contains("timed out")) {
            failUnreachable(VerbsConstants.ETIMEDOUT, text);
        } else if (e instanceof ConnectException) {
            failRejected(VerbsConstants.ECONNREFUSED, text, null);
        } else {
            fail(EventType.RDMA_CM_EVENT_CONNECT_ERROR, VerbsConstants.EINVAL, text, null);
        }
    }

    private void failUnreachable(int status, String text) {
        fail(EventType.RDMA_CM_EVENT_UNREACHABLE, status, text, null);
    }

    private void failRejected(int status, String text, @Nullable ConnectionParameters parameters) {
        fail(EventType.RDMA_CM_EVENT_REJECTED, status, text, parameters);
    }

    private void fail(EventType type, int status, String text, @Nullable ConnectionParameters parameters) {
        id.reason(text);
        connection.close();
        id.event(type, status, parameters);
    }

    @Override
    public boolean isReading() {
        return awaitingReply;
    }

    @Override
    public void parse(ByteBuffer b) {
        MpaFrame reply;
        try {
            int bytes = MpaFrame.bytes(b, b.position(), b.remaining(), true);
            if (bytes < 0 || b.remaining() < bytes) {
                return;
            }
            reply = MpaFrame.decode(b, b.position(), true);
            // What follows are FPDUs: a responder need not wait for ours (RFC 5044 wants it to, Linux does not).
            b.position(b.position() + bytes);
        } catch (MpaFormatException e) {
            fail(EventType.RDMA_CM_EVENT_CONNECT_ERROR, VerbsConstants.EINVAL, String.valueOf(e.getMessage()), null);
            return;
        }
        String refusal = mpa.refuse(reply);
        if (reply.rejected()) {
            failRejected(VerbsConstants.ECONNRESET, "peer rejected the connection", whatRejecterSaid(reply));
        } else if (refusal != null) {
            failRejected(VerbsConstants.ECONNREFUSED, refusal, null);
        } else if (mpa.isBeyondDepth(reply)) {
            // RFC 6581, section 9.1: a Terminate has to say so.
            String text = "peer wants more RDMA Reads than the " + config.maxReadsInFlight() + " possible";
            connection.terminate(
                    new StreamFault(TerminateError.MPA_INSUFFICIENT_IRD, text),
                    new Fpdu(mpa.terms(reply).crc()));
            id.event(EventType.RDMA_CM_EVENT_CONNECT_ERROR, VerbsConstants.EINVAL, null);
        } else {
            establish(reply);
        }
    }

    /** RFC 6581, section 9.1: the depths of a reject are for the upper layer as well, as far as the API goes. */
    private static ConnectionParameters whatRejecterSaid(MpaFrame reply) {
        EnhancedData enhanced = reply.enhanced();
        int ord = enhanced == null ? 0 : Math.min(enhanced.ord(), MAX_REPORTED_DEPTH);
        int ird = enhanced == null ? 0 : Math.min(enhanced.ird(), MAX_REPORTED_DEPTH);
        return new ConnectionParameters(reply.privateData(), ord, ird);
    }

    private void establish(MpaFrame reply) {
        SoftQp qp = id.queuePair();
        if (qp == null || qp.queues().isInError()) {
            fail(EventType.RDMA_CM_EVENT_CONNECT_ERROR, VerbsConstants.EINVAL, "queue pair is gone or in error", null);
            return;
        }
        MpaTerms terms = mpa.terms(reply);
        connection.startStream(qp, terms, false, mpa.request().bytes()).announceReady();
        id.event(
                EventType.RDMA_CM_EVENT_ESTABLISHED,
                0,
                new ConnectionParameters(reply.privateData(), terms.ird(), terms.ord()));
    }

    @Override
    public void onFailed(IOException e) {
        // Linux: a connection lost in front of the reply counts as rejected.
        failRejected(
                VerbsConstants.ECONNRESET,
                "the peer ended the TCP connection without an answer; the program there may not speak iWARP, or has no"
                        + " memory left (no MPA Reply: " + e.getMessage() + ')',
                null);
    }

    @Override
    public @Nullable PendingRequest request() {
        return null;
    }

    @Override
    public void onIdDestroyed() {
        connection.close();
    }
}
