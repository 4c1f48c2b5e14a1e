// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.verbs.soft.captures.CapturedConnection;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * One connection of a capture over iWARP, judged by the rules of the byte stream. Each side has private data of 40
 * octets that encodes to itself, but for an offer of direct placement. Each Send has 4 octets and the next message
 * sequence number. Each Write of data continues the buffer that the other side has published first, and stays inside
 * it. Each Write of an entry goes to the next entry of the table. A DATA announces the bytes that were written since
 * the last one. Limits never go back, and cover all DATA. A Terminate needs a DISCONNECT of either side, and is the
 * last of its direction. A rule that does not hold is an {@link AssertionError}; {@code CapturedStreamTest} breaks
 * each.
 */
public final class CapturedStream {

    /** Octet of the private data with the entries for direct placement, which riostream offers. */
    private static final int PLACEMENT_ENTRIES = 7;

    /** A buffer that a side has published. */
    private record Published(long address, int key, long bytes) {}

    /** A segment of RDMA Write, and its place among the lines of the transcript. */
    private record Placed(long address, int key, int bytes, int line) {}

    /** One direction: what its sender has sent. */
    public static final class Direction {
        private final String name;
        private final SetupData setup;
        private final List<Published> published = new ArrayList<>();
        private final List<Placed> placed = new ArrayList<>();
        private final List<String> lines = new ArrayList<>();
        private long writtenBytes;
        private long announcedBytes;
        private int dataWords;
        private long limit;
        private int limitWords;
        private int sends;
        private int wordsAfterDisconnect;
        private int keepalives;
        private boolean shutdown;
        private boolean disconnected;
        private boolean terminated;

        private Direction(String name, SetupData setup) {
            this.name = name;
            this.setup = setup;
            published.add(new Published(setup.bufferAddress(), setup.bufferKey(), setup.bufferBytes()));
            limit = setup.credits();
            lines.add("MPA frame: " + setup.credits() + " credits, table of " + setup.tableEntries()
                    + " entries, buffer 0 of " + setup.bufferBytes() + " octets");
        }

        /** Returns the private data of the sender. */
        public SetupData setup() {
            return setup;
        }

        /** Returns the bytes that the DATA words of the sender announce. */
        public long dataBytes() {
            return announcedBytes;
        }

        /** Returns the number of DATA words. */
        public int dataWords() {
            return dataWords;
        }

        /** Returns the number of LIMIT words. */
        public int limitWords() {
            return limitWords;
        }

        /** Returns the buffers that the sender has published, the one of its private data first. */
        public int publishedBuffers() {
            return published.size();
        }

        /** Whether the sender has sent SHUTDOWN. */
        public boolean isShutDown() {
            return shutdown;
        }

        /** Whether the sender has sent DISCONNECT. */
        public boolean isDisconnected() {
            return disconnected;
        }

        /** Returns the words behind DISCONNECT. rsockets sends limits there; this project sends nothing. */
        public int wordsAfterDisconnect() {
            return wordsAfterDisconnect;
        }

        /** Returns a line for each message of the sender in their order, but for Writes of no bytes. */
        public List<String> transcript() {
            return List.copyOf(lines);
        }

        /** Returns the Writes of no bytes, which rsockets sends with SO_KEEPALIVE. */
        public int keepalives() {
            return keepalives;
        }

