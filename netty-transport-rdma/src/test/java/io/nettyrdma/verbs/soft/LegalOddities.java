// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static io.nettyrdma.verbs.soft.RawPeer.readResponse;
import static io.nettyrdma.verbs.soft.RawPeer.send;
import static io.nettyrdma.verbs.soft.RawPeer.write;
import static io.nettyrdma.verbs.soft.SendViolations.untagged;
import static io.nettyrdma.verbs.soft.Stage.payload;
import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.ReadRequest;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * What looks like a violation and is none, because the RFCs want it ignored or Linux sends it. Each ends with a FIN,
 * which shows that the connection was still there.
 */
final class LegalOddities {

    private static final int RESERVED_DDP = 0x3c;
    private static final int RESERVED_RDMAP = 0x30;

    private LegalOddities() {}

    static List<Violation> all() {
        List<Violation> rows = new ArrayList<>();
        ignored(rows);
        empty(rows);
        reads(rows);
        return rows;
    }

    private static Violation legal(String what, Violation.Action action) {
        return new Violation("No violation: " + what, s -> {
                    action.play(s);
                    s.peer.socket.shutdownOutput();
                })
                .ends(null);
    }

    private static Consumer<ByteBuffer> withReservedBits(Consumer<ByteBuffer> ulpdu) {
        return out -> {
            int at = out.position();
            ulpdu.accept(out);
            out.put(at, (byte) (out.get(at) | RESERVED_DDP)).put(at + 1, (byte) (out.get(at + 1) | RESERVED_RDMAP));
        };
    }

    /** RFC 5041, section 4.1, and RFC 5040, section 4.1: reserved is ignored. RFC 5044, section 4.1: so is the pad. */
    private static void ignored(List<Violation> rows) {
        rows.add(legal("reserved bits of a Send", s -> s.send(withReservedBits(send(1, 0, true, payload(8)))))
                .received(1));
        rows.add(legal(
                        "reserved bits of an RDMA Write",
                        s -> s.send(withReservedBits(write(s.exposed.key(), s.exposed.address(), true, payload(8)))))
                .places(8));
        rows.add(legal(
                        "reserved bits of a Read Response",
                        s -> s.send(withReservedBits(readResponse(s.sink.key(), s.sink.address(), true, payload(16)))))
                .readEnds(VerbsConstants.WC_SUCCESS)
                .sendEnds(VerbsConstants.WC_SUCCESS)
                .placesInSink(16));
        rows.add(legal("an STag in a Send that invalidates nothing", s -> {
                    s.send(untagged(RdmapOpcode.SEND, true, s.exposed.key(), 0, 1, 0, 8));
                    s.send(write(s.exposed.key(), s.exposed.address(), true, payload(8)));
                })
                .received(1)
                .places(8));
        rows.add(legal("a pad that is not 0", s -> {
                    ByteBuffer fpdu = s.fpdu(send(1, 0, true, payload(5)));
                    int crcAt = fpdu.limit() - 4;
                    for (int i = crcAt - 3; i < crcAt; i++) {
                        fpdu.put(i, (byte) 'a');
                    }
                    CRC32C crc = new CRC32C();
                    crc.update(fpdu.array(), 0, crcAt);
                    s.peer.write(fpdu.putInt(crcAt, Integer.reverseBytes((int) crc.getValue())));
                })
                .received(1));
        rows.add(legal("a Send with Invalidate of what is invalid already", s -> {
                    s.send(untagged(RdmapOpcode.SEND_INVALIDATE, true, s.exposed.key(), 0, 1, 0, 8));
                    s.send(untagged(RdmapOpcode.SEND_INVALIDATE, true, s.exposed.key(), 0, 2, 0, 8));
                })
                .received(2));
    }

    /** RFC 5041, section 5.2: STag and TO of an empty segment are not checked. */
    private static void empty(List<Violation> rows) {
        rows.add(legal("an empty Write with STag 0", s -> s.send(write(0, -1, true, payload(0)))));
        rows.add(legal("an empty Send", s -> s.send(send(1, 0, true, payload(0))))
                .received(1));
        rows.add(legal("an empty segment at the end of a Send", s -> {
                    s.send(send(1, 0, false, payload(16)));
                    s.send(send(1, 16, true, payload(0)));
                })
                .received(1));
        rows.add(legal("an empty segment at the end of a Write", s -> {
                    s.send(write(s.exposed.key(), s.exposed.address(), false, payload(8)));
                    s.send(write(0, 0, true, payload(0)));
                })
                .places(8));
        rows.add(legal("an empty segment at the start of a Write", s -> {
                    s.send(write(0, 0, false, payload(0)));
                    s.send(write(s.exposed.key(), s.exposed.address(), true, payload(8)));
                })
                .places(8));
        rows.add(legal(
                        "a Write up to the last octet",
                        s -> s.send(write(s.exposed.key(), s.exposed.address(), true, payload(Stage.REGION_BYTES))))
                .together()
                .places(Stage.REGION_BYTES));
        rows.add(legal("a Send between the segments of a Write", s -> {
                    s.send(write(s.exposed.key(), s.exposed.address(), false, payload(8)));
                    s.send(send(1, 0, true, payload(8)));
                    s.send(write(s.exposed.key(), s.exposed.address() + 8, true, payload(8)));
                })
                .received(1)
                .places(16));
    }

    private static void reads(List<Violation> rows) {
        rows.add(legal("a Read Request with an STag that invalidates nothing", s -> {
                    s.send(out -> {
                        Ddp.putUntagged(
                                out, RdmapOpcode.READ_REQUEST, true, s.exposed.key(), Ddp.QUEUE_READ_REQUEST, 1, 0);
                        ReadRequest.put(out, 1, 0, 8, s.exposed.key(), s.exposed.address());
                    });
                    s.expectResponse();
                    s.send(write(s.exposed.key(), s.exposed.address(), true, payload(8)));
                })
                .places(8));
        rows.add(legal("an RDMA Read of nothing", s -> {
            s.send(RawPeer.readRequest(1, 0xaabb, 0x1000, 0, 0, -1));
            ByteBuffer empty = ByteBuffer.allocate(Ddp.TAGGED_HEADER_BYTES);
            readResponse(0xaabb, 0x1000, true, payload(0)).accept(empty);
            assertThat(s.expectResponse()).isEqualTo(empty.flip());
        }));
        rows.add(legal("an RDMA Read up to the last octet", s -> {
            s.send(RawPeer.readRequest(1, 1, 0, 1, s.exposed.key(), s.exposed.address() + Stage.REGION_BYTES - 1));
            s.expectResponse();
        }));
    }
}
