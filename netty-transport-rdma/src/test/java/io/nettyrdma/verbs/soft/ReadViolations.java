// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static io.nettyrdma.verbs.soft.RawPeer.readRequest;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_INVALID_OFFSET;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_INVALID_QUEUE;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_MSN_RANGE;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_NO_BUFFER;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_TOO_LONG;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.RDMAP_ACCESS;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.RDMAP_BOUNDS;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.RDMAP_INVALID_STAG;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.RDMAP_STAG_NOT_ASSOCIATED;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.RDMAP_TO_WRAP;

import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.ReadRequest;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Violations of the RDMA Read Request. */
final class ReadViolations {

    private static final int SINK_KEY = 0xaabb;
    private static final long SINK = 0x1000;

    private ReadViolations() {}

    static List<Violation> all() {
        List<Violation> rows = new ArrayList<>();
        sources(rows);
        numbers(rows);
        depth(rows);
        return rows;
    }

    private static Consumer<ByteBuffer> read(int msn, int size, int key, long address) {
        return readRequest(msn, SINK_KEY, SINK, size, key, address);
    }

    private static Violation badSource(
            String what, TerminateError error, String access, Function<Stage, Consumer<ByteBuffer>> ulpdu) {
        return new Violation("RDMA Read: " + what, s -> s.send(ulpdu.apply(s)))
                .terminates(error, "MDR", "peer's RDMA Read: " + access);
    }

    private static void sources(List<Violation> rows) {
        rows.add(badSource(
                "STag of no region",
                RDMAP_INVALID_STAG,
                "INVALID_KEY",
                s -> read(1, 8, s.exposed.key() ^ 0x100, s.exposed.address())));
        rows.add(badSource(
                "STag with another key part",
                RDMAP_INVALID_STAG,
                "INVALID_KEY",
                s -> read(1, 8, s.exposed.key() + 1, s.exposed.address())));
        rows.add(badSource(
                "STag that was deregistered",
                RDMAP_INVALID_STAG,
                "INVALID_KEY",
                s -> read(1, 8, s.gone.key(), s.gone.address())));
        rows.add(badSource(
                "region without the right, local only",
                RDMAP_ACCESS,
                "NO_RIGHT",
                s -> read(1, 8, s.local.key(), s.local.address())));
        rows.add(badSource(
                "region without the right, remote write",
                RDMAP_ACCESS,
                "NO_RIGHT",
                s -> read(1, 8, s.writeOnly.key(), s.writeOnly.address())));
        rows.add(badSource(
                "another protection domain",
                RDMAP_STAG_NOT_ASSOCIATED,
                "WRONG_PD",
                s -> read(1, 8, s.foreign.key(), s.foreign.address())));
        rows.add(badSource(
                "one octet in front of the region",
                RDMAP_BOUNDS,
                "OUT_OF_BOUNDS",
                s -> read(1, 8, s.exposed.key(), s.exposed.address() - 1)));
        rows.add(badSource(
                "one octet beyond the region",
                RDMAP_BOUNDS,
                "OUT_OF_BOUNDS",
                s -> read(1, Stage.REGION_BYTES, s.exposed.key(), s.exposed.address() + 1)));
        rows.add(badSource(
                "longer than the region",
                RDMAP_BOUNDS,
                "OUT_OF_BOUNDS",
                s -> read(1, Stage.REGION_BYTES + 1, s.exposed.key(), s.exposed.address())));
        rows.add(badSource(
                "2^32 - 1 octets",
                RDMAP_BOUNDS,
                "OUT_OF_BOUNDS",
                s -> read(1, -1, s.exposed.key(), s.exposed.address())));
        rows.add(badSource("over the end of 2^64", RDMAP_TO_WRAP, "WRAPS", s -> read(1, 64, s.exposed.key(), -8)));
        rows.add(new Violation("RDMA Read: the second of two", s -> {
                    List<Consumer<ByteBuffer>> both = List.of(
                            read(1, 8, s.exposed.key(), s.exposed.address()),
                            read(2, 8, s.exposed.key() + 1, s.exposed.address()));
                    s.sendTogether(both);
                })
                .responses(1)
                .terminates(RDMAP_INVALID_STAG, "MDR", "peer's RDMA Read: INVALID_KEY"));
        rows.add(new Violation("RDMA Read: region that the peer has invalidated", s -> {
                    s.send(SendViolations.untagged(RdmapOpcode.SEND_INVALIDATE, true, s.exposed.key(), 0, 1, 0, 8));
                    s.send(read(1, 8, s.exposed.key(), s.exposed.address()));
                })
                .received(1)
                .terminates(RDMAP_INVALID_STAG, "MDR", "peer's RDMA Read: INVALID_KEY"));
    }

