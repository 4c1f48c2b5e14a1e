// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A bare socket that speaks iWARP and never reads an octet, for tests of channels. */
public final class SilentClient implements AutoCloseable {

    private static final int RECEIVE_BUFFER_BYTES = 4_096;

    private final SocketChannel socket;
    private final Fpdu fpdu = new Fpdu(true);
    private int msn = Ddp.FIRST_MSN;

    private SilentClient(SocketChannel socket) {
        this.socket = socket;
    }

    /** Connects and sends the MPA Request. */
    public static SilentClient connect(InetSocketAddress to) throws IOException {
        SocketChannel socket = SocketChannel.open();
        socket.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER_BYTES);
        socket.connect(to);
        ByteBuffer request = ByteBuffer.allocate(64);
        new MpaFrame(false, false, true, false, 2, EnhancedData.clientServer(4, 4), new byte[0]).put(request);
        socket.write(request.flip());
        return new SilentClient(socket);
    }

    /** Sends so many messages of this length. */
    public void send(int count, int lengthBytes) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(2 * lengthBytes + 64);
        for (int i = 0; i < count; i++) {
            int at = Fpdu.begin(out.clear());
            Ddp.putUntagged(out, RdmapOpcode.SEND, true, 0, Ddp.QUEUE_SEND, msn++, 0);
            out.put(new byte[lengthBytes]);
            fpdu.end(out, at);
            out.flip();
            while (out.hasRemaining()) {
                socket.write(out);
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
