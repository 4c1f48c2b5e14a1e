// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** A DNS server on a socket of the JDK: each name is 127.0.0.1, and no name has an IPv6 address. */
final class SmallDns implements AutoCloseable {

    private static final int HEADER_BYTES = 12;
    private static final int TYPE_A = 1;
    private static final int RESPONSE_AUTHORITATIVE = 0x8580;
    private static final int NAME_OF_QUESTION = 0xc00c;

    private final DatagramSocket socket;

    SmallDns() throws IOException {
        socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::answerAll, "dns");
        thread.setDaemon(true);
        thread.start();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    private void answerAll() {
        byte[] bytes = new byte[512];
        while (!socket.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
                socket.receive(packet);
                byte[] answer =
                        answer(ByteBuffer.wrap(bytes, 0, packet.getLength()).slice());
                socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
            } catch (IOException e) {
                // Closed; else the client fails for want of an answer.
            }
        }
    }

    /** Returns the response to {@code query}. */
    static byte[] answer(ByteBuffer query) {
        int end = HEADER_BYTES;
        while (query.get(end) != 0) {
            end += 1 + query.get(end);
        }
        boolean asksForAddress = query.getShort(end + 1) == TYPE_A;
        int questionEnd = end + 5;
        ByteBuffer answer = ByteBuffer.allocate(questionEnd + 16);
        answer.putShort(query.getShort(0)).putShort((short) RESPONSE_AUTHORITATIVE);
        answer.putShort((short) 1).putShort((short) (asksForAddress ? 1 : 0)).putInt(0);
        answer.put(query.slice(HEADER_BYTES, questionEnd - HEADER_BYTES));
        if (asksForAddress) {
            answer.putShort((short) NAME_OF_QUESTION).putShort((short) TYPE_A).putShort((short) 1);
            answer.putInt(60).putShort((short) 4);
            answer.put(InetAddress.getLoopbackAddress().getAddress());
        }
        byte[] bytes = new byte[answer.flip().remaining()];
        answer.get(bytes);
        return bytes;
    }

    @Override
    public void close() {
        socket.close();
    }
}
