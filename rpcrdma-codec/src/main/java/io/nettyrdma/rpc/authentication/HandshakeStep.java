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