        /** Reads all segments of the sender. The other direction gives the table that it writes entries to. */
        private void read(ByteBuffer octets, Direction other, boolean mayEndInside) throws Exception {
            int nextEntry = 1;
            while (octets.hasRemaining()) {
                int start = octets.position();
                assertThat(terminated)
                        .as("Terminate with %d octets behind it, %s", octets.remaining(), name)
                        .isFalse();
                if (octets.remaining() < Fpdu.LENGTH_BYTES
                        || octets.remaining() < Fpdu.bytes(Fpdu.ulpduBytes(octets, start))) {
                    assertThat(mayEndInside)
                            .as("the end of the direction %s inside a segment", name)
                            .isTrue();
                    return;
                }
                int at = start + Fpdu.LENGTH_BYTES;
                int ulpduBytes = Fpdu.ulpduBytes(octets, start);
                int payload = at + Ddp.headerBytes(octets, at);
                int bytes = at + ulpduBytes - payload;
                octets.position(start + Fpdu.bytes(ulpduBytes));
                ByteBuf content = Unpooled.wrappedBuffer(octets.array(), payload, bytes);
                if (!Ddp.isTagged(octets, at)) {
                    untagged(octets, at, content);
                } else if (bytes == 0) { // with any key
                    keepalives++;
                } else {
                    assertThat(Ddp.opcode(octets, at))
                            .as("opcode of a tagged segment, %s", name)
                            .isEqualTo(RdmapOpcode.WRITE);
                    long address = Ddp.taggedOffset(octets, at);
                    if (Ddp.stag(octets, at) == other.setup.tableKey()) {
                        assertThat(bytes).as("octets of an entry, %s", name).isEqualTo(TargetEntry.BYTES);
                        assertThat(address)
                                .as("address of an entry, %s", name)
                                .isEqualTo(TargetEntry.addressOf(other.setup.tableAddress(), nextEntry));
                        nextEntry = (nextEntry + 1) % other.setup.tableEntries();
                        lines.add("RDMA Write of a table entry: buffer " + published.size() + " of "
                                + TargetEntry.bytes(content, 0, false) + " octets");
                        published.add(new Published(
                                TargetEntry.address(content, 0, false),
                                TargetEntry.key(content, 0, false),
                                TargetEntry.bytes(content, 0, false)));
                    } else {
                        placed.add(new Placed(address, Ddp.stag(octets, at), bytes, lines.size()));
                        lines.add("RDMA Write"); // of which the other direction knows the buffer
                        writtenBytes += bytes;
                    }
                }
            }
        }

        private void untagged(ByteBuffer octets, int at, ByteBuf content) throws Exception {
            if (Ddp.opcode(octets, at) == RdmapOpcode.TERMINATE) {
                terminated = true;
                return;
            }
            assertThat(Ddp.opcode(octets, at))
                    .as("opcode of an untagged segment, %s", name)
                    .isEqualTo(RdmapOpcode.SEND);
            assertThat(Ddp.isLast(octets, at)).as("end of a Send, %s", name).isTrue();
            assertThat(Ddp.queueNumber(octets, at))
                    .as("queue of a Send, %s", name)
                    .isEqualTo(Ddp.QUEUE_SEND);
            assertThat(Ddp.messageOffset(octets, at))
                    .as("offset of a Send, %s", name)
                    .isZero();
            assertThat(Ddp.messageSequence(octets, at))
                    .as("message sequence number, %s", name)
                    .isEqualTo(Ddp.FIRST_MSN + sends);
            sends++;
            word(StreamWord.read(content, 0, content.readableBytes(), setup.networkOrder()));
        }

        private void word(int word) {
            StreamWord.Kind kind = StreamWord.kind(word);
            boolean counts = kind == StreamWord.Kind.DATA || kind == StreamWord.Kind.LIMIT;
            lines.add("Send: " + kind + (counts ? " " + StreamWord.value(word) : ""));
            if (disconnected) {
                wordsAfterDisconnect++;
            }
            switch (kind) {
                case DATA -> {
                    assertThat(disconnected || shutdown)
                            .as("DATA behind the end, %s", name)
                            .isFalse();
                    announcedBytes += StreamWord.value(word);
                    dataWords++;
                    assertThat(announcedBytes)
                            .as("bytes that DATA %d announces, with those before it, %s", dataWords, name)
                            .isEqualTo(writtenBytes);
                }
                case LIMIT -> {
                    int step = StreamWord.value(word) - (int) limit & 0xffff;
                    assertThat(step)
                            .as("step of the limit from %d to %d, %s", limit, StreamWord.value(word), name)
                            .isLessThanOrEqualTo(setup.credits());
                    limit += step;
                    limitWords++;
                }
                case SHUTDOWN -> shutdown = true;
                case DISCONNECT -> disconnected = true;
                default -> throw new AssertionError("word " + Integer.toHexString(word) + ", " + name);
            }
        }

