// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.authentication;

import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates the two hosts of a connection to each other, by tokens in the transport property {@code HOSTAUTH} of
 * version 2 (draft-ietf-nfsv4-rpcrdma-version-two-01, section 5.2.6). The draft does not define the tokens: both sides
 * must use the same mechanism. Nor does it protect the messages of a connection: a mechanism proves the peer's identity
 * only while the connection is set up.
 *
 * <p>Threading: one hook serves all connections of a configuration, so their event loops may call {@link #begin} at the
 * same time. Neither it nor the handshake may block: other connections of the event loop wait.
 */
@FunctionalInterface
public interface HostAuthentication {

    /**
     * Begins the handshake of one connection: at a requester when the connection is made, at a responder when the first
     * message of the peer arrives.
     *
     * @param role of this side
     * @param peer remote address of the channel, {@code null} if it has none
     * @throws ConnectionFailedException to refuse this connection at once
     */
    Handshake begin(RpcRdmaRole role, @Nullable SocketAddress peer) throws ConnectionFailedException;
}
