// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static io.nettyrdma.verbs.soft.RawPeer.readResponse;
import static io.nettyrdma.verbs.soft.RawPeer.write;
import static io.nettyrdma.verbs.soft.Stage.payload;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_BOUNDS;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_INVALID_STAG;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_STAG_NOT_ASSOCIATED;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_TO_WRAP;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.RDMAP_OPCODE;

import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Violations of the tagged messages: RDMA Write and Read Response. */
final class TaggedViolations {

    private TaggedViolations() {}

    static List<Violation> all() {
        List<Violation> rows = new ArrayList<>();
        writes(rows);
        writeSegments(rows);
        responses(rows);
        responseSegments(rows);
        return rows;
    }

    private static Violation badWrite(
            String what, TerminateError error, String access, Function<Stage, Consumer<ByteBuffer>> ulpdu) {
        return new Violation("RDMA Write: " + what, s -> s.send(ulpdu.apply(s)))
                .terminates(error, "MD", "peer's RDMA Write: " + access);
    }

    private static Consumer<ByteBuffer> eight(int key, long address) {
        return write(key, address, true, payload(8));
    }

    private static void writes(List<Violation> rows) {
        rows.add(badWrite(
                "STag of no region",
                DDP_INVALID_STAG,
                "INVALID_KEY",
                s -> eight(s.exposed.key() ^ 0x100, s.exposed.address())));
        rows.add(badWrite("STag 0", DDP_INVALID_STAG, "INVALID_KEY", s -> eight(0, s.exposed.address())));
        rows.add(badWrite(
                "STag with another key part",
                DDP_INVALID_STAG,
                "INVALID_KEY",
                s -> eight(s.exposed.key() + 1, s.exposed.address())));
        rows.add(badWrite(
                "STag that differs in its highest bit",
                DDP_INVALID_STAG,
                "INVALID_KEY",
                s -> eight(s.exposed.key() ^ 0x8000_0000, s.exposed.address())));
        rows.add(badWrite(
                "STag that was deregistered",
                DDP_INVALID_STAG,
                "INVALID_KEY",
                s -> eight(s.gone.key(), s.gone.address())));
        rows.add(badWrite(
                "region without the right, local only",
                DDP_INVALID_STAG,
                "NO_RIGHT",
                s -> eight(s.local.key(), s.local.address())));
        rows.add(badWrite(
                "region without the right, remote read",
                DDP_INVALID_STAG,
                "NO_RIGHT",
                s -> eight(s.readOnly.key(), s.readOnly.address())));
        rows.add(badWrite(
                "sink of an outstanding Read",
                DDP_INVALID_STAG,
                "NO_RIGHT",
                s -> eight(s.sink.key(), s.sink.address())));
        rows.add(badWrite(
                "another protection domain",
                DDP_STAG_NOT_ASSOCIATED,
                "WRONG_PD",
                s -> eight(s.foreign.key(), s.foreign.address())));
        rows.add(badWrite(
                "one octet in front of the region",
                DDP_BOUNDS,
                "OUT_OF_BOUNDS",
                s -> eight(s.exposed.key(), s.exposed.address() - 1)));
        rows.add(badWrite(
                "one octet beyond the region",
                DDP_BOUNDS,
                "OUT_OF_BOUNDS",
                s -> eight(s.exposed.key(), s.exposed.address() + Stage.REGION_BYTES - 7)));
        rows.add(badWrite(
                "behind the region",
                DDP_BOUNDS,
                "OUT_OF_BOUNDS",
                s -> write(s.exposed.key(), s.exposed.address() + Stage.REGION_BYTES, true, payload(1))));
        rows.add(badWrite(
                "longer than the region",
                DDP_BOUNDS,
                "OUT_OF_BOUNDS",
                s -> write(s.exposed.key(), s.exposed.address(), true, payload(Stage.REGION_BYTES + 1))));
        rows.add(badWrite("offset 0", DDP_BOUNDS, "OUT_OF_BOUNDS", s -> eight(s.exposed.key(), 0)));
        rows.add(badWrite("over the end of 2^64", DDP_TO_WRAP, "WRAPS", s -> eight(s.exposed.key(), -4)));
        rows.add(new Violation("RDMA Write: region that the peer has invalidated", s -> {
                    s.send(SendViolations.untagged(RdmapOpcode.SEND_INVALIDATE, true, s.exposed.key(), 0, 1, 0, 8));
                    s.send(eight(s.exposed.key(), s.exposed.address()));
                })
                .received(1)
                .terminates(DDP_INVALID_STAG, "MD", "peer's RDMA Write: INVALID_KEY"));
    }

