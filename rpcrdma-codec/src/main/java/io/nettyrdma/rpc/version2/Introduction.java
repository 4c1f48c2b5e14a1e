// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.nettyrdma.rpc.error.HostAuthenticationException;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells the peer the properties of this side, and runs the handshake of host authentication in them. Every event may
 * allow, or need, further messages; these are sent at once.
 *
 * <p>Threading: confined to the executor of the handlers.
 */
final class Introduction {

    private final Version2Connection connection;
    private final PropertyExchange exchange;
    private final OwnProperties own = new OwnProperties();
    private final HostHandshake handshake;
    private int xid;

    /** @param exchange tells how far the peer is */
    Introduction(Version2Connection connection, PropertyExchange exchange) {
        this.connection = connection;
        this.exchange = exchange;
        handshake = new HostHandshake(connection.version2().hostAuthentication(), own);
    }

    /** Whether this side has accepted its peer. */
    boolean isPeerAccepted() {
        return handshake.isDone();
    }

    /**
     * Whether the last properties of both sides are out. When the peer's last ones are there, this side has either sent
     * its own, or refused the peer and ended the connection.
     */
    boolean isOver() {
        return exchange.peer() == PropertyExchange.Phase.FINAL; // V2-116
    }

    /**
     * Begins.
     *
     * @param peer  its address, {@code null} if it is not known
     * @param xid   of all messages of own properties
     * @param level what this side takes of calls in the reverse direction
     */
    void begin(RpcRdmaRole role, @Nullable SocketAddress peer, int xid, ReverseLevel level)
            throws HostAuthenticationException {
        this.xid = xid;
        own.add(connection.properties(level));
        handshake.start(role, peer);
        goOn();
    }

    /** A set of the peer was applied. */
    void onApplied(List<TransportProperty> set) throws HostAuthenticationException {
        byte @Nullable [] token = TransportProperty.hostAuthentication(set);
        if (token != null) {
            handshake.receive(token);
        }
        goOn();
    }

    /** Sends what can be sent now, unless the peer tells nothing more and is not accepted. */
    void goOn() throws HostAuthenticationException {
        if (exchange.peer() == PropertyExchange.Phase.FINAL) {
            handshake.onPeerFinal();
        }
        for (OwnProperties.Part part = next(); part != null; part = next()) {
            connection.tell(xid, part);
        }
        assert own.isOver() || !isOver();
    }

    private OwnProperties.@Nullable Part next() throws HostAuthenticationException {
        return own.next(exchange.peer() != PropertyExchange.Phase.NONE, connection.longestSend());
    }
}
