// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.authentication;

import org.jspecify.annotations.Nullable;

/**
 * The next step of a side in a handshake.
 *
 * <p>Threading: immutable.
 */
public final class HandshakeStep {

    private static final HandshakeStep WAIT = new HandshakeStep(null, false);
    private static final HandshakeStep DONE = new HandshakeStep(null, true);

    private final byte @Nullable [] token;
    private final boolean done;

    private HandshakeStep(byte @Nullable [] token, boolean done) {
        this.token = token;
        this.done = done;
    }

    private static byte[] copy(byte[] token) {
        if (token.length == 0) {
            throw new IllegalArgumentException("token of 0 bytes (expected: 1 or more): a peer takes it for none");
        }
        return token.clone();
    }

    /** Waits for a token of the peer, and sends none. */
    public static HandshakeStep goOn() {
        return WAIT;
    }

    /**
     * Sends a token, and waits for one of the peer.
     *
     * @param token at least one byte; copied
     * @throws IllegalArgumentException if the token is empty
     */
    public static HandshakeStep goOn(byte[] token) {
        return new HandshakeStep(copy(token), false);
    }

    /** Accepts the peer, and sends no further token. */
    public static HandshakeStep done() {
        return DONE;
    }

    /**
     * Accepts the peer, and sends a last token.
     *
     * @param token at least one byte; copied
     * @throws IllegalArgumentException if the token is empty
     */
    public static HandshakeStep done(byte[] token) {
        return new HandshakeStep(copy(token), true);
    }

    /** Returns a copy of the token to send, {@code null} if none. */
    public byte @Nullable [] token() {
        return token == null ? null : token.clone();
    }

    /** Returns whether this side accepts the peer and needs no further token. */
    public boolean isDone() {
        return done;
    }
}