    private static Violation badSecondSegment(
            String what, TerminateError error, String reason, Function<Stage, Consumer<ByteBuffer>> second) {
        return new Violation("RDMA Write, second segment: " + what, s -> {
                    s.send(write(s.exposed.key(), s.exposed.address(), false, payload(8)));
                    s.send(second.apply(s));
                })
                .places(8)
                .terminates(error, "MD", reason);
    }

    private static void writeSegments(List<Violation> rows) {
        rows.add(badSecondSegment(
                "gap",
                DDP_BOUNDS,
                "gap in the middle of a Write",
                s -> eight(s.exposed.key(), s.exposed.address() + 9)));
        rows.add(badSecondSegment(
                "overlap",
                DDP_BOUNDS,
                "gap in the middle of a Write",
                s -> eight(s.exposed.key(), s.exposed.address() + 7)));
        rows.add(badSecondSegment(
                "another STag",
                DDP_INVALID_STAG,
                "STag changes in the middle of a Write",
                s -> eight(s.writeOnly.key(), s.exposed.address() + 8)));
        rows.add(badSecondSegment(
                "beyond the region",
                DDP_BOUNDS,
                "peer's RDMA Write: OUT_OF_BOUNDS",
                s -> write(s.exposed.key(), s.exposed.address() + 8, true, payload(Stage.REGION_BYTES - 7))));
        rows.add(badSecondSegment(
                "a Read Response instead",
                RDMAP_OPCODE,
                "RDMA Read Response without a request",
                s -> readResponse(s.sink.key(), s.sink.address(), true, payload(Stage.READ_BYTES))));
        rows.add(new Violation("RDMA Write, second segment: region that was deregistered meanwhile", s -> {
                    s.send(write(s.exposed.key(), s.exposed.address(), false, payload(8)));
                    s.node.await(
                            "the first segment", () -> s.exposed.mr.region().writtenBytes() == 8);
                    s.node.verbs.deregMr(s.exposed.mr).execute();
                    s.send(eight(s.exposed.key(), s.exposed.address() + 8));
                })
                .places(8)
                .terminates(DDP_INVALID_STAG, "MD", "peer's RDMA Write: INVALID_KEY"));
    }

    private static Violation badResponse(
            String what, TerminateError error, String reason, Function<Stage, Consumer<ByteBuffer>> ulpdu) {
        return new Violation("Read Response: " + what, s -> s.send(ulpdu.apply(s)))
                .readEnds(VerbsConstants.WC_BAD_RESP_ERR)
                .terminates(error, "MD", reason);
    }

