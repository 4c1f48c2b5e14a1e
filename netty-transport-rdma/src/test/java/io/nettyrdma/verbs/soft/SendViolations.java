// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static io.nettyrdma.verbs.soft.RawPeer.send;
import static io.nettyrdma.verbs.soft.Stage.payload;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_INVALID_OFFSET;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_INVALID_QUEUE;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_LOCAL_CATASTROPHIC;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_MSN_RANGE;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_NO_BUFFER;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_TOO_LONG;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.RDMAP_CANNOT_INVALIDATE;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.RDMAP_OPCODE;

import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** Violations of the untagged messages of queue 0: the four Sends. */
final class SendViolations {

    private SendViolations() {}

    static List<Violation> all() {
        List<Violation> rows = new ArrayList<>();
        buffers(rows);
        numbers(rows);
        localMemory(rows);
        invalidations(rows);
        return rows;
    }

    static Consumer<ByteBuffer> untagged(
            int opcode, boolean last, int stag, int queue, int msn, int offset, int bytes) {
        return out -> {
            Ddp.putUntagged(out, opcode, last, stag, queue, msn, offset);
            out.put(payload(bytes));
        };
    }

    private static void buffers(List<Violation> rows) {
        rows.add(new Violation("Send into an empty receive queue", s -> s.send(send(1, 0, true, payload(8))))
                .receives(0)
                .terminates(DDP_NO_BUFFER, "MD", "peer sent into an empty receive queue"));
        rows.add(new Violation("Empty Send into an empty receive queue", s -> s.send(send(1, 0, true, payload(0))))
                .receives(0)
                .terminates(DDP_NO_BUFFER, "MD", "peer sent into an empty receive queue"));
        rows.add(new Violation("One Send more than receives", s -> {
                    s.send(send(1, 0, true, payload(8)));
                    s.send(send(2, 0, true, payload(16)));
                    s.send(send(3, 0, true, payload(1)));
                })
                .received(2)
                .terminates(DDP_NO_BUFFER, "MD", "peer sent into an empty receive queue"));
        rows.add(new Violation("Send longer than its receive", s -> s.send(send(1, 0, true, payload(17))))
                .receiveFails(VerbsConstants.WC_LOC_LEN_ERR)
                .terminates(
                        DDP_TOO_LONG,
                        "MD",
                        "peer's Send of 17 octets does not fit a receive of 16 (RDMA_RECEIVE_SIZE)"));
        rows.add(new Violation("Send of the longest FPDU there can be", s -> s.send(send(1, 0, true, payload(65_517))))
                .receiveFails(VerbsConstants.WC_LOC_LEN_ERR)
                .together()
                .terminates(
                        DDP_TOO_LONG,
                        "MD",
                        "peer's Send of 65517 octets does not fit a receive of 16 (RDMA_RECEIVE_SIZE)"));
        rows.add(new Violation("Send longer than its receive, second segment", s -> {
                    s.send(send(1, 0, false, payload(16)));
                    s.send(send(1, 16, true, payload(1)));
                })
                .receiveFails(VerbsConstants.WC_LOC_LEN_ERR)
                .terminates(
                        DDP_TOO_LONG,
                        "MD",
                        "peer's Send of 17 octets does not fit a receive of 16 (RDMA_RECEIVE_SIZE)"));
    }

