// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.ChannelPromise;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.util.concurrent.CancellationException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Establishes the connection of a channel, on either side, and reports its end to the channel. Handles the connection
 * management events.
 *
 * <p>Threading: the loop's, but for the addresses and {@link #peerPrivateData()}.
 */
public final class Establishment {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(Establishment.class);
    private static final byte[] NONE = {};

    private final AbstractRdmaChannel channel;
    private final ChannelLifecycle lifecycle;
    private final VerbsConnection connection;
    private final OrderlyClose orderlyClose;
    private volatile byte[] peerPrivateData = NONE;
    private volatile @Nullable InetSocketAddress localAddress;
    private volatile @Nullable InetSocketAddress remoteAddress;
    private volatile @Nullable InetSocketAddress bound;
    /** While the lifecycle says that the channel connects. */
    private @Nullable ConnectAttempt attempt;

    /** @param request the peer's request, or {@code null} for a channel that will connect */
    Establishment(AbstractRdmaChannel channel, @Nullable ConnectionRequest request) {
        this.channel = channel;
        lifecycle = channel.lifecycle;
        connection = channel.connection;
        orderlyClose = channel.orderlyClose;
        if (request != null) {
            peerPrivateData = request.privateData();
            localAddress = request.localAddress();
            remoteAddress = request.remoteAddress();
        }
    }

    public byte[] peerPrivateData() {
        return peerPrivateData.clone();
    }

