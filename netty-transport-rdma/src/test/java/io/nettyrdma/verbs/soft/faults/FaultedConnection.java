// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.faults;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** One connection through a {@link FaultRelay}: two sockets, and the two directions between them. */
final class FaultedConnection {

    private final SocketChannel initiator;
    private final SocketChannel responder;
    final FaultedDirection forth;
    final FaultedDirection back;
    private final SelectionKey initiatorKey;
    private final SelectionKey responderKey;
    private boolean swallowing;
    private boolean over;

    FaultedConnection(
            Selector selector,
            SocketChannel initiator,
            SocketChannel responder,
            FaultPlan forthPlan,
            FaultPlan backPlan)
            throws IOException {
        this.initiator = initiator;
        this.responder = responder;
        forth = new FaultedDirection(initiator, responder, forthPlan);
        back = new FaultedDirection(responder, initiator, backPlan);
        initiatorKey = prepare(selector, initiator);
        responderKey = prepare(selector, responder);
    }

    private static SelectionKey prepare(Selector selector, SocketChannel socket) throws IOException {
        socket.configureBlocking(false);
        // Every piece is to be a segment of its own.
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return socket.register(selector, 0);
    }

    /** Whether both sockets are closed. */
    boolean isOver() {
        return over;
    }

    /** Whether the next move does something although no socket is ready. */
    boolean isDue() {
        return !over && (forth.isDue() || back.isDue());
    }

    void move() {
        try {
            if (swallowing) {
                // Both, although one may not have ended yet: a full buffer there would keep its owner from ending.
                if (forth.swallow() & back.swallow()) {
                    close();
                }
            } else {
                act(forth.move());
                if (!over && !swallowing) {
                    act(back.move());
                }
                if (!over && forth.isFinished() && back.isFinished()) {
                    close();
                }
            }
        } catch (IOException e) {
            // One of the two has reset its connection, so the other one hears the same.
            reset();
        }
        if (!over) {
            initiatorKey.interestOps(interest(forth, back));
            responderKey.interestOps(interest(back, forth));
        }
    }

    private int interest(FaultedDirection outgoing, FaultedDirection incoming) {
        return (outgoing.wantsRead() ? SelectionKey.OP_READ : 0) | (incoming.wantsWrite() ? SelectionKey.OP_WRITE : 0);
    }

    private void act(FaultedDirection.Outcome outcome) throws IOException {
        if (outcome == FaultedDirection.Outcome.CLOSE) {
            swallowing = true;
            initiator.shutdownOutput();
            responder.shutdownOutput();
        } else if (outcome == FaultedDirection.Outcome.RESET) {
            reset();
        }
    }

    private void reset() {
        try {
            initiator.setOption(StandardSocketOptions.SO_LINGER, 0);
            responder.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException e) {
            // Closed already, by an end that was met in the same moment.
        }
        close();
    }

    void close() {
        over = true;
        forth.free();
        back.free();
        try (initiator;
                responder) {
            initiatorKey.cancel();
            responderKey.cancel();
        } catch (IOException e) {
            throw new AssertionError("closing a socket of the relay failed", e);
        }
    }
}
