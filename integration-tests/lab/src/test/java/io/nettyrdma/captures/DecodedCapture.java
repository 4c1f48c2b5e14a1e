// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.captures;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.soft.captures.CapturedConnection;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.ReadRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The start-up frames and DDP segments of both directions of a captured connection, decoded to the last octet. */
final class DecodedCapture {

    /** One direction. */
    static final class Direction {
        final int port;
        final MpaFrame frame;
        private final ByteBuffer stream;
        /** ULPDUs in their order. */
        final List<ByteBuffer> ulpdus = new ArrayList<>();

        private Direction(int port, ByteBuffer stream, boolean reply) throws Exception {
            this.port = port;
            this.stream = stream;
            int bytes = MpaFrame.bytes(stream, 0, stream.remaining(), reply);
            assertThat(bytes).isBetween(MpaFrame.HEADER_BYTES, stream.remaining());
            frame = MpaFrame.decode(stream, 0, reply);
            assertThat(frame.bytes()).isEqualTo(bytes);
            expectSameOctets(bytes);
            stream.position(bytes);
        }

        private void expectSameOctets(int bytes) {
            ByteBuffer out = ByteBuffer.allocate(bytes);
            frame.put(out);
            assertThat(out.flip()).isEqualTo(stream.slice(0, bytes));
        }

        private void segments(boolean crc) {
            Fpdu fpdu = new Fpdu(crc);
            while (stream.hasRemaining()) {
                int at = stream.position();
                assertThat(stream.remaining()).as("octets of an FPDU").isGreaterThanOrEqualTo(Fpdu.LENGTH_BYTES);
                int bytes = Fpdu.ulpduBytes(stream, at);
                assertThat(stream.remaining()).as("octets of an FPDU").isGreaterThanOrEqualTo(Fpdu.bytes(bytes));
                assertThat(fpdu.verify(stream, at)).as("CRC").isTrue();
                ByteBuffer ulpdu = stream.slice(at + Fpdu.LENGTH_BYTES, bytes);
                int opcode = Ddp.opcode(ulpdu, 0);
                assertThat(Ddp.hasValidVersion(ulpdu, 0)).isTrue();
                assertThat(Ddp.hasValidRdmapVersion(ulpdu, 0)).isTrue();
                assertThat(RdmapOpcode.isDefined(opcode)).isTrue();
                assertThat(Ddp.isTagged(ulpdu, 0)).isEqualTo(RdmapOpcode.isTagged(opcode));
                assertThat(bytes).isGreaterThanOrEqualTo(RdmapOpcode.minimumUlpduBytes(opcode));
                expectSameHeader(ulpdu);
                ulpdus.add(ulpdu);
                stream.position(at + Fpdu.bytes(bytes));
            }
        }

        /** What the decoder has found is encoded to the same octets again. */
        private static void expectSameHeader(ByteBuffer u) {
            ByteBuffer out = ByteBuffer.allocate(Ddp.UNTAGGED_HEADER_BYTES + ReadRequest.BYTES);
            int opcode = Ddp.opcode(u, 0);
            boolean last = Ddp.isLast(u, 0);
            if (Ddp.isTagged(u, 0)) {
                Ddp.putTagged(out, opcode, last, Ddp.stag(u, 0), Ddp.taggedOffset(u, 0));
            } else {
                Ddp.putUntagged(
                        out,
                        opcode,
                        last,
                        Ddp.invalidateStag(u, 0),
                        Ddp.queueNumber(u, 0),
                        Ddp.messageSequence(u, 0),
                        Ddp.messageOffset(u, 0));
            }
            if (opcode == RdmapOpcode.READ_REQUEST) {
                int at = out.position();
                assertThat(u.limit()).isEqualTo(at + ReadRequest.BYTES);
                ReadRequest.put(
                        out,
                        ReadRequest.sinkStag(u, at),
                        ReadRequest.sinkOffset(u, at),
                        ReadRequest.size(u, at),
                        ReadRequest.sourceStag(u, at),
                        ReadRequest.sourceOffset(u, at));
            }
            assertThat(out.flip()).isEqualTo(u.slice(0, out.limit()));
        }

        /** The Read Requests. */
        List<ByteBuffer> reads() {
            return ulpdus.stream()
                    .filter(u -> Ddp.opcode(u, 0) == RdmapOpcode.READ_REQUEST)
                    .toList();
        }

        /** The Read Responses, which have to be contiguous, as requests of what they answer. */
        List<String> responses() {
            List<String> responses = new ArrayList<>();
            long next = 0;
            long start = 0;
            boolean inside = false;
            for (ByteBuffer u : ulpdus) {
                if (Ddp.opcode(u, 0) != RdmapOpcode.READ_RESPONSE) {
                    continue;
                }
                if (inside) {
                    assertThat(Ddp.taggedOffset(u, 0)).isEqualTo(next);
                } else {
                    start = Ddp.taggedOffset(u, 0);
                }
                next = Ddp.taggedOffset(u, 0) + u.limit() - Ddp.TAGGED_HEADER_BYTES;
                inside = !Ddp.isLast(u, 0);
                if (!inside) {
                    responses.add(String.format("0x%08x|0x%016x|%d", Ddp.stag(u, 0), start, next - start));
                }
            }
            assertThat(inside).isFalse();
            return responses;
        }

        /** The whole Sends, put together from their segments. */
        List<byte[]> sends() {
            List<byte[]> sends = new ArrayList<>();
            ByteBuffer message = ByteBuffer.allocate(1 << 20);
            for (ByteBuffer ulpdu : ulpdus) {
                if (Ddp.isTagged(ulpdu, 0) || Ddp.queueNumber(ulpdu, 0) != Ddp.QUEUE_SEND) {
                    continue;
                }
                assertThat(Ddp.messageSequence(ulpdu, 0)).isEqualTo(sends.size() + 1);
                assertThat(Ddp.messageOffset(ulpdu, 0)).isEqualTo(message.position());
                int header = Ddp.UNTAGGED_HEADER_BYTES;
                message.put(ulpdu.slice(header, ulpdu.limit() - header));
                if (Ddp.isLast(ulpdu, 0)) {
                    byte[] whole = new byte[message.flip().remaining()];
                    message.get(whole).clear();
                    sends.add(whole);
                }
            }
            assertThat(message.position()).isZero();
            return sends;
        }
    }

    final Direction forth;
    final Direction back;

    DecodedCapture(CapturedConnection c) throws Exception {
        forth = new Direction(c.initiatorPort(), c.forth.octets(), false);
        back = new Direction(c.responderPort(), c.back.octets(), true);
        boolean crc = forth.frame.crc() || back.frame.crc();
        forth.segments(crc);
        back.segments(crc);
    }

    List<Direction> directions() {
        return List.of(forth, back);
    }
}
