// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.doctor;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RdmaWrite;
import io.nettyrdma.channel.RemoteSegment;
import io.nettyrdma.examples.doctor.Pair.Kind;
import io.nettyrdma.examples.echo.EchoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * Proves one transport by connections to itself, step by step. A program of its own, because DiSNI knows one provider
 * per JVM, and because a fault in native code may end it or keep it for ever. {@link Trial} starts it.
 */
final class Proof {

    /** The second argument, if the steps tell times. */
    static final String TIMED = "timed";

    static final String OK = "ok      ";
    static final String FAILED = "failed  ";
    /** The last line. */
    static final String END = "end of the proof";

    private static final int MEMORY_BYTES = 1 << 18;
    private static final int STREAM_BYTES = 4 << 20;
    private static final int STREAM_WRITE_BYTES = 64 << 10;
    /** The longest message with the default receive. */
    private static final int MESSAGE_BYTES = 4096;

    private static final int SMALL_BYTES = 64;
    /** Less than the default number of receives: without flow control, more would end the connection. */
    private static final int IN_FLIGHT = 16;

    private static final byte[] REQUEST = "doctor asks".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ANSWER = "doctor answers".getBytes(StandardCharsets.US_ASCII);

    /** A step; returns what it found. */
    private interface Step {
        String run() throws Exception;
    }

    private final boolean isTimed;
    private final int seconds;
    private InetAddress address;
    private boolean hasPrivateData;

    private Proof(boolean isTimed, int seconds, InetAddress address) {
        this.isTimed = isTimed;
        this.seconds = seconds;
        this.address = address;
    }

    /** Usage: {@code Proof rdma|tcp timed|untimed SECONDS ADDRESS...}; the first address that works counts. */
    public static void main(String[] arguments) throws IOException {
        Proof proof = new Proof(
                arguments[1].equals(TIMED), Integer.parseInt(arguments[2]), InetAddress.getByName(arguments[3]));
        if (arguments[0].equals("tcp")) {
            proof.ofStream(Kind.TCP);
        } else {
            proof.step("connects to itself, private data both ways", () -> proof.connects(arguments));
            proof.step("messages", proof::messages);
            proof.step("RDMA Write and Read", proof::writesAndReads);
            proof.step("invalidated memory is refused", proof::refusesInvalidated);
            proof.ofBytes(Kind.MESSAGES, "messages", MESSAGE_BYTES);
            if (proof.hasPrivateData) { // which sets up streams
                proof.ofStream(Kind.STREAM);
            }
        }
        System.out.println(END);
        System.exit(0); // also if a loop hangs
    }

    private void ofStream(Kind kind) {
        step("byte stream", () -> stream(kind));
        ofBytes(kind, "byte stream", STREAM_WRITE_BYTES);
    }

    private void ofBytes(Kind kind, String name, int bytes) {
        step(name + ": loss of the peer", () -> loss(kind));
        step(name + ": round trip of " + SMALL_BYTES + " bytes", () -> pace(kind, 1, SMALL_BYTES));
        step(
                name + ": " + IN_FLIGHT + " times " + bytes + " bytes in flight, there and back",
                () -> pace(kind, IN_FLIGHT, bytes));
    }

    private void step(String name, Step step) {
        String line;
        try {
            line = OK + name + ": " + step.run();
        } catch (Throwable e) { // of any kind: other steps follow
            line = FAILED + name + ": " + (e.getCause() == null ? e : e + ", cause " + e.getCause());
        }
        System.out.println(line.replace('\n', ' '));
    }

    private String connects(String[] arguments) throws Exception {
        Exception failure = null;
        for (String candidate : Arrays.asList(arguments).subList(3, arguments.length)) {
            address = InetAddress.getByName(candidate);
            End server = new End(ANSWER);
            End client = new End(REQUEST);
            try (Pair pair = new Pair(Kind.MESSAGES, address, seconds, server, client)) {
                hasPrivateData =
                        pair.get(client.device, "the device").privateData().any();
                if (hasPrivateData) {
                    compare(REQUEST, pair.get(server.peerData, "private data"), "private data of the request");
                    compare(ANSWER, pair.get(client.peerData, "private data"), "private data of the answer");
                }
                return (hasPrivateData ? "compared; " : "the provider carries none; ") + client.device.get();
            } catch (Exception e) {
                failure = failure == null ? e : failure;
            }
        }
        throw failure == null ? new IOException("no address") : failure;
    }

    /** Some devices append zeros. */
    private static void compare(byte[] expected, byte[] found, String what) throws IOException {
        int difference = Arrays.mismatch(expected, Arrays.copyOf(found, expected.length));
        if (difference >= 0) {
            throw new IOException(what + " differs at byte " + difference + " of " + expected.length);
        }
    }

