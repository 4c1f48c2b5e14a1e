// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/**
 * A server made of a {@link RawPeer}: it takes one connection and one message, and then does something wrong.
 *
 * <p>Threading: a thread of its own, whose failure {@link #close} tells.
 */
public final class RawServer implements AutoCloseable {

    /** What the server does wrong. */
    public enum Fault {
        /** It answers the MPA Request with something else. */
        NO_MPA_REPLY,
        /** It ends the stream with a Terminate. */
        TERMINATE,
        /** Its message has a wrong CRC. */
        WRONG_CRC,
        /** Its message is not one of RPC-over-RDMA. */
        NO_RPC_MESSAGE,
        /** It closes the connection. */
        HANG_UP
    }

    private static final int DEPTH = 1;

    private final Fault fault;
    private final ServerSocketChannel socket;
    private final CompletableFuture<Void> served = new CompletableFuture<>();

    /** Listens. */
    public RawServer(Fault fault) throws Exception {
        this.fault = fault;
        socket = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        new Thread(this::run, "raw-server").start();
    }

    /** Where it listens. */
    public int port() throws Exception {
        return ((InetSocketAddress) socket.getLocalAddress()).getPort();
    }

    private void run() {
        try {
            serve();
            served.complete(null);
        } catch (Exception | AssertionError e) {
            served.completeExceptionally(e);
        }
    }

    private void serve() throws Exception {
        try (Node node = new Node(SoftProviderConfig.builder().build());
                RawPeer peer = RawPeer.accept(socket, node)) {
            MpaFrame request = peer.expectFrame(false, node);
            if (fault == Fault.NO_MPA_REPLY) {
                peer.write(ByteBuffer.wrap("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
                return;
            }
            EnhancedData answer = request.enhanced() == null ? null : EnhancedData.clientServer(DEPTH, DEPTH);
            peer.frame(new MpaFrame(true, false, true, false, request.revision(), answer, Node.NONE));
            peer.expectFpdu(node);
            misbehave(peer);
            if (fault != Fault.HANG_UP) {
                peer.expectEnd(node);
            }
        }
    }

    private void misbehave(RawPeer peer) throws Exception {
        switch (fault) {
            case TERMINATE ->
                peer.send(out -> {
                    Ddp.putUntagged(out, RdmapOpcode.TERMINATE, true, 0, Ddp.QUEUE_TERMINATE, Ddp.FIRST_MSN, 0);
                    Terminate.put(out, TerminateError.RDMAP_CATASTROPHIC_STREAM, null, 0);
                });
            case WRONG_CRC -> {
                ByteBuffer message = peer.fpdu(RawPeer.send(Ddp.FIRST_MSN, 0, true, new byte[28]));
                int last = message.limit() - 1;
                message.put(last, (byte) (message.get(last) ^ 1));
                peer.write(message);
            }
            case NO_RPC_MESSAGE -> peer.send(RawPeer.send(Ddp.FIRST_MSN, 0, true, new byte[3]));
            case NO_MPA_REPLY, HANG_UP -> {}
        }
    }

    /** Waits until everything was done that the server does. */
    @Override
    public void close() throws IOException {
        try {
            served.join();
        } finally {
            socket.close();
        }
    }
}
