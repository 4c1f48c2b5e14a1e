// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One role of the MPA start-up of a connection, until its stream runs or it has failed. */
interface Startup {

    /** TCP has an answer for the attempt to connect. */
    void connectable();

    /** Whether octets of the peer are expected now. */
    boolean isReading();

    /**
     * Octets have come. Consumes a complete frame, otherwise nothing.
     *
     * @throws IOException to have {@link #onFailed} called
     */
    void parse(ByteBuffer b) throws IOException;

    /** The socket has failed, or the peer has ended the connection. */
    void onFailed(IOException e);

    /** What the application has to decide about on the side that was asked; {@code null} on the side that asks. */
    @Nullable
    PendingRequest request();

    void onIdDestroyed();
}
