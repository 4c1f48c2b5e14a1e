// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.verbs.soft.captures.CapturedConnection;
import io.nettyrdma.verbs.soft.captures.TcpCapture;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A judge that accepts everything proves nothing: each rule of {@link CapturedStream} refuses a connection of the
 * capture of {@link RsocketsCaptureTest} when a field of it is changed.
 */
class CapturedStreamTest {

    // Segments of the initiator in their order.
    private static final int WRITE = 0;
    private static final int ENTRY = 2;
    private static final int LIMIT = 3;
    private static final int LAST_WRITE = 8;
    private static final int DATA = 7;
    private static final int LAST_DATA = 9;
    private static final int DISCONNECT = 10;

    // Segments of the acceptor.
    private static final int ENTRY_BACK = 0;
    private static final int FIRST_LIMIT_BACK = 1;

    // Bytes of the initiator.
    private static final int BYTES = 31;
    private static final int BYTES_OF_THE_LAST = 5;

    // Octets of a segment, behind its length.
    private static final int OPCODE = 1;
    private static final int LAST_OF_KEY = 5;
    private static final int LAST_OF_ADDRESS = 13;
    private static final int LAST_OF_QUEUE = 9;
    private static final int LAST_OF_MSN = 13;
    private static final int LAST_OF_OFFSET = 17;
    private static final int WORD = 18;

    // Octets of the private data.
    private static final int RESERVED = 4;
    private static final int CREDITS = 2;
    private static final int LENGTH_OF_BUFFER = 36;

    private interface Change {
        void to(Octets forth, Octets back) throws Exception;
    }

    private record Row(int connection, String name, String message, Change change) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** What a side has sent. */
    private static final class Octets {
        private ByteBuffer octets;

        Octets(CapturedConnection.Direction direction) throws Exception {
            octets = direction.octets();
        }

        private int privateData(boolean reply) throws Exception {
            return MpaFrame.decode(octets, 0, reply).bytes() - SetupData.BYTES;
        }

        /** Returns the place of a segment, behind its length. */
        private int segment(int number) throws Exception {
            int at = MpaFrame.decode(octets, 0, false).bytes();
            for (int i = 0; i < number; i++) {
                at += Fpdu.bytes(Fpdu.ulpduBytes(octets, at));
            }
            return at + Fpdu.LENGTH_BYTES;
        }

        void add(int segment, int octet, int value) throws Exception {
            int at = segment(segment) + octet;
            octets.put(at, (byte) (octets.get(at) + value));
        }

        void opcode(int segment, int opcode) throws Exception {
            int at = segment(segment) + OPCODE;
            octets.put(at, (byte) (Ddp.RDMAP_VERSION | opcode));
        }

        void word(int segment, int word) throws Exception {
            octets.putInt(segment(segment) + WORD, Integer.reverseBytes(word));
        }

        void addToLength(int segment, int octets) throws Exception {
            add(segment, -1, octets);
        }

        /** Leaves the header of an RDMA Write. */
        void empty(int segment) throws Exception {
            int payload = segment(segment) + Ddp.TAGGED_HEADER_BYTES;
            octets.putShort(segment(segment) - Fpdu.LENGTH_BYTES, (short) Ddp.TAGGED_HEADER_BYTES);
            byte[] rest = Arrays.copyOfRange(octets.array(), payload + TargetEntry.BYTES, octets.array().length);
            octets = ByteBuffer.allocate(payload + rest.length)
                    .put(0, octets, 0, payload)
                    .put(payload, rest);
        }

        void cut(int count) {
            octets = ByteBuffer.wrap(Arrays.copyOf(octets.array(), octets.array().length - count));
        }
    }

    private static Row row(String name, String message, Change change) {
        return new Row(0, name, message, change);
    }

