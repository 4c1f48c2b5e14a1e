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
package io.nettyrdma.captures;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.soft.captures.CapturedConnection;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
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
                ulpdus.add(ulpdu);
                stream.position(at + Fpdu.bytes(bytes));
            }
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
