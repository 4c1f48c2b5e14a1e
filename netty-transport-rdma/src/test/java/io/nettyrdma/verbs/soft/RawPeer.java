// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.ReadRequest;
import io.nettyrdma.verbs.soft.ring.RingReader;
import io.nettyrdma.verbs.soft.ring.RingWriter;
import io.nettyrdma.verbs.soft.ring.SharedFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import java.util.function.Consumer;

/** A peer made of a bare socket, which says whatever a test wants. */
final class RawPeer implements AutoCloseable {

    final SocketChannel socket;
    final ByteBuffer in = ByteBuffer.allocate(1 << 20).limit(0);
    final Fpdu fpdu;
    /** Everything that came in, for looking through it afterwards. */
    final ByteArrayOutputStream transcript = new ByteArrayOutputStream();

    /** If set, every octet is written by itself, and this is run behind it. */
    Runnable betweenOctets;

    boolean endOfStream;
    boolean reset;

    /** What the connection has moved to, see {@link SameHost}. */
    SharedFile shared;

    /** Numbers of the marks that came and were not asked for. */
    private final Queue<Long> marks = new ArrayDeque<>();

    private RingWriter ringOut;
    private RingReader ringIn;

    private RawPeer(SocketChannel socket, boolean crc) throws IOException {
        this.socket = socket;
        this.fpdu = new Fpdu(crc);
        socket.configureBlocking(false);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    static RawPeer connect(InetSocketAddress to, boolean crc) throws IOException {
        return new RawPeer(SocketChannel.open(to), crc);
    }

    static RawPeer accept(ServerSocketChannel from, Node... nodes) throws IOException {
        from.configureBlocking(false);
        SocketChannel[] accepted = new SocketChannel[1];
        nodes[0].await("a TCP connection", () -> {
            try {
                accepted[0] = from.accept();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return accepted[0] != null;
        });
        return new RawPeer(accepted[0], true);
    }

    void write(ByteBuffer octets) throws IOException {
        if (ringOut != null) {
            ringOut.last(octets);
            bell();
            return;
        }
        int limit = octets.limit();
        while (octets.position() < limit) {
            octets.limit(betweenOctets == null ? limit : octets.position() + 1);
            socket.write(octets);
            if (betweenOctets != null) {
                betweenOctets.run();
            }
        }
    }

    /** Wakes the provider, which has moved to shared memory. */
    void bell() throws IOException {
        socket.write(ByteBuffer.allocate(1));
    }

    /** Offers to move to shared memory, or takes the offer of the provider, and waits until both have. */
    void share(boolean offers, Node node) throws IOException {
        if (!offers) {
            mark(Ddp.MARK_HERE);
        }
        long number = offers ? new Random().nextLong() : expectMark(node);
        shared = offers ? SharedFile.make(number) : SharedFile.claim(number);
        mark(number);
        assertThat(expectMark(node)).isEqualTo(number);
        if (offers) {
            mark(number);
        }
        moveTo(shared);
    }

    /** Sends and receives through these rings from now on. */
    void moveTo(SharedFile rings) {
        fpdu.crcOff();
        ringOut = rings.writer();
        ringIn = rings.reader();
    }

    void mark(long number) throws IOException {
        send(write(Ddp.MARK_STAG, number, true, new byte[0]));
    }

    long expectMark(Node node) {
        while (marks.isEmpty()) {
            expectFpdu(node);
        }
        return marks.remove();
    }

    void request(boolean crc, EnhancedData enhanced, byte[] privateData) throws IOException {
        frame(new MpaFrame(false, false, crc, false, enhanced == null ? 1 : 2, enhanced, privateData));
    }

    void frame(MpaFrame frame) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(1024);
        frame.put(out);
        write(out.flip());
    }

    /** Sends what {@code ulpdu} appends as one FPDU. */
    void send(Consumer<ByteBuffer> ulpdu) throws IOException {
        write(fpdu(ulpdu));
    }

    ByteBuffer fpdu(Consumer<ByteBuffer> ulpdu) {
        ByteBuffer out = ByteBuffer.allocate(1 << 17);
        int at = Fpdu.begin(out);
        ulpdu.accept(out);
        fpdu.end(out, at);
        return out.flip();
    }

    static Consumer<ByteBuffer> send(int msn, int offset, boolean last, byte[] payload) {
        return out -> {
            Ddp.putUntagged(out, RdmapOpcode.SEND, last, 0, Ddp.QUEUE_SEND, msn, offset);
            out.put(payload);
        };
    }

    static Consumer<ByteBuffer> write(int key, long address, boolean last, byte[] payload) {
        return out -> {
            Ddp.putTagged(out, RdmapOpcode.WRITE, last, key, address);
            out.put(payload);
        };
    }

    static Consumer<ByteBuffer> readRequest(int msn, int sinkKey, long sink, int size, int key, long address) {
        return out -> {
            Ddp.putUntagged(out, RdmapOpcode.READ_REQUEST, true, 0, Ddp.QUEUE_READ_REQUEST, msn, 0);
            ReadRequest.put(out, sinkKey, sink, size, key, address);
        };
    }

    static Consumer<ByteBuffer> readResponse(int key, long address, boolean last, byte[] payload) {
        return out -> {
            Ddp.putTagged(out, RdmapOpcode.READ_RESPONSE, last, key, address);
            out.put(payload);
        };
    }

    private void pump() {
        try {
            if (ringIn != null) {
                pumpRing();
            }
            in.compact();
            int n = socket.read(ringIn == null ? in : ByteBuffer.allocate(64));
            endOfStream |= n < 0;
            if (n > 0 && ringIn == null) {
                transcript.write(in.array(), in.position() - n, n);
            }
        } catch (IOException e) {
            reset = true;
            endOfStream = true;
        } finally {
            in.flip();
        }
    }

    private void pumpRing() throws IOException {
        in.compact();
        for (ByteBuffer record = ringIn.record(); record != null; record = ringIn.record()) {
            byte[] octets = new byte[record.remaining()];
            record.get(octets);
            in.put(octets);
            transcript.write(octets);
            ringIn.release();
        }
        in.flip();
    }

    void expectEnd(Node... nodes) {
        nodes[0].await("the end of the connection", () -> {
            pump();
            return endOfStream;
        });
    }

    MpaFrame expectFrame(boolean reply, Node... nodes) throws Exception {
        nodes[0].await("an MPA frame", () -> {
            pump();
            try {
                int bytes = MpaFrame.bytes(in, in.position(), in.remaining(), reply);
                return bytes > 0 && in.remaining() >= bytes;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        MpaFrame frame = MpaFrame.decode(in, in.position(), reply);
        in.position(in.position() + frame.bytes());
        return frame;
    }

    /** The next FPDU's ULPDU, after its CRC was checked. */
    ByteBuffer expectFpdu(Node... nodes) {
        nodes[0].await("an FPDU", this::hasFpdu);
        return takeFpdu();
    }

    boolean hasFpdu() {
        pump();
        return in.remaining() >= 2 && in.remaining() >= Fpdu.bytes(Fpdu.ulpduBytes(in, in.position()));
    }

    ByteBuffer takeFpdu() {
        int at = in.position();
        int bytes = Fpdu.ulpduBytes(in, at);
        if (!fpdu.verify(in, at)) {
            throw new AssertionError("CRC of an FPDU of " + bytes + " octets is wrong");
        }
        byte[] ulpdu = new byte[bytes];
        in.get(at + 2, ulpdu);
        in.position(at + Fpdu.bytes(bytes));
        if (Ddp.isMark(ByteBuffer.wrap(ulpdu), 0, bytes)) {
            marks.add(Ddp.taggedOffset(ByteBuffer.wrap(ulpdu), 0));
            marks.remove(Ddp.MARK_HERE);
        }
        return ByteBuffer.wrap(ulpdu);
    }

    @Override
    public void close() throws IOException {
        socket.close();
        if (shared != null) {
            shared.withdraw();
            shared.close();
        }
    }
}
