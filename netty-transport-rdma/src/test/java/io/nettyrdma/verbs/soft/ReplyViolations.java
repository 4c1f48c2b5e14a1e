// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_CONNECT_ERROR;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_REJECTED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_UNREACHABLE;
import static io.nettyrdma.verbs.soft.StartupViolation.REPLY_KEY;
import static io.nettyrdma.verbs.soft.StartupViolation.REQUEST_KEY;
import static io.nettyrdma.verbs.soft.StartupViolation.frame;

import io.nettyrdma.verbs.soft.Stage.Role;
import io.nettyrdma.verbs.soft.StartupViolation.Ending;
import io.nettyrdma.verbs.soft.iwarp.CrcMode;
import java.util.ArrayList;
import java.util.List;

/** Bad and odd MPA Replies: the provider is the initiator. */
final class ReplyViolations {

    private static final String GOOD = frame(REPLY_KEY, 0x50, 2, "0004 0004");
    private static final int EINVAL = -22;
    private static final int ECONNRESET = -104;
    private static final int ETIMEDOUT = -110;
    private static final int ECONNREFUSED = -111;

    private ReplyViolations() {}

    static List<StartupViolation> all() {
        List<StartupViolation> rows = new ArrayList<>();
        improper(rows);
        refused(rows);
        odd(rows);
        ends(rows);
        return rows;
    }

    private static StartupViolation reply(String name, String hex) {
        return new StartupViolation(Role.INITIATOR, name, hex);
    }

    private static void improper(List<StartupViolation> rows) {
        improper(rows, "SSH", "5353482d322e300d0a", "peer does not speak MPA (got 'S");
        improper(
                rows,
                "last octet of the key wrong",
                GOOD.substring(0, 30) + "66",
                "no MPA Reply key (got 'MPA ID Rep Framf");
        improper(
                rows, "key of a Request", frame(REQUEST_KEY, 0x50, 2, "00040004"), "no MPA Reply key (got 'MPA ID Req");
        for (int revision : new int[] {0, 3, 255}) {
            improper(
                    rows,
                    "revision " + revision,
                    frame(REPLY_KEY, 0x50, revision, "00040004"),
                    "MPA revision is " + revision + " (expected: 1 or 2)");
        }
        improper(rows, "PD_Length 513", REPLY_KEY + "50020201", "PD_Length is 513 (expected: 0 to 512)");
        for (int bytes = 0; bytes < 4; bytes++) {
            improper(
                    rows,
                    "S with " + bytes + " octets of enhanced data",
                    frame(REPLY_KEY, 0x50, 2, "00".repeat(bytes)),
                    "PD_Length is " + bytes + ", but S promises enhanced data");
        }
        for (int bytes = 1; bytes < 4; bytes++) {
            improper(
                    rows,
                    "rejected, S with " + bytes + " octets of enhanced data",
                    frame(REPLY_KEY, 0x70, 2, "00".repeat(bytes)),
                    "PD_Length is " + bytes + ", but S promises enhanced data");
        }
        improper(rows, "rejected, PD_Length 513", REPLY_KEY + "70020201", "PD_Length is 513 (expected: 0 to 512)");
        improper(
                rows,
                "rejected, revision 3",
                frame(REPLY_KEY, 0x70, 3, "00040004"),
                "MPA revision is 3 (expected: 1 or 2)");
        improper(
                rows,
                "a Terminate instead",
                "0016414700000000000000020000000100000000200200007fe42585",
                "peer does not speak MPA (got '\\x00");
    }

    private static void improper(List<StartupViolation> rows, String name, String hex, String reason) {
        rows.add(reply(name, hex).tells(RDMA_CM_EVENT_CONNECT_ERROR, EINVAL, reason));
    }