    /** Returns the connection's local address, or {@code null} if not yet known. */
    @Nullable
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    /** Returns the peer's address; {@code null} before a connection or a request exists. */
    @Nullable
    InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    /**
     * Sets the local address to connect from. The provider binds when it connects; until then the address of port 0 is
     * unknown.
     *
     * @throws AlreadyBoundException      if it is set, or the channel connected or accepted
     * @throws ConnectionPendingException if the channel connects
     */
    void bind(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet)) {
            throw new IllegalArgumentException("local address: " + address + " (expected: an InetSocketAddress)");
        }
        if (lifecycle.isConnecting()) {
            throw new ConnectionPendingException();
        }
        if (bound != null || !lifecycle.mayConnect()) {
            throw new AlreadyBoundException();
        }
        bound = inet;
    }

    /** Returns the local address to connect from, if set. */
    @Nullable
    public InetSocketAddress bound() {
        return bound;
    }

    /**
     * Starts to connect. Every failure fails the promise.
     *
     * @param local    the address to connect from, or {@code null} for the address the channel is bound to
     * @param annotate adds the address to an immediate failure
     */
    void connect(
            SocketAddress remote,
            @Nullable SocketAddress local,
            ChannelPromise promise,
            UnaryOperator<Throwable> annotate) {
        try {
            start(remote, local != null ? local : bound, promise, annotate);
        } catch (Throwable e) {
            if (attempt != null && attempt.isFor(promise)) {
                onFailure(annotate.apply(e));
            } else {
                promise.tryFailure(annotate.apply(e));
            }
        }
    }

    private void start(
            SocketAddress remote,
            @Nullable SocketAddress local,
            ChannelPromise promise,
            UnaryOperator<Throwable> annotate)
            throws IOException {
        if (!channel.isRegistered()) { // no loop would get events
            throw new IllegalStateException("channel is not registered; register it with an event loop first");
        }
        if (lifecycle.isConnecting()) {
            throw new ConnectionPendingException();
        }
        if (!lifecycle.mayConnect()) {
            throw new AlreadyConnectedException();
        }
        if (!(remote instanceof InetSocketAddress inet)) {
            throw new IllegalArgumentException("remote address: " + remote + " (expected: an InetSocketAddress)");
        }
        if (inet.isUnresolved()) {
            throw new UnknownHostException(inet.getHostString());
        }
        ConnectAttempt made = new ConnectAttempt(inet, local, promise, annotate);
        attempt = made;
        lifecycle.connect();
        made.limit(channel.eventLoop(), channel.config().getConnectTimeoutMillis(), this::onFailure);
        promise.addListener(future -> {
            if (future.isCancelled()) {
                onFailure(future.cause());
            }
        });
        connection.resolve(local, inet, resolveTimeoutMillis());
    }

    /** The call that was to connect has failed. */
    private void onRefused(Throwable cause) {
        ConnectAttempt present = attempt;
        if (present == null || !present.triesAnotherPort(cause)) {
            onFailure(cause);
            return;
        }
        logger.debug("{} tries another port", channel, cause);
        connection.startOver(failure -> {
            if (failure != null) {
                logger.warn("failed to free a connection", failure);
            }
            if (attempt != present) {
                return; // over in the meantime
            }
            try {
                connection.resolve(present.local(), present.remote(), resolveTimeoutMillis());
            } catch (Throwable e) {
                onFailure(e);
            }
        });
    }

    private int resolveTimeoutMillis() {
        int timeout = channel.config().getConnectTimeoutMillis();
        return timeout > 0 ? timeout : Integer.MAX_VALUE;
    }

    /** The attempt has failed, for a reason of this side. */
    void onFailure(Throwable cause) {
        ConnectAttempt failed = attempt;
        attempt = null;
        if (failed != null && !(cause instanceof CancellationException)) {
            connection.count(LoopMeter.ofConnect(cause));
        }
        // Close first: listeners of the failure find the channel closed.
        orderlyClose.close();
        if (failed != null) {
            failed.fail(cause);
        }
    }

    /** The channel has closed: the attempt ends. */
    void onClosed() {
        ConnectAttempt failed = attempt;
        attempt = null;
        if (failed != null) {
            failed.fail(new ClosedChannelException());
        }
    }

    /** Passes the peer's private data to the pipeline, and accepts unless a handler closes the channel. */
    void accept() {
        if (!lifecycle.mayAccept()) {
            return;
        }
        RdmaCapabilities device = connection.capabilities();
        ConnectionTerms terms = channel.terms();
        terms.onDevice(device);
        terms.onPeerPrivateData(peerPrivateData);
        if (!lifecycle.mayAccept()) {
            return; // a handler closed the channel, which rejected the connection
        }
        try {
            connection.createQueuePair(terms.limits(), channel.exchange());
            ConnectionParameters parameters =
                    terms.parameters(device, device.privateData().acceptBytes());
            lifecycle.accept();
            connection.accept(parameters);
        } catch (Throwable e) {
            orderlyClose.failNow(e); // there is no peer that a close could wait for
        }
    }

    void onCmEvent(RdmaCmIoEvent event) throws Exception {
        if (!lifecycle.isOpen()) {
            if (event.type() == VerbsConstants.CM_DISCONNECTED || event.type() == VerbsConstants.CM_DEVICE_REMOVAL) {
                orderlyClose.onPeerGone(); // while it may still send
            }
            return;
        }
        switch (event.type()) {
            case VerbsConstants.CM_ADDR_RESOLVED -> connection.resolveRoute(resolveTimeoutMillis());
            case VerbsConstants.CM_ROUTE_RESOLVED -> onRouteResolved();
            case VerbsConstants.CM_ESTABLISHED -> onEstablished(event);
            case VerbsConstants.CM_DISCONNECTED,
                    VerbsConstants.CM_DEVICE_REMOVAL,
                    VerbsConstants.CM_REJECTED,
                    VerbsConstants.CM_UNREACHABLE,
                    VerbsConstants.CM_CONNECT_ERROR,
                    VerbsConstants.CM_ADDR_ERROR,
                    VerbsConstants.CM_ROUTE_ERROR -> onEnd(event);
            default -> logger.debug("{} ignores CM event {}", channel, event.type());
        }
    }

    private void onRouteResolved() throws IOException {
        RdmaCapabilities device = connection.capabilities();
        ConnectionTerms terms = channel.terms();
        if (attempt != null && attempt.isFirst()) {
            terms.onDevice(device);
        }
        if (!lifecycle.isOpen()) {
            return; // a handler closed the channel
        }
        connection.createQueuePair(terms.limits(), channel.exchange());
        connection.connect(terms.parameters(device, device.privateData().connectBytes()), this::onRefused);
    }

    private void onEstablished(RdmaCmIoEvent event) throws Exception {
        if (!lifecycle.awaitsConnection()) {
            return;
        }
        connection.onEstablished();
        localAddress = connection.localAddress();
        remoteAddress = connection.remoteAddress();
        ConnectionTerms terms = channel.terms();
        Exchange exchange = channel.exchange();
        ConnectAttempt made = attempt;
        if (made != null) {
            peerPrivateData = event.privateData();
            terms.checkReply(peerPrivateData);
        }
        exchange.onEstablished();
        lifecycle.establish();
        channel.connectionUnsafe().flushAgain(); // what an accepted channel has flushed before
        boolean wanted = true;
        if (made != null) {
            terms.onPeerPrivateData(peerPrivateData); // first: listeners of the connect may write
            attempt = null;
            wanted = made.succeed();
        }
        // Also if a listener has closed the channel: as everywhere in Netty, inactive comes after active.
        channel.pipeline().fireChannelActive();
        if (wanted) {
            exchange.deliver();
        } else {
            orderlyClose.close(); // cancelled in the meantime
        }
    }

    /** The connection is over, or could not be established. */
    private void onEnd(RdmaCmIoEvent event) {
        String reason = connection.disconnectReason();
        ConnectAttempt failed = attempt;
        if (failed != null) {
            onFailure(failed.failure(event.type(), event.status(), event.privateData(), reason));
            return;
        }
        Exchange exchange = channel.exchange();
        lifecycle.onPeerGone(exchange.endOfConnection(reason));
        if (lifecycle.isActive()) {
            exchange.deliver();
        } else {
            orderlyClose.closeNow(channel.voidPromise()); // there is no peer that a close could wait for
        }
        orderlyClose.onPeerGone();
    }
}
