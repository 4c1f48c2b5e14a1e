// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.stream.ModelPeer;
import io.nettyrdma.stream.StreamWord;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.MpaFormatException;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.ReadRequest;
import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * A peer of a byte stream made of a bare TCP socket. A test tells it each octet that it sends, right or wrong. What it
 * receives it checks: bytes are announced after they were written, nothing follows DISCONNECT.
 *
 * <p>Threading: the test's. Every wait ends after {@link Deadline#SECONDS}.
 */
final class StreamPeer implements AutoCloseable {

    /** Words that this peer can take, unless it offers something else. */
    static final int CREDITS = 64;
    /** Octets of each of its buffers. */
    static final int BUFFER_BYTES = 8192;

    static final int BUFFER_KEY = 0x1000_0002;
    static final long BUFFER = 0x7100_0000_0000L;
    private static final int ENTRIES = 4;
    private static final int ENTRY_BYTES = 16;
    private static final int TABLE_KEY = 0x1000_0001;
    private static final long TABLE = 0x7000_0000_0000L;
    private static final int MODULO = 0xffff;

    /** A buffer of the other side. */
    record Target(long address, int key, int bytes) {}

    /** An RDMA Write of the other side, other than of an entry. */
    record Written(long address, int key, int bytes) {}

    /** Of words and entries, as NET says. */
    ByteOrder order = ByteOrder.LITTLE_ENDIAN;
    /** Other side's buffers, the first of them with {@link #filled} octets. */
    final Deque<Target> targets = new ArrayDeque<>();
    /** Words of the other side. */
    final List<Integer> words = new ArrayList<>();
    /** RDMA Writes of the other side, but for entries and empty ones. */
    final List<Written> writes = new ArrayList<>();

    int filled;
    /** Last limit of the other side. */
    int limit;
    /** Words that the other side can take. */
    int otherCredits;
    /** Words sent that count. */
    int counted;
    /** The other side's Terminate, in words. */
    String terminate;
    /** Whether the other side has ended by a reset. */
    boolean reset;

    private final Socket socket;
    private final Fpdu fpdu = new Fpdu(true);
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private ByteArrayOutputStream held;
    private boolean oneByOne;
    private int msn = Ddp.FIRST_MSN;
    private int credits = CREDITS;
    private int datasReceived;
    private long table;
    private int tableKey;
    private int tableEntries;
    private int nextEntry = 1;
    private boolean disconnected;
    private MpaFrame request;

