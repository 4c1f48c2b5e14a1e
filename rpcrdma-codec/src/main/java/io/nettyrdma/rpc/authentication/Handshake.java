// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.authentication;

import io.nettyrdma.rpc.error.ConnectionFailedException;

/**
 * The handshake of one connection. Calls begin when both sides are done. A side may send as many tokens as fit into 16
 * messages and 65,536 bytes of properties; both sides together have 5 s for them. A longer handshake ends the
 * connection.
 *
 * <p>Any exception ends the connection: calls fail with it, or with a {@link ConnectionFailedException} whose cause it
 * is. The peer learns no reason.
 *
 * <p>Threading: called on the event loop of the connection, and must not block.
 */
public interface Handshake {

    /**
     * Returns the first step of this side, before it knows any token of the peer. A side that requires a token of its
     * peer must go on here, with or without a token of its own.
     */
    HandshakeStep start() throws ConnectionFailedException;

    /**
     * Answers a token of the peer. Not called once this side is done; later tokens are ignored.
     *
     * @param token at least one byte; this method may keep it
     * @throws ConnectionFailedException if the peer is not the expected one, with {@link
     *                                   ConnectionFailedException.Reason#NOT_AUTHENTICATED}
     */
    HandshakeStep receive(byte[] token) throws ConnectionFailedException;
}
