// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.ReadRequest;
import io.nettyrdma.verbs.soft.iwarp.StreamFault;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transmitter and receiver face to face, without sockets. */
final class RdmapStreamsTest {

    private static void randomize(Random random, ByteBuffer b) {
        byte[] octets = new byte[b.capacity()];
        random.nextBytes(octets);
        b.put(0, octets);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 64, 1424, 32_768})
    void everythingArrivesHoweverTheStreamIsCut(int payload) throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        // Three messages in, the sequence numbers wrap.
        boolean crc = random.nextBoolean();
        try (Side a = new Side(crc, payload, 3, -3);
                Side b = new Side(crc, payload, 3, -3)) {
            randomize(random, a.memory);
            ByteBuffer chunk = ByteBuffer.allocateDirect(1 << 20);
            int posted = 0;
            for (int round = 0; round < 60; round++) {
                int bytes = random.nextInt(20_000);
                int from = random.nextInt(a.memory.capacity() - bytes + 1);
                int to = random.nextInt(b.memory.capacity() - bytes + 1);
                int kind = random.nextInt(3);
                ByteBuffer expected = ByteBuffer.allocate(bytes);
                if (kind == 0) {
                    b.receive(round, b.region, to, bytes + random.nextInt(b.memory.capacity() - to - bytes + 1));
                    expected.put(0, a.memory, from, bytes);
                    a.send(round, Core.SIGNALED, a.region, from, bytes);
                } else if (kind == 1) {
                    expected.put(0, a.memory, from, bytes);
                    a.write(round, Core.SIGNALED, a.region, from, bytes, b.region.key(), b.region.address() + to);
                } else {
                    expected.put(0, b.memory, to, bytes);
                    a.read(round, Core.SIGNALED, a.region, from, bytes, b.region.key(), b.region.address() + to);
                }
                posted++;
                int turns = 0;
                while (a.completions.size() < posted || kind == 0 && b.completions.isEmpty()) {
                    a.transmit();
                    move(random, a, b, chunk);
                    b.transmit();
                    move(random, b, a, chunk);
                    assertThat(turns++).as("seed %d", seed).isLessThan(200_000);
                }
                while (a.wire.hasRemaining()) {
                    move(random, a, b, chunk);
                }
                ByteBuffer actual = ByteBuffer.allocate(bytes);
                if (kind == 2) {
                    actual.put(0, a.memory, from, bytes);
                } else {
                    actual.put(0, b.memory, to, bytes);
                }
                assertThat(actual)
                        .as("seed %d, round %d, kind %d", seed, round, kind)
                        .isEqualTo(expected);
                b.completions.clear();
            }
            assertThat(a.completions).as("seed %d", seed).allMatch(c -> c.status() == 0);
        }
    }

    /** Hands a random part of the octets on, together with the incomplete FPDU left from before. */
    private static void move(Random random, Side from, Side to, ByteBuffer chunk) throws StreamFault {
        int n = Math.min(from.wire.remaining(), 1 + random.nextInt(random.nextBoolean() ? 100 : 100_000));
        // The incomplete rest stays in front of the wire, as a connection keeps it.
        int before = from.wire.position();
        ByteBuffer part =
                from.wire.duplicate().limit(before + Math.max(n, Math.min(pending(from), from.wire.remaining())));
        chunk.clear();
        chunk.put(part.slice()).flip();
        assertThat(to.receiver.consume(chunk)).isTrue();
        from.wire.position(before + chunk.position());
    }

    private static int pending(Side from) {
        return from.wire.remaining() < 2 ? 0 : Fpdu.bytes(Fpdu.ulpduBytes(from.wire, from.wire.position()));
    }

    @Test
    void sequenceNumbersWrap() throws Exception {
        try (Side a = new Side(true, 64, 4, -1);
                Side b = new Side(true, 64, 4, -1)) {
            for (int i = 0; i < 3; i++) {
                b.receive(i, b.region, 0, 100);
                a.send(i, 0, a.region, 0, 100);
            }
            a.transmit();
            assertThat(Ddp.messageSequence(a.wire, 2)).isEqualTo(-1);
            assertThat(b.receiver.consume(a.wire)).isTrue();
            assertThat(b.completions).hasSize(3).allMatch(c -> c.status() == 0);
        }
    }

    @Test
    void segmentsOfAMessageAreAlignedAndNeverEmpty() throws Exception {
        try (Side a = new Side(true, 64, 4, 1)) {
            for (int bytes = 0; bytes < 200; bytes++) {
                a.send(1, 0, a.region, 0, bytes);
                a.transmit();
                boolean last = false;
                int total = 0;
                while (a.wire.hasRemaining()) {
                    int ulpdu = Fpdu.ulpduBytes(a.wire, a.wire.position());
                    last = Ddp.isLast(a.wire, a.wire.position() + 2);
                    total += ulpdu - Ddp.UNTAGGED_HEADER_BYTES;
                    if (!last) {
                        assertThat(Fpdu.padBytes(ulpdu)).isZero();
                        assertThat(ulpdu).isGreaterThan(Ddp.UNTAGGED_HEADER_BYTES);
                    }
                    a.wire.position(a.wire.position() + Fpdu.bytes(ulpdu));
                }
                assertThat(last).isTrue();
                assertThat(total).isEqualTo(bytes);
            }
        }
    }

    @Test
    void responsesAndRequestsTakeTurns() throws Exception {
        try (Side a = new Side(true, 64, 128, 1);
                Side b = new Side(true, 64, 128, 1)) {
            for (int i = 0; i < 9; i++) {
                a.read(i, 0, a.region, 0, 8, b.region.key(), b.region.address());
            }
            a.transmit();
            b.receiver.consume(a.wire);
            for (int i = 0; i < 4; i++) {
                b.send(i, 0, b.region, 0, 8);
            }
            b.transmit();
            StringBuilder order = new StringBuilder();
            while (b.wire.hasRemaining()) {
                order.append(Ddp.opcode(b.wire, b.wire.position() + 2));
                b.wire.position(b.wire.position() + Fpdu.bytes(Fpdu.ulpduBytes(b.wire, b.wire.position())));
            }
            assertThat(order).hasToString("2223222322233");
        }
    }

    @Test
    void sourceDeregisteredInTheMiddleOfAResponseEndsItThere() throws Exception {
        try (Side a = new Side(true, 64, 4, 1);
                Side b = new Side(true, 64, 4, 1)) {
            Region source = b.register(1000, Core.ALL);
            a.read(1, 0, a.region, 0, 1000, source.key(), source.address());
            a.transmit();
            b.receiver.consume(a.wire);
            ByteBuffer room = ByteBuffer.allocateDirect(200);
            b.transmitter.fill(room);
            assertThat(b.transmitter.isOutOfRoom()).isTrue();
            b.regions.deregister(source);
            b.transmitter.fill(room.clear());
            assertThat(room.position()).isZero();
            ByteBuffer request = ByteBuffer.wrap(b.transmitter.fault().segment());
            // Two segments have gone out: RFC 5040, section 4.8, wants to know where it stopped.
            assertThat(ReadRequest.size(request, 18)).isEqualTo(1000 - 128);
            assertThat(ReadRequest.sourceOffset(request, 18)).isEqualTo(source.address() + 128);
            assertThat(ReadRequest.sinkOffset(request, 18)).isEqualTo(a.region.address() + 128);
        }
    }

    @Test
    void invalidatedRegionFencesALocalSendToo() throws Exception {
        try (Side a = new Side(true, 64, 4, 1)) {
            Region source = a.register(1000, Core.LOCAL);
            a.send(1, 0, source, 0, 1000);
            ByteBuffer room = ByteBuffer.allocateDirect(200);
            a.transmitter.fill(room);
            a.regions.deregister(source);
            a.transmitter.fill(room.clear());
            assertThat(room.position()).isZero();
            a.queues.flush(0);
            assertThat(a.completions.remove().status()).isEqualTo(VerbsConstants.WC_LOC_PROT_ERR);
        }
    }

    /** Whatever octets come in: a fault or not, but nothing else, and not an octet outside the memory exposed. */
    @Test
    void mutatedStreamsCauseFaultsAndNothingElse() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (Side a = new Side(false, 64, 4, 1);
                Side b = new Side(false, 64, 4, 1)) {
            ByteBuffer hidden = ByteBuffer.allocateDirect(4096);
            b.register(hidden, Core.LOCAL);
            byte[] payload = new byte[200];
            int faults = 0;
            for (int round = 0; round < 20_000; round++) {
                RdmapReceiver receiver = new RdmapReceiver(b.queues, b.regions, false, random.nextBoolean());
                ByteBuffer out = ByteBuffer.allocate(4096);
                for (int i = 0; i < 3; i++) {
                    int at = Fpdu.begin(out);
                    random.nextBytes(payload);
                    boolean last = random.nextInt(4) != 0;
                    switch (random.nextInt(5)) {
                        case 0:
                            Ddp.putTagged(
                                    out,
                                    RdmapOpcode.WRITE,
                                    last,
                                    b.region.key(),
                                    b.region.address() + random.nextInt(9));
                            break;
                        case 1:
                            Ddp.putTagged(out, RdmapOpcode.READ_RESPONSE, last, b.region.key(), b.region.address());
                            break;
                        case 2:
                            Ddp.putUntagged(out, RdmapOpcode.READ_REQUEST, true, 0, 1, 1, 0);
                            break;
                        case 3:
                            Ddp.putUntagged(out, RdmapOpcode.TERMINATE, true, 0, 2, 1, 0);
                            break;
                        default:
                            Ddp.putUntagged(out, 3 + random.nextInt(4), last, b.region.key(), 0, 1, 0);
                            break;
                    }
                    out.put(payload, 0, random.nextInt(payload.length));
                    a.transmitter.fpdu().end(out, at);
                }
                for (int i = random.nextInt(4); i > 0; i--) {
                    out.put(random.nextInt(out.position()), (byte) random.nextInt());
                }
                if (b.queues.receives().isEmpty()) {
                    b.receive(round, b.region, 0, 4096);
                }
                try {
                    receiver.consume(out.flip());
                } catch (StreamFault f) {
                    faults++;
                    ByteBuffer t = ByteBuffer.allocate(256);
                    RdmapTransmitter.appendTerminate(new Fpdu(true), t, f);
                }
                b.completions.clear();
                b.queues.inboundReads().clear();
            }
            assertThat(faults).as("seed %d", seed).isBetween(1000, 20_000);
            for (int i = 0; i < hidden.capacity(); i++) {
                assertThat(hidden.get(i)).isZero();
            }
        }
    }

    @Test
    void solicitedAndInvalidateChooseTheOpcode() throws Exception {
        try (Side a = new Side(true, 64, 4, 1)) {
            int[] flags = {0, VerbsConstants.SEND_SOLICITED};
            for (int flag : flags) {
                a.send(1, flag, a.region, 0, 0);
                a.post(1, VerbsConstants.WR_SEND_WITH_INV, flag, 0x77, 0, a.region, 0, 0);
            }
            a.transmit();
            StringBuilder opcodes = new StringBuilder();
            while (a.wire.hasRemaining()) {
                int at = a.wire.position();
                opcodes.append(Ddp.opcode(a.wire, at + 2));
                assertThat(Ddp.invalidateStag(a.wire, at + 2))
                        .isEqualTo(RdmapOpcode.invalidates(Ddp.opcode(a.wire, at + 2)) ? 0x77 : 0);
                a.wire.position(at + Fpdu.bytes(Fpdu.ulpduBytes(a.wire, at)));
            }
            assertThat(opcodes).hasToString("3456");
        }
    }
}
