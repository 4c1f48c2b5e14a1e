// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The time between a connection request and the application's decision. The peer has nothing to say meanwhile, because
 * an initiator waits for the Reply (RFC 5044, section 7.1.2, rules 2 and 3): the first octet is a violation, and the
 * end of the stream leaves no peer to answer. Either ends the request at once, and nothing of it is kept.
 *
 * <p>Threading: the selector's thread calls {@link #onReady} and {@link #shutdown}; another thread that takes the
 * connection must win {@link #end} first. Ownership: of the connection, until {@link #end} was won.
 */
final class Parking implements SelectorHandler {

    private enum State {
        WAITING,
        LOOKING,
        OVER
    }

    private final TcpConnection connection;
    private final ResponderStartup startup;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    Parking(TcpConnection connection, ResponderStartup startup) {
        this.connection = connection;
        this.startup = startup;
    }

    /** Ends the parking; true for the one who did, whom the connection belongs to from now on. */
    boolean end() {
        while (!state.compareAndSet(State.WAITING, State.OVER)) {
            if (state.get() == State.OVER) {
                return false;
            }
            // The selector's thread looks what there is to read, which takes one system call.
            Thread.onSpinWait();
        }
        return true;
    }

    @Override
    public void onReady(int operations) {
        if (state.compareAndSet(State.WAITING, State.LOOKING)) {
            IOException disturbance = disturbance();
            state.set(disturbance == null ? State.WAITING : State.OVER);
            if (disturbance != null) {
                startup.onFailed(disturbance);
            }
        }
    }

    @Override
    public void onFailure(Throwable e) {
        if (end()) {
            connection.onFailure(e);
        }
    }

    private @Nullable IOException disturbance() {
        try {
            int octets = connection.discardOnce();
            return octets == 0 ? null : octets > 0 ? octetsTooEarly() : new IOException("peer closed the connection");
        } catch (IOException e) {
            return new IOException("connection lost: " + e.getMessage(), e);
        }
    }

    /** What is wrong with octets between Request and Reply. */
    static IOException octetsTooEarly() {
        return new IOException("peer sent octets behind its MPA Request, before the Reply");
    }

    @Override
    public void shutdown() {
        if (end()) {
            connection.shutdown();
        }
    }
}