    private static Consumer<ByteBuffer> request(boolean last, int queue, int msn, int offset, int extra) {
        return out -> {
            Ddp.putUntagged(out, RdmapOpcode.READ_REQUEST, last, 0, queue, msn, offset);
            ReadRequest.put(out, SINK_KEY, SINK, 8, 1, 0);
            out.put(new byte[extra]);
        };
    }

    private static void numbers(List<Violation> rows) {
        for (int msn : new int[] {0, 2, -1}) {
            String text = "MSN is " + Integer.toUnsignedString(msn) + ", expected 1";
            rows.add(new Violation("Read Request: " + text, s -> s.send(request(true, 1, msn, 0, 0)))
                    .terminates(DDP_MSN_RANGE, "MD", text));
        }
        rows.add(new Violation("Read Request with the MSN of the one before", s -> {
                    Consumer<ByteBuffer> first = read(1, 8, s.exposed.key(), s.exposed.address());
                    s.send(first);
                    s.expectResponse();
                    s.send(first);
                })
                .terminates(DDP_MSN_RANGE, "MD", "MSN is 1, expected 2"));
        for (int queue : new int[] {0, 2, 3, -1}) {
            String text = "queue is " + Integer.toUnsignedString(queue) + ", not 1";
            rows.add(new Violation("Read Request: " + text, s -> s.send(request(true, queue, 1, 0, 0)))
                    .terminates(DDP_INVALID_QUEUE, "MD", text));
        }
        rows.add(new Violation("Read Request: MO is 4, expected 0", s -> s.send(request(true, 1, 1, 4, 0)))
                .terminates(DDP_INVALID_OFFSET, "MD", "MO is 4, expected 0"));
        rows.add(new Violation("Read Request: MO is 4294967292, expected 0", s -> s.send(request(true, 1, 1, -4, 0)))
                .terminates(DDP_INVALID_OFFSET, "MD", "MO is 4294967292, expected 0"));
        rows.add(new Violation("Read Request: not the last segment", s -> s.send(request(false, 1, 1, 0, 0)))
                .terminates(DDP_TOO_LONG, "MD", "is not one segment of 46 octets"));
        rows.add(new Violation("Read Request: four octets too many", s -> s.send(request(true, 1, 1, 0, 4)))
                .terminates(DDP_TOO_LONG, "MD", "is not one segment of 46 octets"));
    }

    private static void depth(List<Violation> rows) {
        rows.add(new Violation("More Reads than agreed", s -> {
                    List<Consumer<ByteBuffer>> all = new ArrayList<>();
                    // All in one segment, so that none is answered in between: 4 are agreed, and 5 tolerated.
                    for (int msn = 1; msn <= 6; msn++) {
                        all.add(read(msn, 8, s.exposed.key(), s.exposed.address()));
                    }
                    s.sendTogether(all);
                })
                .together()
                .terminates(DDP_NO_BUFFER, "MD", "more RDMA Reads outstanding than the 5 this side can hold"));
        rows.add(new Violation(
                        "A Read where none was agreed", s -> s.send(read(1, 8, s.exposed.key(), s.exposed.address())))
                .reads(0)
                .terminates(DDP_NO_BUFFER, "MD", "more RDMA Reads outstanding than the 0 this side can hold"));
    }
}