    private static byte[] pattern(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (length + i * 31 + (i >> 8));
        }
        return bytes;
    }

    /** One less and one more than each power of two, and itself. */
    private static int[] lengths(int max) {
        return IntStream.iterate(1, power -> power <= max, power -> power << 1)
                .flatMap(power -> IntStream.of(power - 1, power, power + 1))
                .filter(length -> length > 0 && length <= max)
                .distinct()
                .toArray();
    }

    private static String compared(int[] lengths) {
        return String.format("%d lengths from 1 to %,d bytes compared", lengths.length, lengths[lengths.length - 1]);
    }

    private String messages() throws Exception {
        int[] lengths = lengths(MESSAGE_BYTES);
        End client = new End();
        try (Pair pair = new Pair(Kind.MESSAGES, address, seconds, new EchoHandler(), client)) {
            pair.settled(pair.client.writeAndFlush(Unpooled.EMPTY_BUFFER)); // sends nothing
            for (int length : lengths) {
                byte[] message = pattern(length);
                pair.client.writeAndFlush(Unpooled.wrappedBuffer(message));
                byte[] back = client.take(seconds);
                if (back.length != length) {
                    throw new IOException("a message of " + length + " bytes came back as one of " + back.length);
                }
                compare(message, back, "a message of " + length + " bytes");
            }
        }
        return compared(lengths);
    }

    /** The memory that the server lends. It can be reached when a message has come that was written after it. */
    private RdmaMemory lend(Pair pair, End client) throws Exception {
        RdmaChannel server = (RdmaChannel) pair.server;
        RdmaMemory memory = pair.settled(server.eventLoop()
                        .submit(() -> server.allocateMemory(MEMORY_BYTES, RdmaAccess.REMOTE_READ_WRITE)))
                .get();
        server.writeAndFlush(Unpooled.wrappedBuffer(ANSWER)); // to another machine, it would carry the segment
        client.take(seconds);
        return memory;
    }

    private static Future<?> read(Pair pair, RemoteSegment from, ByteBuf target) {
        return pair.client.writeAndFlush(new RdmaRead(from, target.retain()));
    }

    private String writesAndReads() throws Exception {
        int[] lengths = lengths(MEMORY_BYTES);
        End client = new End();
        try (Pair pair = new Pair(Kind.MESSAGES, address, seconds, new End(), client)) {
            RdmaMemory memory = lend(pair, client);
            RemoteSegment all = pair.server.eventLoop().submit(memory::segment).get();
            for (int length : lengths) {
                int offset = MEMORY_BYTES - length; // up to the last byte
                RemoteSegment segment = all.slice(offset, length);
                byte[] bytes = pattern(length);
                ByteBuf target = Unpooled.directBuffer(length, length);
                pair.client.write(new RdmaWrite(Unpooled.wrappedBuffer(bytes), segment));
                pair.settled(read(pair, segment, target));
                byte[] back = new byte[length];
                target.readBytes(back).release();
                compare(bytes, back, "an RDMA Read of " + length + " bytes");
                byte[] written = new byte[length];
                pair.settled(
                        pair.server.eventLoop().submit(() -> memory.content().getBytes(offset, written)));
                compare(bytes, written, "an RDMA Write of " + length + " bytes");
            }
            memory.release();
        }
        return compared(lengths);
    }

    private String refusesInvalidated() throws Exception {
        End server = new End();
        End client = new End();
        try (Pair pair = new Pair(Kind.MESSAGES, address, seconds, server, client)) {
            RdmaMemory memory = lend(pair, client);
            RemoteSegment segment =
                    pair.server.eventLoop().submit(memory::segment).get();
            ByteBuf target = Unpooled.directBuffer(MEMORY_BYTES, MEMORY_BYTES);
            pair.settled(read(pair, segment, target));
            pair.settled(pair.server.eventLoop().submit(() -> {
                memory.invalidate();
                return null;
            }));
            Future<?> refused = read(pair, segment, target.clear());
            if (!refused.await(seconds, TimeUnit.SECONDS)) {
                throw new IOException("an RDMA Read of invalidated memory did not end within " + seconds + " s");
            }
            target.release();
            if (refused.isSuccess()) {
                throw new IOException("the peer could read memory after its invalidation");
            }
            pair.get(client.closed, "the end of the connection");
            pair.get(server.closed, "the end of the connection at the other side");
            memory.release();
            return "the read fails, and both sides close";
        }
    }

    private String loss(Kind kind) throws Exception {
        End server = new End();
        try (Pair pair = new Pair(kind, address, seconds, server, new End())) {
            long began = System.nanoTime();
            pair.client.close();
            pair.get(server.closed, "the other side to see the end");
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            return isTimed ? "seen after " + millis + " ms" : "seen";
        }
    }

    private String stream(Kind kind) throws Exception {
        byte[] bytes = pattern(STREAM_BYTES);
        CRC32C sent = new CRC32C();
        CRC32C back = new CRC32C();
        sent.update(bytes);
        End client = new End();
        try (Pair pair = new Pair(kind, address, seconds, new EchoHandler(), client)) {
            for (int from = 0; from < bytes.length; from += STREAM_WRITE_BYTES) {
                pair.client.writeAndFlush(Unpooled.wrappedBuffer(bytes, from, STREAM_WRITE_BYTES));
            }
            for (int missing = STREAM_BYTES; missing > 0; ) {
                byte[] part = client.take(seconds);
                back.update(part);
                missing -= part.length;
            }
        }
        if (back.getValue() != sent.getValue()) {
            throw new IOException("the stream came back with another checksum");
        }
        return String.format("%,d bytes there and back, the checksum is right", STREAM_BYTES);
    }

    private String pace(Kind kind, int inFlight, int messageBytes) throws Exception {
        Pace pace = new Pace(inFlight, messageBytes);
        try (Pair pair = new Pair(kind, address, seconds, new EchoHandler(), pace)) {
            String figures = pair.get(pace.result, "the rounds");
            return (isTimed ? figures : "done") + (kind != Kind.TCP && hasSharedMemory() ? ", shared memory" : "");
        }
    }

    /** Whether the software provider has moved a connection from TCP to memory that both ends map. */
    private static boolean hasSharedMemory() throws IOException {
        Path maps = Path.of("/proc/self/maps");
        return Files.exists(maps) && Files.readString(maps).contains("/netty-rdma-");
    }
}