    private static void refused(List<StartupViolation> rows) {
        rows.add(reply("rejected", frame(REPLY_KEY, 0x70, 2, "0004 0004 6e6f7065"))
                .tells(RDMA_CM_EVENT_REJECTED, ECONNRESET, "peer rejected the connection"));
        rows.add(reply("rejected, revision 1", frame(REPLY_KEY, 0x60, 1, ""))
                .tells(RDMA_CM_EVENT_REJECTED, ECONNRESET, "peer rejected the connection"));
        // As Linux answers a Request whose enhanced data is cut short.
        rows.add(reply("rejected, S without enhanced data", frame(REPLY_KEY, 0x30, 2, ""))
                .tells(RDMA_CM_EVENT_REJECTED, ECONNRESET, "peer rejected the connection"));
        rows.add(reply("rejected, depths beyond all measure", frame(REPLY_KEY, 0x70, 2, "3fff 3ffe"))
                .tells(RDMA_CM_EVENT_REJECTED, ECONNRESET, "peer rejected the connection"));
        rows.add(reply("rejected, with markers", frame(REPLY_KEY, 0xf0, 2, "0004 0004"))
                .tells(RDMA_CM_EVENT_REJECTED, ECONNRESET, "peer rejected the connection"));
        rows.add(reply("markers wanted", frame(REPLY_KEY, 0xd0, 2, "0004 0004"))
                .tells(RDMA_CM_EVENT_REJECTED, ECONNREFUSED, "peer wants markers, which are not supported"));
        rows.add(reply("CRC wanted where it is never used", GOOD)
                .with(b -> b.crcMode(CrcMode.NEVER))
                .tells(RDMA_CM_EVENT_REJECTED, ECONNREFUSED, "peer wants CRCs, which are switched off here"));
        // Terminate LLP/MPA/insufficient IRD, with its CRC.
        String terminate = "0016414700000000000000020000000100000000" + "20060000" + "%s";
        rows.add(reply("ORD 129", frame(REPLY_KEY, 0x50, 2, "0004 0081"))
                .sends(terminate)
                .tells(RDMA_CM_EVENT_CONNECT_ERROR, EINVAL, "peer wants more RDMA Reads than the 128 possible"));
        rows.add(reply("ORD one less than \"not to be negotiated\"", frame(REPLY_KEY, 0x50, 2, "0004 3ffe"))
                .sends(terminate)
                .tells(RDMA_CM_EVENT_CONNECT_ERROR, EINVAL, "peer wants more RDMA Reads than the 128 possible"));
    }

    private static void odd(List<StartupViolation> rows) {
        rows.add(reply("good", GOOD).isFine());
        rows.add(reply("reserved bits set", frame(REPLY_KEY, 0x5f, 2, "0004 0004"))
                .isFine());
        rows.add(reply("revision 1", frame(REPLY_KEY, 0x40, 1, "abcd")).isFine());
        rows.add(
                reply("revision 2 without S", frame(REPLY_KEY, 0x40, 2, "abcd")).isFine());
        rows.add(reply("no CRC although wanted", frame(REPLY_KEY, 0x10, 2, "0004 0004"))
                .isFine());
        rows.add(reply("peer-to-peer although not wanted", frame(REPLY_KEY, 0x50, 2, "c004 c004"))
                .isFine());
        rows.add(reply("ORD beyond the IRD offered", frame(REPLY_KEY, 0x50, 2, "0004 0080"))
                .isFine());
        rows.add(reply("depths not to be negotiated", frame(REPLY_KEY, 0x50, 2, "3fff 3fff"))
                .isFine());
        rows.add(reply("depths 0", frame(REPLY_KEY, 0x50, 2, "0000 0000")).isFine());
        rows.add(reply("512 octets of private data", frame(REPLY_KEY, 0x50, 2, "00040004" + "ab".repeat(508)))
                .isFine());
        rows.add(reply("an FPDU behind the Reply", GOOD + "000ec140000000010000000000000000ebd34c5f")
                .isFine());
        rows.add(reply("part of an FPDU behind the Reply", GOOD + "000ec1").isFine());
    }

    private static final String SILENT = "the peer took the TCP connection, but did not answer within 100 ms; the"
            + " program there may have a blocked event loop, may have failed to set a channel up, or may not speak"
            + " iWARP (no MPA Reply)";

    private static void ends(List<StartupViolation> rows) {
        rows.add(reply("nothing at all", "")
                .with(b -> b.timeouts(t -> t.mpaReplyMillis = 100))
                .tells(RDMA_CM_EVENT_UNREACHABLE, ETIMEDOUT, SILENT));
        for (int octets : new int[] {1, 16, 19, 20, 23}) {
            rows.add(reply("nothing behind " + octets + " of 24 octets", GOOD.substring(0, 2 * octets))
                    .with(b -> b.timeouts(t -> t.mpaReplyMillis = 100))
                    .tells(RDMA_CM_EVENT_UNREACHABLE, ETIMEDOUT, SILENT));
        }
        for (int octets = 0; octets < 24; octets++) {
            String start = GOOD.substring(0, 2 * octets);
            rows.add(reply("FIN behind " + octets + " of 24 octets", start)
                    .endsWith(Ending.FIN)
                    .tells(
                            RDMA_CM_EVENT_REJECTED,
                            ECONNRESET,
                            "the peer ended the TCP connection without an answer; the program there may"
                                    + " not speak iWARP, or has no memory left (no MPA Reply: peer closed"));
            rows.add(reply("RST behind " + octets + " of 24 octets", start)
                    .endsWith(Ending.RESET)
                    .tells(
                            RDMA_CM_EVENT_REJECTED,
                            ECONNRESET,
                            "the peer ended the TCP connection without an answer; the program there may"
                                    + " not speak iWARP, or has no memory left (no MPA Reply: "));
        }
    }
}
