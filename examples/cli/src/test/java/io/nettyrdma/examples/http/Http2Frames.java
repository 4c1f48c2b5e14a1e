// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A connection of HTTP/2 over TCP that sends single frames, and acknowledges nothing (RFC 9113, section 4.1). */
final class Http2Frames implements Closeable {

    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final byte RST_STREAM = 3;
    private static final byte HEADERS = 1;
    private static final byte SETTINGS = 4;

    /** @param number the first four bytes, which are the error of a reset */
    record Frame(byte type, int flags, int stream, int length, long number) {}

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    /** Sends the preface and empty settings. */
    Http2Frames(InetSocketAddress server) throws IOException {
        socket = new Socket(server.getAddress(), server.getPort());
        socket.setSoTimeout(Deadline.MILLIS);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
        out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        send(SETTINGS, 0, 0, new byte[0]);
    }

    void send(byte type, int flags, int stream, byte[] payload) throws IOException {
        out.writeInt(payload.length << Byte.SIZE | type);
        out.writeByte(flags);
        out.writeInt(stream);
        out.write(payload);
        out.flush();
    }

    /** Sends the headers of a request in one frame, each as a literal without an index (RFC 7541, section 6.2.2). */
    void sendHeaders(int stream, int flags, String method, String path, String... others) throws IOException {
        List<String> headers = new ArrayList<>(List.of(":method", method, ":path", path, ":scheme", "http"));
        headers.addAll(List.of(others));
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        for (int i = 0; i < headers.size(); i += 2) {
            block.write(0);
            writeText(block, headers.get(i));
            writeText(block, headers.get(i + 1));
        }
        send(HEADERS, flags | END_HEADERS, stream, block.toByteArray());
    }

    private static void writeText(ByteArrayOutputStream block, String text) {
        block.write(text.length()); // below 127
        block.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private Frame receive() throws IOException {
        int head = in.readInt();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        byte[] payload = in.readNBytes(head >>> Byte.SIZE);
        long number =
                payload.length < Integer.BYTES ? 0 : ByteBuffer.wrap(payload).getInt();
        return new Frame((byte) head, flags, stream, payload.length, number);
    }

    /** Waits for a frame of a type; fails if the server sends none in time, or closes. */
    Frame await(byte type) throws IOException {
        Frame frame = receive();
        while (frame.type() != type) {
            frame = receive();
        }
        return frame;
    }

    /** Waits for the end of a stream, or its reset; returns its frames. */
    List<Frame> awaitEndOf(int stream) throws IOException {
        List<Frame> frames = new ArrayList<>();
        boolean ended = false;
        while (!ended) {
            Frame frame = receive();
            if (frame.stream() == stream) {
                frames.add(frame);
                ended = frame.type() == RST_STREAM || (frame.flags() & END_STREAM) != 0;
            }
        }
        assertThat(frames).isNotEmpty();
        return frames;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
