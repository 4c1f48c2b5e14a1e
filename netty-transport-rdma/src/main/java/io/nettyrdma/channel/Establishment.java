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

import io.netty.channel.ChannelPromise;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.ConnectionParameters;
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
 * <p>Threading: the loop's, but for {@link #peerPrivateData()}.
 */
final class Establishment {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(Establishment.class);
    private static final byte[] NONE = {};

    private final RdmaChannel channel;
    private final VerbsConnection connection;
    private volatile byte[] peerPrivateData;
    private @Nullable ConnectAttempt connecting;

    Establishment(RdmaChannel channel, VerbsConnection connection, @Nullable ConnectionParameters peer) {
        this.channel = channel;
        this.connection = connection;
        peerPrivateData = peer != null ? peer.privateData() : NONE;
    }

    byte[] peerPrivateData() {
        return peerPrivateData.clone();
    }

    /**
     * Starts to connect. What is thrown is to be told to {@link #failed} or, if no attempt was made, to the promise.
     *
     * @param local where to connect from, or {@code null} to leave that to the provider
     */
    void connect(SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) throws IOException {
        if (!channel.isRegistered()) { // nobody would hear of events
            throw new IllegalStateException("channel is not registered with an event loop");
        }
        if (connecting != null) {
            throw new ConnectionPendingException();
        }
        if (channel.state() != ChannelState.OPEN) {
            throw new AlreadyConnectedException();
        }
        if (!(remote instanceof InetSocketAddress inet)) {
            throw new IllegalArgumentException("RDMA connects to an InetSocketAddress, not to " + remote);
        }
        if (inet.isUnresolved()) {
            throw new UnknownHostException(inet.getHostString());
        }
        ConnectAttempt attempt = new ConnectAttempt(inet, promise);
        connecting = attempt;
        channel.state(ChannelState.CONNECTING);
        attempt.limit(channel.eventLoop(), channel.config().getConnectTimeoutMillis(), this::failed);
        promise.addListener(future -> {
            if (future.isCancelled()) {
                failed(future.cause());
            }
        });
        connection.resolve(local, inet);
    }

    /** Whether {@code promise} is that of the attempt under way. */
    boolean isFor(ChannelPromise promise) {
        return connecting != null && connecting.isFor(promise);
    }

    boolean isConnecting() {
        return connecting != null;
    }

    /** The attempt has failed, for a reason of this side. */
    void failed(Throwable cause) {
        ConnectAttempt attempt = connecting;
        connecting = null;
        // First closed, then told: who hears of the failure finds the channel closed.
        channel.unsafe().close(channel.voidPromise());
        if (attempt != null) {
            attempt.fail(cause);
        }
    }

    /** The channel has closed: nothing comes of the attempt. */
    void closed() {
        ConnectAttempt attempt = connecting;
        connecting = null;
        if (attempt != null) {
            attempt.fail(new ClosedChannelException());
        }
    }

    /** Shows the pipeline who asks, and accepts unless a handler has closed the channel over it. */
    void accept() {
        if (channel.state() != ChannelState.REQUESTED) {
            return;
        }
        channel.pipeline().fireUserEventTriggered(new RdmaPrivateDataEvent(peerPrivateData));
        if (channel.state() != ChannelState.REQUESTED) {
            return; // a handler closed the channel, which rejected the connection
        }
        try {
            channel.state(ChannelState.ACCEPTING);
            connection.accept();
        } catch (Throwable e) {
            channel.fail(e);
        }
    }

    void onCmEvent(RdmaCmIoEvent event) throws IOException {
        if (channel.state() == ChannelState.CLOSED) {
            return;
        }
        switch (event.type()) {
            case VerbsConstants.CM_ADDR_RESOLVED -> connection.resolveRoute();
            case VerbsConstants.CM_ROUTE_RESOLVED -> connection.connect(this::failed);
            case VerbsConstants.CM_ESTABLISHED -> established(event);
            case VerbsConstants.CM_DISCONNECTED,
                    VerbsConstants.CM_DEVICE_REMOVAL,
                    VerbsConstants.CM_REJECTED,
                    VerbsConstants.CM_UNREACHABLE,
                    VerbsConstants.CM_CONNECT_ERROR,
                    VerbsConstants.CM_ADDR_ERROR,
                    VerbsConstants.CM_ROUTE_ERROR -> ended(event);
            default -> logger.debug("{} ignores CM event {}", channel, event.type());
        }
    }

    private void established(RdmaCmIoEvent event) {
        if (channel.state() != ChannelState.CONNECTING && channel.state() != ChannelState.ACCEPTING) {
            return;
        }
        channel.addresses(connection.localAddress(), connection.remoteAddress());
        channel.state(ChannelState.ACTIVE);
        ConnectAttempt attempt = connecting;
        boolean wanted = true;
        if (attempt != null) {
            connecting = null;
            peerPrivateData = event.privateData();
            wanted = attempt.succeed();
            channel.pipeline().fireUserEventTriggered(new RdmaPrivateDataEvent(peerPrivateData));
        }
        // Also if a listener has closed the channel: as everywhere in Netty, inactive comes after active.
        channel.pipeline().fireChannelActive();
        if (wanted) {
            channel.deliver();
        } else {
            channel.unsafe().close(channel.voidPromise()); // cancelled in the meantime
        }
    }

    /** The connection is over, or will not come to be. */
    private void ended(RdmaCmIoEvent event) {
        String reason = connection.disconnectReason();
        ConnectAttempt attempt = connecting;
        if (attempt != null) {
            failed(attempt.failure(event.type(), event.status(), event.privateData(), reason));
        } else {
            channel.peerGone(reason);
        }
    }
}
