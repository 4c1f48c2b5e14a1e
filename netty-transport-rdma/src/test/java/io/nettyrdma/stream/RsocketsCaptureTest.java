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
package io.nettyrdma.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.verbs.soft.captures.CapturedConnection;
import io.nettyrdma.verbs.soft.captures.TcpCapture;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Both directions of connections between rstream of librdmacm 44 over siw and a first prototype of a byte stream in
 * Java, without a rest: pieces of 5 octets, then of 64. Sums of DATA are the octets of the Writes, every Write is in
 * the buffer that was published for it, limits never go back.
 */
class RsocketsCaptureTest {

    /** A buffer that was published, as entries tell it. */
    private record Published(long address, int key, long bytes) {}

    /** One direction: what its sender has said. */
    private static final class Direction {
        final SetupData setup;
        final ByteBuffer octets;
        final Deque<Published> published = new ArrayDeque<>();
        long writtenBytes;
        long announcedBytes;
        int words;
        int limit;
        boolean disconnected;

        Direction(CapturedConnection.Direction captured, boolean reply) throws Exception {
            octets = captured.octets();
            MpaFrame frame = MpaFrame.decode(octets, 0, reply);
            octets.position(frame.bytes());
            ByteBuf data = Unpooled.wrappedBuffer(frame.privateData());
            setup = SetupData.decodeRequest(data);
            ByteBuf again = Unpooled.buffer();
            setup.encode(again);
            assertThat(again).isEqualTo(data);
            published.add(new Published(setup.bufferAddress(), setup.bufferKey(), setup.bufferBytes()));
            limit = setup.credits();
        }

        /** Reads the entries and limits, so that the Writes of the other direction can be judged. */
        void follow(Direction other, boolean judgeData) throws Exception {
            ByteBuffer rest = octets.duplicate();
            long[] left = {other.setup.bufferBytes()};
            int nextEntry = 1;
            Deque<Published> buffers = new ArrayDeque<>(other.published);
            while (rest.hasRemaining()) {
                int at = rest.position() + Fpdu.LENGTH_BYTES;
                int ulpduBytes = Fpdu.ulpduBytes(rest, rest.position());
                int payload = at + Ddp.headerBytes(rest, at);
                int bytes = at + ulpduBytes - payload;
                rest.position(rest.position() + Fpdu.bytes(ulpduBytes));
                ByteBuf content = Unpooled.wrappedBuffer(octets.array(), payload, bytes);
                if (!Ddp.isTagged(octets, at)) {
                    assertThat(Ddp.opcode(octets, at)).isEqualTo(RdmapOpcode.SEND);
                    if (!judgeData) {
                        word(StreamWord.read(content, 0, bytes, false));
                    }
                } else if (Ddp.stag(octets, at) == other.setup.tableKey()) {
                    assertThat(bytes).isEqualTo(TargetEntry.BYTES);
                    assertThat(Ddp.taggedOffset(octets, at))
                            .isEqualTo(TargetEntry.addressOf(other.setup.tableAddress(), nextEntry));
                    nextEntry = (nextEntry + 1) % other.setup.tableEntries();
                    if (!judgeData) {
                        published.add(new Published(
                                TargetEntry.address(content, 0, false),
                                TargetEntry.key(content, 0, false),
                                TargetEntry.bytes(content, 0, false)));
                    }
                } else if (judgeData) {
                    placed(buffers, left, Ddp.stag(octets, at), Ddp.taggedOffset(octets, at), bytes);
                }
            }
        }

        private void placed(Deque<Published> buffers, long[] left, int key, long address, int bytes) {
            Published current = buffers.element();
            assertThat(key).isEqualTo(current.key);
            assertThat(address).isEqualTo(current.address + current.bytes - left[0]);
            assertThat((long) bytes).isBetween(1L, left[0]);
            writtenBytes += bytes;
            left[0] -= bytes;
            if (left[0] == 0) {
                buffers.remove();
                left[0] = buffers.isEmpty() ? 0 : buffers.element().bytes;
            }
        }

        private void word(int word) {
            switch (StreamWord.kind(word)) {
                case DATA -> {
                    assertThat(disconnected).isFalse();
                    announcedBytes += StreamWord.value(word);
                    words++;
                }
                case LIMIT -> {
                    int step = StreamWord.value(word) - limit & 0xffff;
                    assertThat(step).isLessThan(setup.credits());
                    limit = StreamWord.value(word) & 0xffff;
                }
                case SHUTDOWN -> assertThat(disconnected).isFalse();
                case DISCONNECT -> disconnected = true;
                default -> throw new AssertionError("word " + Integer.toHexString(word));
            }
        }
    }

    @Test
    void bothDirectionsAreUnderstoodWithoutARest() throws Exception {
        List<CapturedConnection> connections =
                TcpCapture.connections(RsocketsCaptureTest.class, "/captures/rsockets-siw.pcap.gz");
        assertThat(connections).isNotEmpty();
        for (CapturedConnection connection : connections) {
            Direction forth = new Direction(connection.forth, false);
            Direction back = new Direction(connection.back, true);
            forth.follow(back, false);
            back.follow(forth, false);
            forth.follow(back, true);
            back.follow(forth, true);
            for (Direction direction : List.of(forth, back)) {
                assertThat(direction.words).isPositive();
                assertThat(direction.announcedBytes).isEqualTo(direction.writtenBytes);
                assertThat(direction.published).hasSizeGreaterThan(1);
            }
            // The capture ends after 120 frames, inside the second connection; the first one is an echo to its end.
            if (connection == connections.get(0)) {
                assertThat(forth.announcedBytes).isEqualTo(31);
                assertThat(back.announcedBytes).isEqualTo(31);
                assertThat(forth.disconnected).isTrue();
            }
            // What was granted covers what was sent.
            assertThat(forth.words).isLessThanOrEqualTo(back.limit);
            assertThat(back.words).isLessThanOrEqualTo(forth.limit);
        }
    }
}