    private static void numbers(List<Violation> rows) {
        for (int msn : new int[] {0, 2, 0x8000_0001, -1}) {
            String text = "MSN is " + Integer.toUnsignedString(msn) + ", expected 1";
            rows.add(new Violation("Send: " + text, s -> s.send(send(msn, 0, true, payload(8))))
                    .terminates(DDP_MSN_RANGE, "MD", text));
        }
        rows.add(new Violation("Send with the MSN of the one before", s -> {
                    s.send(send(1, 0, true, payload(8)));
                    s.send(send(1, 0, true, payload(8)));
                })
                .received(1)
                .terminates(DDP_MSN_RANGE, "MD", "MSN is 1, expected 2"));
        rows.add(new Violation("Send whose segments have two MSNs", s -> {
                    s.send(send(1, 0, false, payload(8)));
                    s.send(send(2, 8, true, payload(8)));
                })
                .terminates(DDP_MSN_RANGE, "MD", "MSN is 2, expected 1"));
        for (int queue : new int[] {1, 2, 3, -1}) {
            String text = "queue is " + Integer.toUnsignedString(queue) + ", not 0";
            rows.add(new Violation("Send: " + text, s -> s.send(untagged(RdmapOpcode.SEND, true, 0, queue, 1, 0, 8)))
                    .terminates(DDP_INVALID_QUEUE, "MD", text));
        }
        for (int offset : new int[] {1, 8, -8}) {
            String text = "MO is " + Integer.toUnsignedString(offset) + ", expected 0";
            rows.add(new Violation("Send: " + text, s -> s.send(send(1, offset, true, payload(8))))
                    .terminates(DDP_INVALID_OFFSET, "MD", text));
        }
        for (int offset : new int[] {0, 4, 9}) {
            String text = "MO is " + offset + ", expected 8";
            rows.add(new Violation("Send, second segment: " + text, s -> {
                        s.send(send(1, 0, false, payload(8)));
                        s.send(send(1, offset, true, payload(4)));
                    })
                    .terminates(DDP_INVALID_OFFSET, "MD", text));
        }
        rows.add(new Violation("Send whose opcode changes", s -> {
                    s.send(send(1, 0, false, payload(8)));
                    s.send(untagged(RdmapOpcode.SEND_SOLICITED, true, 0, 0, 1, 8, 8));
                })
                .terminates(RDMAP_OPCODE, "MD", "opcode changes in the middle of a Send"));
        rows.add(new Violation("Send with Invalidate whose STag changes", s -> {
                    s.send(untagged(RdmapOpcode.SEND_INVALIDATE, false, s.exposed.key(), 0, 1, 0, 8));
                    s.send(untagged(RdmapOpcode.SEND_INVALIDATE, true, s.readOnly.key(), 0, 1, 8, 8));
                })
                .terminates(RDMAP_OPCODE, "MD", "opcode changes in the middle of a Send"));
    }

    private static void localMemory(List<Violation> rows) {
        rows.add(badReceive("a key that was deregistered", "INVALID_KEY", s -> s.gone.mr));
        rows.add(badReceive("a key of another protection domain", "WRONG_PD", s -> s.foreign.mr));
        rows.add(badReceive("a region that is not for local writing", "NO_RIGHT", s -> s.unwritable.mr));
        rows.add(new Violation("Receive that leaves its region", s -> {
                    s.receive(1, s.inbox.mr, Stage.REGION_BYTES - 8);
                    s.send(send(1, 0, true, payload(16)));
                })
                .receives(0)
                .receiveFails(VerbsConstants.WC_LOC_PROT_ERR)
                .terminates(DDP_LOCAL_CATASTROPHIC, "", "local memory of a receive: OUT_OF_BOUNDS"));
    }

    private static Violation badReceive(String what, String access, Function<Stage, SoftMr> region) {
        return new Violation("Receive with " + what, s -> {
                    s.receive(1, region.apply(s), 0);
                    s.receive(2, s.inbox.mr, 0);
                    s.send(send(1, 0, true, payload(8)));
                })
                .receives(0)
                .receiveFails(VerbsConstants.WC_LOC_PROT_ERR)
                .terminates(DDP_LOCAL_CATASTROPHIC, "", "local memory of a receive: " + access);
    }

    private static void invalidations(List<Violation> rows) {
        rows.add(badInvalidate("0", s -> 0));
        rows.add(badInvalidate("of no region", s -> s.exposed.key() ^ 0x100));
        rows.add(badInvalidate("that was deregistered", s -> s.gone.key()));
        rows.add(badInvalidate("of another protection domain", s -> s.foreign.key()));
        rows.add(badInvalidate("of a region not exposed to the peer", s -> s.local.key()));
        rows.add(badInvalidate("of the sink of an outstanding Read", s -> s.sink.key()));
        rows.add(new Violation(
                        "Send with Solicited Event and Invalidate: STag 0",
                        s -> s.send(untagged(RdmapOpcode.SEND_SOLICITED_INVALIDATE, true, 0, 0, 1, 0, 8)))
                .receiveFails(VerbsConstants.WC_REM_INV_REQ_ERR)
                .terminates(RDMAP_CANNOT_INVALIDATE, "MD", "which cannot be invalidated"));
    }

    private static Violation badInvalidate(String what, ToIntFunction<Stage> key) {
        return new Violation(
                        "Send with Invalidate: STag " + what,
                        s -> s.send(untagged(RdmapOpcode.SEND_INVALIDATE, true, key.applyAsInt(s), 0, 1, 0, 8)))
                .receiveFails(VerbsConstants.WC_REM_INV_REQ_ERR)
                .terminates(RDMAP_CANNOT_INVALIDATE, "MD", "which cannot be invalidated");
    }
}