    private static Stream<Row> rows() {
        return Stream.of(
                row("private data", "private data", (forth, back) -> {
                    int at = forth.privateData(false) + RESERVED;
                    forth.octets.put(at, (byte) 1);
                }),
                row("order of Sends", "message sequence number", (forth, back) -> forth.add(DATA, LAST_OF_MSN, 1)),
                row("queue of Sends", "queue of a Send", (forth, back) -> forth.add(DATA, LAST_OF_QUEUE, 1)),
                row("offset of Sends", "offset of a Send", (forth, back) -> forth.add(DATA, LAST_OF_OFFSET, 1)),
                row("end of Sends", "end of a Send", (forth, back) -> forth.add(DATA, 0, -Ddp.LAST)),
                row("length of Sends", "octets of a Send: 5", (forth, back) -> forth.addToLength(DATA, 1)),
                row(
                        "opcode of Sends",
                        "opcode of an untagged",
                        (forth, back) -> forth.opcode(DATA, RdmapOpcode.READ_REQUEST)),
                row("opcode of Writes", "opcode of a tagged", (forth, back) -> forth.opcode(WRITE, RdmapOpcode.SEND)),
                row("kind of words", "word a0000005", (forth, back) -> forth.word(DATA, 0xa000_0005)),
                row("bytes of DATA", "bytes that DATA 3 announces", (forth, back) -> forth.add(DATA, WORD, 1)),
                row(
                        "limit back",
                        "step of the limit from 384 to 383",
                        (forth, back) -> forth.word(LIMIT, StreamWord.limit(383))),
                new Row(1, "limit covers DATA", "DATA words", (forth, back) -> {
                    // The initiator sends 19 words.
                    back.octets.putShort(back.privateData(true) + CREDITS, (short) SetupData.MIN_CREDITS);
                    back.word(FIRST_LIMIT_BACK, StreamWord.limit(SetupData.MIN_CREDITS));
                }),
                row(
                        "DATA behind SHUTDOWN",
                        "DATA behind the end",
                        (forth, back) -> forth.word(DATA, StreamWord.SHUTDOWN)),
                row(
                        "DATA behind DISCONNECT",
                        "DATA behind the end",
                        (forth, back) -> forth.word(DATA, StreamWord.DISCONNECT)),
                row(
                        "bytes without DATA",
                        "bytes of all DATA",
                        (forth, back) -> forth.word(LAST_DATA, StreamWord.DISCONNECT)),
                row("key of Writes", "key of", (forth, back) -> forth.add(WRITE, LAST_OF_KEY, 1)),
                row("address of Writes", "address of", (forth, back) -> forth.add(LAST_WRITE, LAST_OF_ADDRESS, 1)),
                row(
                        "end of a buffer",
                        "end of",
                        (forth, back) -> back.octets.putInt(back.privateData(true) + LENGTH_OF_BUFFER, BYTES - 1)),
                row("buffer that was not published", "a published buffer", (forth, back) -> {
                    back.octets.putInt(back.privateData(true) + LENGTH_OF_BUFFER, BYTES - BYTES_OF_THE_LAST);
                    back.empty(ENTRY_BACK);
                }),
                row(
                        "place of an entry",
                        "address of an entry",
                        (forth, back) -> forth.add(ENTRY, LAST_OF_ADDRESS, TargetEntry.BYTES)),
                row("length of an entry", "octets of an entry", (forth, back) -> forth.addToLength(ENTRY, -1)),
                row(
                        "Terminate alone",
                        "Terminate without DISCONNECT",
                        (forth, back) -> forth.opcode(DISCONNECT, RdmapOpcode.TERMINATE)),
                row(
                        "Terminate is the last",
                        "Terminate with ",
                        (forth, back) -> forth.opcode(LAST_DATA, RdmapOpcode.TERMINATE)),
                row("last segment", "inside a segment", (forth, back) -> forth.cut(1)));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void connectionThatBreaksARuleIsRefused(Row row) throws Exception {
        CapturedConnection connection = TcpCapture.connections(
                        CapturedStreamTest.class, "/captures/rsockets-siw.pcap.gz")
                .get(row.connection);
        Octets forth = new Octets(connection.forth);
        Octets back = new Octets(connection.back);
        CapturedStream good = judge(forth, back);
        assertThat(good.forth().dataWords()).isPositive();
        row.change.to(forth, back);
        assertThatThrownBy(() -> judge(forth, back)).hasMessageContaining(row.message);
    }

    private static CapturedStream judge(Octets forth, Octets back) throws Exception {
        return CapturedStream.of(
                forth.octets.array().clone(), back.octets.array().clone(), false);
    }
}