    private StreamPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(Deadline.MILLIS);
    }

    /** Private data that is right. */
    static byte[] offer() {
        return offer(BUFFER_BYTES, BUFFER_KEY);
    }

    static byte[] offer(int bufferBytes, int bufferKey) {
        ByteBuffer out = ByteBuffer.allocate(40);
        out.put((byte) 1).put((byte) 2).putShort((short) CREDITS).putInt(0);
        out.putLong(TABLE).putInt(TABLE_KEY).putInt(ENTRIES);
        out.putLong(BUFFER).putInt(bufferKey).putInt(bufferBytes);
        return out.array();
    }

    /** Connects, without a request. */
    static StreamPeer connect(InetSocketAddress to) throws IOException {
        return new StreamPeer(new Socket(to.getAddress(), to.getPort()));
    }

    /** Takes a connection and its request. */
    static StreamPeer accept(ServerSocket from) throws Exception {
        from.setSoTimeout(Deadline.MILLIS);
        StreamPeer peer = new StreamPeer(from.accept());
        peer.request = peer.frame(false);
        peer.onOffer(peer.request.privateData());
        return peer;
    }

    /** From now on every octet is written by itself. */
    void oneByOne() {
        oneByOne = true;
    }

    /** From now on octets are kept, until they are {@linkplain #release() sent} at once. */
    void hold() {
        held = new ByteArrayOutputStream();
    }

    void release() throws IOException {
        byte[] all = held.toByteArray();
        held = null;
        put(all);
    }

    private void put(byte[] octets) throws IOException {
        if (held != null) {
            held.write(octets);
        } else if (oneByOne) {
            for (byte octet : octets) {
                socket.getOutputStream().write(octet);
            }
        } else {
            socket.getOutputStream().write(octets);
        }
    }

    /** Sends the request of a side that connects. */
    void request(byte[] privateData) throws IOException {
        remember(privateData);
        put(new MpaFrame(false, false, true, false, 2, EnhancedData.clientServer(0, 1), privateData));
    }

    private void remember(byte[] privateData) {
        if (privateData.length >= 4) {
            credits = ByteBuffer.wrap(privateData).getShort(2) & MODULO;
        }
    }

    /** Answers the request. */
    void reply(byte[] privateData) throws IOException {
        remember(privateData);
        EnhancedData asked = request.enhanced();
        EnhancedData answer = asked == null ? null : EnhancedData.clientServer(asked.ord(), asked.ird());
        put(new MpaFrame(true, false, true, false, request.revision(), answer, privateData));
    }

    private void put(MpaFrame frame) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(frame.bytes());
        frame.put(out);
        put(out.array());
    }

    /** The answer to the request. */
    MpaFrame frame(boolean reply) throws IOException, MpaFormatException {
        byte[] header = exactly(MpaFrame.HEADER_BYTES);
        int bytes = MpaFrame.bytes(ByteBuffer.wrap(header), 0, header.length, reply);
        byte[] whole = Arrays.copyOf(header, bytes);
        byte[] rest = exactly(bytes - header.length);
        System.arraycopy(rest, 0, whole, header.length, rest.length);
        return MpaFrame.decode(ByteBuffer.wrap(whole), 0, reply);
    }

    /** As the side that has connected: takes the reply, and publishes a buffer. */
    void takeReply() throws Exception {
        expectReply();
        publish();
    }

    /** As the side that was connected to: the private data of the request. */
    byte[] expectRequest() {
        return request.privateData();
    }

    /** As the side that has connected: takes a reply that is no rejection, and returns its private data. */
    byte[] expectReply() throws Exception {
        MpaFrame reply = frame(true);
        assertThat(reply.rejected()).isFalse();
        onOffer(reply.privateData());
        return reply.privateData();
    }

    private void onOffer(byte[] octets) {
        ByteBuffer in = ByteBuffer.wrap(octets);
        otherCredits = in.getShort(2) & MODULO;
        limit = otherCredits;
        table = in.getLong(8);
        tableKey = in.getInt(16);
        tableEntries = in.getInt(20);
        targets.add(new Target(in.getLong(24), in.getInt(32), in.getInt(36)));
    }

    /** The other side's table. */
    Target table() {
        return new Target(table, tableKey, tableEntries * ENTRY_BYTES);
    }

    /** Publishes another buffer of the usual size. */
    void publish() throws IOException {
        entry(BUFFER + (long) nextEntry * 2 * BUFFER_BYTES, BUFFER_KEY + nextEntry, BUFFER_BYTES);
        grant();
    }

    /** Writes the next entry of the other side's table, and says nothing. */
    void entry(long address, int key, int bytes) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(ENTRY_BYTES).order(order);
        out.putLong(address).putInt(key).putInt(bytes);
        write(table + (long) nextEntry * ENTRY_BYTES, tableKey, out.array());
        nextEntry = (nextEntry + 1) % tableEntries;
    }

    /** Sends the limit that is right. */
    void grant() throws IOException {
        word(StreamWord.limit(rightLimit()));
    }

    int rightLimit() {
        return datasReceived + credits & MODULO;
    }

    void write(long address, int key, byte[] payload) throws IOException {
        fpdu(out -> {
            Ddp.putTagged(out, RdmapOpcode.WRITE, true, key, address);
            out.put(payload);
        });
    }

    void word(int word) throws IOException {
        send(octets(word));
    }

    private byte[] octets(int word) {
        return ByteBuffer.allocate(StreamWord.BYTES)
                .order(order)
                .putInt(0, word)
                .array();
    }

    /** A word, by a Send that invalidates a key. */
    void wordWithInvalidate(int word, int key) throws IOException {
        byte[] payload = octets(word);
        int number = msn++;
        fpdu(out -> {
            Ddp.putUntagged(out, RdmapOpcode.SEND_INVALIDATE, true, key, Ddp.QUEUE_SEND, number, 0);
            out.put(payload);
        });
    }

    /** Asks for octets by an RDMA Read. */
    void read(long address, int key, int bytes) throws IOException {
        fpdu(out -> {
            Ddp.putUntagged(out, RdmapOpcode.READ_REQUEST, true, 0, Ddp.QUEUE_READ_REQUEST, Ddp.FIRST_MSN, 0);
            ReadRequest.put(out, BUFFER_KEY, BUFFER, bytes, key, address);
        });
    }

    void send(byte[] payload) throws IOException {
        int number = msn++;
        fpdu(out -> {
            Ddp.putUntagged(out, RdmapOpcode.SEND, true, 0, Ddp.QUEUE_SEND, number, 0);
            out.put(payload);
        });
    }

    void terminate(TerminateError error) throws IOException {
        fpdu(out -> {
            Ddp.putUntagged(out, RdmapOpcode.TERMINATE, true, 0, Ddp.QUEUE_TERMINATE, Ddp.FIRST_MSN, 0);
            Terminate.put(out, error, null, 0);
        });
    }

    private void fpdu(Consumer<ByteBuffer> ulpdu) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(Fpdu.MAX_BYTES);
        int at = Fpdu.begin(out);
        ulpdu.accept(out);
        fpdu.end(out, at);
        put(Arrays.copyOf(out.array(), out.position()));
    }

    /** Octets that the current buffer of the other side takes. */
    int room() {
        return targets.isEmpty() ? 0 : targets.element().bytes() - filled;
    }

    /** Writes octets where they belong, which has to have room for them, and announces them. */
    void data(byte[] payload) throws IOException {
        Target target = targets.element();
        write(target.address() + filled, target.key(), payload);
        announce(payload.length);
    }

    void data(String text) throws IOException {
        data(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Announces octets that were written. */
    void announce(int bytes) throws IOException {
        word(StreamWord.data(bytes));
        counted++;
        filled += bytes;
        if (room() == 0) {
            targets.remove();
            filled = 0;
        }
    }

    void iomap() throws IOException {
        word(6 << 29);
        counted++;
    }

    /** Makes the other side answer, which it does behind all that was sent before. */
    void sync() throws IOException {
        int before = counted;
        for (int i = 0; i < otherCredits / 2; i++) {
            iomap();
        }
        while ((limit - otherCredits & MODULO) < before || (limit - otherCredits & MODULO) == 0) {
            awaitLimit();
        }
    }

    void awaitLimit() throws IOException {
        int word;
        do {
            word = nextWord();
        } while (StreamWord.kind(word) != StreamWord.Kind.LIMIT);
    }

    /** Takes messages until a word has come. */
    int nextWord() throws IOException {
        Integer word = nextWordOrEnd();
        if (word == null) {
            throw new AssertionError("the connection ended" + (reset ? " by a reset" : "") + " after " + described());
        }
        return word;
    }

    private String described() {
        return words.stream().map(Integer::toHexString).toList() + ", Terminate: " + terminate;
    }

    private Integer nextWordOrEnd() throws IOException {
        ByteBuffer ulpdu;
        while ((ulpdu = ulpdu()) != null) {
            if (Ddp.isTagged(ulpdu, 0)) {
                onWrite(ulpdu);
            } else if (Ddp.opcode(ulpdu, 0) == RdmapOpcode.TERMINATE) {
                int bytes = ulpdu.capacity() - Ddp.UNTAGGED_HEADER_BYTES;
                terminate = Terminate.decode(ulpdu, Ddp.UNTAGGED_HEADER_BYTES, bytes, false)
                        .describe();
            } else {
                assertThat(ulpdu.capacity()).isEqualTo(Ddp.UNTAGGED_HEADER_BYTES + StreamWord.BYTES);
                int word = ulpdu.order(order).getInt(Ddp.UNTAGGED_HEADER_BYTES);
                onWord(word);
                return word;
            }
        }
        return null;
    }

    private void onWrite(ByteBuffer ulpdu) {
        assertThat(Ddp.opcode(ulpdu, 0)).isEqualTo(RdmapOpcode.WRITE);
        int from = Ddp.TAGGED_HEADER_BYTES;
        int bytes = ulpdu.capacity() - from;
        if (bytes == 0) {
            return; // the first message of a side that connects, or its offer of shared memory
        }
        assertThat(disconnected).as("an RDMA Write behind DISCONNECT").isFalse();
        if (Ddp.stag(ulpdu, 0) != TABLE_KEY) {
            writes.add(new Written(Ddp.taggedOffset(ulpdu, 0), Ddp.stag(ulpdu, 0), bytes));
            pending.write(ulpdu.array(), from, bytes);
            return;
        }
        assertThat(bytes).isEqualTo(ENTRY_BYTES);
        ByteBuffer entry = ulpdu.order(order);
        targets.add(new Target(entry.getLong(from), entry.getInt(from + 8), entry.getInt(from + 12)));
    }

    private void onWord(int word) throws IOException {
        assertThat(disconnected).as("a word behind DISCONNECT").isFalse();
        words.add(word);
        switch (StreamWord.kind(word)) {
            case DATA -> {
                assertThat(pending.size()).isEqualTo(word);
                received.write(pending.toByteArray());
                pending.reset();
                datasReceived++;
            }
            case LIMIT -> limit = StreamWord.value(word);
            case DISCONNECT -> disconnected = true;
            default -> assertThat(StreamWord.kind(word)).isNotEqualTo(StreamWord.Kind.INVALID);
        }
    }

    /** The bytes that the other side has sent so far, at least so many. */
    byte[] receive(int bytes) throws IOException {
        while (received.size() < bytes) {
            nextWord();
        }
        return received.toByteArray();
    }

    String receiveText(int bytes) throws IOException {
        return new String(receive(bytes), StandardCharsets.UTF_8);
    }

    void await(int word) throws IOException {
        while (nextWord() != word) {
            // Words before it.
        }
    }

    /** The other side ends by its last word, and then in an orderly way. */
    void expectDisconnect() throws IOException {
        await(StreamWord.DISCONNECT);
        expectEnd();
        assertThat(terminate).isNull();
        assertThat(reset).isFalse();
    }

    /** The other side ends by a Terminate. */
    void expectTerminate() throws IOException {
        expectEnd();
        assertThat(terminate).isNotNull();
    }

    /** Sends what a model has sent. */
    void send(ModelPeer.Item item) throws IOException {
        byte[] octets = item.octets();
        if (octets == null) {
            word(item.word());
            return;
        }
        for (int from = 0; from < octets.length; from += BUFFER_BYTES) {
            write(
                    item.address() + from,
                    item.key(),
                    Arrays.copyOfRange(octets, from, Math.min(octets.length, from + BUFFER_BYTES)));
        }
    }

    /** Takes a message, for a model; this peer does not look at it. */
    ModelPeer.Item nextItem() throws IOException {
        ByteBuffer ulpdu = ulpdu();
        if (ulpdu == null) {
            throw new AssertionError("the connection ended" + (reset ? " by a reset" : ""));
        }
        if (!Ddp.isTagged(ulpdu, 0)) {
            assertThat(Ddp.opcode(ulpdu, 0)).as("a Send").isEqualTo(RdmapOpcode.SEND);
            return new ModelPeer.Item(0, 0, null, ulpdu.order(order).getInt(Ddp.UNTAGGED_HEADER_BYTES));
        }
        byte[] octets = Arrays.copyOfRange(ulpdu.array(), Ddp.TAGGED_HEADER_BYTES, ulpdu.capacity());
        return octets.length == 0
                ? nextItem() // the first message of a side that connects, which has to come at once
                : new ModelPeer.Item(Ddp.taggedOffset(ulpdu, 0), Ddp.stag(ulpdu, 0), octets, 0);
    }

    /** Whether the other side has sent something. */
    boolean hasInput() throws IOException {
        return socket.getInputStream().available() > 0;
    }

    /** The other side ends in any way. */
    void expectEnd() throws IOException {
        while (nextWordOrEnd() != null) {
            // Looked at by onWord.
        }
    }

    /** Closes by FIN, or by RST if there is something unread. */
    void finish() throws IOException {
        socket.shutdownOutput();
    }

    /** Ends by RST. */
    void abort() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    private ByteBuffer ulpdu() throws IOException {
        try {
            int first = socket.getInputStream().read();
            if (first < 0) {
                return null;
            }
            int second = exactly(1)[0] & 0xff;
            int bytes = first << 8 | second;
            byte[] whole = new byte[Fpdu.bytes(bytes)];
            whole[0] = (byte) first;
            whole[1] = (byte) second;
            byte[] rest = exactly(whole.length - Fpdu.LENGTH_BYTES);
            System.arraycopy(rest, 0, whole, Fpdu.LENGTH_BYTES, rest.length);
            assertThat(fpdu.verify(ByteBuffer.wrap(whole), 0)).as("CRC").isTrue();
            return ByteBuffer.wrap(Arrays.copyOfRange(whole, Fpdu.LENGTH_BYTES, Fpdu.LENGTH_BYTES + bytes));
        } catch (SocketException e) {
            reset = true;
            return null;
        }
    }

    private byte[] exactly(int bytes) throws IOException {
        byte[] octets = socket.getInputStream().readNBytes(bytes);
        if (octets.length < bytes) {
            throw new EOFException("end of the connection within a message");
        }
        return octets;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
