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
package io.nettyrdma.verbs.soft;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A TCP relay that a test drives, and that hands octets on in pieces of a given size, each a write of its own. */
final class Relay implements Runnable, AutoCloseable {

    private final ServerSocketChannel server;
    private final InetSocketAddress target;
    private final int pieceBytes;
    private final ByteBuffer forth = ByteBuffer.allocate(4096).limit(0);
    private final ByteBuffer back = ByteBuffer.allocate(4096).limit(0);
    private SocketChannel left;
    private SocketChannel right;

    Relay(InetSocketAddress target, int pieceBytes) throws IOException {
        this.target = target;
        this.pieceBytes = pieceBytes;
        server = ServerSocketChannel.open().bind(Pair.loopback());
        server.configureBlocking(false);
    }

    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) server.getLocalAddress();
    }

    @Override
    public void run() {
        try {
            if (left == null) {
                left = server.accept();
                if (left == null) {
                    return;
                }
                right = SocketChannel.open(target);
                for (SocketChannel c : new SocketChannel[] {left, right}) {
                    c.configureBlocking(false);
                    c.setOption(StandardSocketOptions.TCP_NODELAY, true);
                }
            }
            pump(left, right, forth);
            pump(right, left, back);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void pump(SocketChannel from, SocketChannel to, ByteBuffer b) throws IOException {
        if (!b.hasRemaining()) {
            b.clear();
            int n = from.read(b);
            b.flip();
            if (n < 0 && to.isOpen() && !to.socket().isOutputShutdown()) {
                to.shutdownOutput();
            }
        }
        // Several pieces per call, or tests take for ever; the kernel may join them, but rarely does.
        for (int i = 0; i < 8 && b.hasRemaining(); i++) {
            int limit = b.limit();
            b.limit(Math.min(limit, b.position() + pieceBytes));
            to.write(b);
            b.limit(limit);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        if (left != null) {
            left.close();
            right.close();
        }
    }
}