        /** Checks that the Writes fill the buffers of the other side in their order. */
        private void judge(Direction other) {
            Deque<Published> buffers = new ArrayDeque<>(other.published);
            long filled = 0;
            int number = 0;
            for (Placed write : placed) {
                Published current = buffers.peek();
                assertThat(current)
                        .as("a published buffer for %s, %s", write, name)
                        .isNotNull();
                assertThat(write.key).as("key of %s, %s", write, name).isEqualTo(current.key);
                assertThat(write.address)
                        .as("address of %s in %s, %s", write, current, name)
                        .isEqualTo(current.address + filled);
                lines.set(
                        write.line,
                        "RDMA Write of " + write.bytes + " octets into buffer " + number + ", from octet " + filled);
                filled += write.bytes;
                assertThat(filled)
                        .as("end of %s in %s, %s", write, current, name)
                        .isLessThanOrEqualTo(current.bytes);
                if (filled == current.bytes) {
                    buffers.remove();
                    number++;
                    filled = 0;
                }
            }
            assertThat((long) dataWords).as("DATA words, %s", name).isLessThanOrEqualTo(other.limit);
            if (disconnected) {
                assertThat(announcedBytes).as("bytes of all DATA, %s", name).isEqualTo(writtenBytes);
            }
            assertThat(terminated && !disconnected && !other.disconnected)
                    .as("Terminate without DISCONNECT, %s", name)
                    .isFalse();
        }
    }

    private final Direction forth;
    private final Direction back;

    private CapturedStream(ByteBuffer forthOctets, ByteBuffer backOctets, String ports, boolean mayEndInside)
            throws Exception {
        forth = new Direction("from the initiator" + ports, setup(forthOctets, false));
        back = new Direction("from the acceptor" + ports, setup(backOctets, true));
        forth.read(forthOctets, back, mayEndInside);
        back.read(backOctets, forth, mayEndInside);
        forth.judge(back);
        back.judge(forth);
    }

    /** Reads and judges a connection. Its capture may end early, at the end of a segment. */
    public static CapturedStream of(CapturedConnection connection) throws Exception {
        return new CapturedStream(
                connection.forth.octets(),
                connection.back.octets(),
                " of " + connection.initiatorPort() + " and " + connection.responderPort(),
                connection.forth.hasReset() || connection.back.hasReset());
    }

    /** Reads and judges what each side has sent so far, at least its private data. */
    public static CapturedStream of(byte[] forth, byte[] back) throws Exception {
        return of(forth, back, true);
    }

    /** Reads and judges what each side has sent, which may end inside a segment or not. */
    static CapturedStream of(byte[] forth, byte[] back, boolean mayEndInside) throws Exception {
        return new CapturedStream(ByteBuffer.wrap(forth), ByteBuffer.wrap(back), "", mayEndInside);
    }

    /** Returns what the active side has sent. */
    public Direction forth() {
        return forth;
    }

    /** Returns what the passive side has sent. */
    public Direction back() {
        return back;
    }

    private static SetupData setup(ByteBuffer octets, boolean reply) throws Exception {
        MpaFrame frame = MpaFrame.decode(octets, 0, reply);
        octets.position(frame.bytes());
        ByteBuf data = Unpooled.wrappedBuffer(frame.privateData());
        SetupData setup = SetupData.decodeRequest(data);
        ByteBuf again = Unpooled.buffer();
        setup.encode(again);
        again.setByte(PLACEMENT_ENTRIES, data.getByte(data.readerIndex() + PLACEMENT_ENTRIES));
        assertThat(again).as("private data").isEqualTo(data);
        if (setup.networkOrder()) {
            throw new IOException("big-endian connections are not supported here");
        }
        return setup;
    }
}
