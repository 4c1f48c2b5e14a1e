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

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.ConnectionParameters;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.VerbsConstants;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import org.jspecify.annotations.Nullable;

/**
 * How the connection of a channel comes to be, on either side, and how the channel learns that it is over: the
 * connection management events and what follows from each.
 *
 * <p>Threading: the loop's, but for the addresses and {@link #peerPrivateData()}.
 */
final class Establishment {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(Establishment.class);
    private static final byte[] NONE = {};

    private final Channel channel;
    private final ChannelLifecycle lifecycle;
    private final VerbsConnection connection;
    private final OrderlyClose orderlyClose;
    private final ConnectionTerms terms;
    private final Runnable deliver;
    private volatile byte[] peerPrivateData = NONE;
    private volatile @Nullable InetSocketAddress localAddress;
    private volatile @Nullable InetSocketAddress remoteAddress;
    /** While the lifecycle says that the channel connects. */
    private @Nullable ConnectAttempt attempt;

    /**
     * @param deliver brings what was received into the pipeline, and closes the channel when nothing is left of a
     *                connection that is over
     * @param request what the channel was made for, or {@code null} if it is to connect
     */
    Establishment(
            Channel channel,
            ChannelLifecycle lifecycle,
            VerbsConnection connection,
            OrderlyClose orderlyClose,
            ConnectionTerms terms,
            Runnable deliver,
            @Nullable ConnectionRequest request) {
        this.channel = channel;
        this.lifecycle = lifecycle;
        this.connection = connection;
        this.orderlyClose = orderlyClose;
        this.terms = terms;
        this.deliver = deliver;
        if (request != null) {
            peerPrivateData = request.privateData();
            localAddress = request.localAddress();
            remoteAddress = request.remoteAddress();
        }
    }

    byte[] peerPrivateData() {
        return peerPrivateData.clone();
    }

    /** The connection's own address; {@code null} before there is one. */
    @Nullable
    InetSocketAddress localAddress() {
        return localAddress;
    }

    /** The peer's address; {@code null} before there is a connection or a request for one. */
    @Nullable
    InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    /**
     * Starts to connect. What is thrown is to be told to {@link #onFailure} or, if no attempt was made, to the promise.
     *
     * @param local where to connect from, or {@code null} to leave that to the provider
     */
    void connect(SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) throws IOException {
        if (!channel.isRegistered()) { // nobody would hear of events
            throw new IllegalStateException("channel is not registered with an event loop");
        }
        if (lifecycle.isConnecting()) {
            throw new ConnectionPendingException();
        }
        if (!lifecycle.mayConnect()) {
            throw new AlreadyConnectedException();
        }
        if (!(remote instanceof InetSocketAddress inet)) {
            throw new IllegalArgumentException("RDMA connects to an InetSocketAddress, not to " + remote);
        }
        if (inet.isUnresolved()) {
            throw new UnknownHostException(inet.getHostString());
        }
        ConnectAttempt made = new ConnectAttempt(inet, local, promise);
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
                logger.warn("a connection is not freed", failure);
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

    /** Whether {@code promise} is that of the attempt under way. */
    boolean isFor(ChannelPromise promise) {
        return attempt != null && attempt.isFor(promise);
    }

    /** The attempt has failed, for a reason of this side. */
    void onFailure(Throwable cause) {
        ConnectAttempt failed = attempt;
        attempt = null;
        // First closed, then told: who hears of the failure finds the channel closed.
        orderlyClose.close();
        if (failed != null) {
            failed.fail(cause);
        }
    }

    /** The channel has closed: nothing comes of the attempt. */
    void onClosed() {
        ConnectAttempt failed = attempt;
        attempt = null;
        if (failed != null) {
            failed.fail(new ClosedChannelException());
        }
    }

    /** Shows the pipeline who asks, and accepts unless a handler has closed the channel over it. */
    void accept() {
        if (!lifecycle.mayAccept()) {
            return;
        }
        RdmaCapabilities device = connection.capabilities();
        terms.onDevice(device);
        terms.onPeerPrivateData(peerPrivateData);
        if (!lifecycle.mayAccept()) {
            return; // a handler closed the channel, which rejected the connection
        }
        try {
            connection.createQueuePair(terms.limits());
            ConnectionParameters parameters =
                    terms.parameters(device, device.privateData().acceptBytes());
            lifecycle.accept();
            connection.accept(parameters);
        } catch (Throwable e) {
            orderlyClose.fail(e);
        }
    }

    void onCmEvent(RdmaCmIoEvent event) throws IOException {
        if (!lifecycle.isOpen()) {
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
        if (attempt != null && attempt.isFirst()) {
            terms.onDevice(device);
        }
        if (!lifecycle.isOpen()) {
            return; // a handler closed the channel
        }
        connection.createQueuePair(terms.limits());
        connection.connect(terms.parameters(device, device.privateData().connectBytes()), this::onRefused);
    }

    private void onEstablished(RdmaCmIoEvent event) {
        if (!lifecycle.awaitsConnection()) {
            return;
        }
        localAddress = connection.localAddress();
        remoteAddress = connection.remoteAddress();
        lifecycle.establish();
        ConnectAttempt made = attempt;
        boolean wanted = true;
        if (made != null) {
            attempt = null;
            peerPrivateData = event.privateData();
            wanted = made.succeed();
            terms.onPeerPrivateData(peerPrivateData);
        }
        // Also if a listener has closed the channel: as everywhere in Netty, inactive comes after active.
        channel.pipeline().fireChannelActive();
        if (wanted) {
            deliver.run();
        } else {
            orderlyClose.close(); // cancelled in the meantime
        }
    }

    /** The connection is over, or will not come to be. */
    private void onEnd(RdmaCmIoEvent event) {
        String reason = connection.disconnectReason();
        ConnectAttempt failed = attempt;
        if (failed != null) {
            onFailure(failed.failure(event.type(), event.status(), event.privateData(), reason));
            return;
        }
        lifecycle.onPeerGone(reason == null ? null : new RdmaConnectionException(reason));
        if (lifecycle.isActive()) {
            deliver.run();
        } else {
            orderlyClose.close();
        }
        orderlyClose.closeIfFlushed(); // which may have waited for the reason
    }
}
