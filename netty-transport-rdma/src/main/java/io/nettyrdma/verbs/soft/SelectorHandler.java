// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import java.io.IOException;

/** Attachment of a selection key: what is to be told that a socket is ready. */
interface SelectorHandler {

    /**
     * The socket is ready.
     *
     * @param operations the ready ones, {@code SelectionKey.OP_*}
     * @throws IOException to have {@link #onFailure} called, as whatever else is thrown
     */
    void onReady(int operations) throws IOException;

    /** Deals with a failure of this socket, which must not reach the other sockets of the event channel. */
    void onFailure(Throwable e);

    /**
     * Whether {@link #poll} is worth while: this is a stream, which no other event channel takes over, and all that it
     * waits for now is the peer's next message.
     */
    default boolean mayLook() {
        return false;
    }

    /**
     * Reads without having been told that the socket is ready.
     *
     * @return how many octets came; more than none also if the connection has ended
     */
    default int poll() {
        return 0;
    }

    /**
     * A turn that was asked for, by {@link SoftEventChannel#queueTurn} or {@link SoftEventChannel#resumeListeners}.
     *
     * @throws IOException to have {@link #onFailure} called, as whatever else is thrown
     */
    default void turn() throws IOException {}

    /** Whether there are octets to get out before the socket can be closed. */
    default boolean isDraining() {
        return false;
    }

    /** Whether the FIN is sent and the peer's is awaited. */
    default boolean isLingering() {
        return false;
    }

    /** The event channel is going away; close the socket at once. */
    void shutdown();
}