    private static void responses(List<Violation> rows) {
        rows.add(badResponse(
                "STag of no region",
                DDP_INVALID_STAG,
                "RDMA Read Response for another STag",
                s -> readResponse(s.sink.key() + 1, s.sink.address(), true, payload(16))));
        rows.add(badResponse(
                "STag of another region",
                DDP_INVALID_STAG,
                "RDMA Read Response for another STag",
                s -> readResponse(s.exposed.key(), s.exposed.address(), true, payload(16))));
        rows.add(badResponse(
                "other offset",
                DDP_BOUNDS,
                "RDMA Read Response for another offset",
                s -> readResponse(s.sink.key(), s.sink.address() + 16, true, payload(16))));
        rows.add(badResponse(
                "offset in front of the sink",
                DDP_BOUNDS,
                "RDMA Read Response for another offset",
                s -> readResponse(s.sink.key(), s.sink.address() - 1, true, payload(16))));
        rows.add(badResponse(
                "too short",
                DDP_BOUNDS,
                "RDMA Read Response is too short",
                s -> readResponse(s.sink.key(), s.sink.address(), true, payload(15))));
        rows.add(badResponse(
                "empty",
                DDP_BOUNDS,
                "RDMA Read Response is too short",
                s -> readResponse(s.sink.key(), s.sink.address(), true, payload(0))));
        rows.add(badResponse(
                        "too long",
                        DDP_BOUNDS,
                        "RDMA Read Response is too long",
                        s -> readResponse(s.sink.key(), s.sink.address(), true, payload(17)))
                .readEnds(VerbsConstants.WC_LOC_LEN_ERR));
        rows.add(badResponse(
                        "far too long",
                        DDP_BOUNDS,
                        "RDMA Read Response is too long",
                        s -> readResponse(s.sink.key(), s.sink.address(), false, payload(Stage.REGION_BYTES + 8)))
                .readEnds(VerbsConstants.WC_LOC_LEN_ERR));
        rows.add(new Violation("Read Response: nobody asked", s -> {
                    s.send(readResponse(s.sink.key(), s.sink.address(), true, payload(16)));
                    s.send(readResponse(s.sink.key(), s.sink.address() + 16, true, payload(16)));
                })
                .readEnds(VerbsConstants.WC_SUCCESS)
                .sendEnds(VerbsConstants.WC_SUCCESS)
                .placesInSink(16)
                .terminates(RDMAP_OPCODE, "MD", "RDMA Read Response without a request"));
        rows.add(new Violation("Read Response: sink was deregistered meanwhile", s -> {
                    s.node.verbs.deregMr(s.sink.mr).execute();
                    s.send(readResponse(s.sink.key(), s.sink.address(), true, payload(16)));
                })
                .readEnds(VerbsConstants.WC_LOC_PROT_ERR)
                .terminates(DDP_INVALID_STAG, "MD", "is no longer usable"));
    }

    private static Violation badLaterResponse(
            String what, TerminateError error, String reason, Function<Stage, Consumer<ByteBuffer>> second) {
        return new Violation("Read Response, second segment: " + what, s -> {
                    s.send(readResponse(s.sink.key(), s.sink.address(), false, payload(8)));
                    s.send(second.apply(s));
                })
                .placesInSink(8)
                .readEnds(VerbsConstants.WC_BAD_RESP_ERR)
                .terminates(error, "MD", reason);
    }

    private static void responseSegments(List<Violation> rows) {
        rows.add(badLaterResponse(
                "another STag",
                DDP_INVALID_STAG,
                "RDMA Read Response for another STag",
                s -> readResponse(s.exposed.key(), s.sink.address() + 8, true, payload(8))));
        rows.add(badLaterResponse(
                "gap",
                DDP_BOUNDS,
                "RDMA Read Response for another offset",
                s -> readResponse(s.sink.key(), s.sink.address() + 9, true, payload(7))));
        rows.add(badLaterResponse(
                "too short",
                DDP_BOUNDS,
                "RDMA Read Response is too short",
                s -> readResponse(s.sink.key(), s.sink.address() + 8, true, payload(7))));
        rows.add(badLaterResponse(
                        "too long",
                        DDP_BOUNDS,
                        "RDMA Read Response is too long",
                        s -> readResponse(s.sink.key(), s.sink.address() + 8, true, payload(9)))
                .readEnds(VerbsConstants.WC_LOC_LEN_ERR));
        rows.add(badLaterResponse(
                        "an RDMA Write instead",
                        RDMAP_OPCODE,
                        "RDMA Write in the middle of a Read Response",
                        s -> eight(s.exposed.key(), s.exposed.address()))
                .readEnds(VerbsConstants.WC_WR_FLUSH_ERR));
    }
}
