// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static io.nettyrdma.verbs.soft.StartupViolation.REPLY_KEY;
import static io.nettyrdma.verbs.soft.StartupViolation.REQUEST_KEY;
import static io.nettyrdma.verbs.soft.StartupViolation.frame;

import io.nettyrdma.verbs.soft.Stage.Role;
import io.nettyrdma.verbs.soft.StartupViolation.Ending;
import io.nettyrdma.verbs.soft.iwarp.CrcMode;
import java.util.ArrayList;
import java.util.List;

/** Bad and odd MPA Requests: the provider is the responder. */
final class RequestViolations {

    /** A Request of an initiator with CRC, IRD 4, ORD 4. */
    private static final String GOOD = frame(REQUEST_KEY, 0x50, 2, "0004 0004");

    private RequestViolations() {}

    static List<StartupViolation> all() {
        List<StartupViolation> rows = new ArrayList<>();
        improper(rows);
        refused(rows);
        odd(rows);
        ends(rows);
        return rows;
    }

    private static StartupViolation request(String name, String hex) {
        return new StartupViolation(Role.RESPONDER, name, hex);
    }

    /** Closed without a Reply, and the application never hears of it. */
    private static void improper(List<StartupViolation> rows) {
        rows.add(request("HTTP", "474554202f20485454502f312e310d0a0d0a"));
        rows.add(request("first octet of the key wrong", "4e" + GOOD.substring(2)));
        rows.add(request("last octet of the key wrong", GOOD.substring(0, 30) + "66" + GOOD.substring(32)));
        rows.add(request("key of a Reply", frame(REPLY_KEY, 0x50, 2, "0004 0004")));
        for (int revision : new int[] {0, 3, 255}) {
            rows.add(request("revision " + revision, frame(REQUEST_KEY, 0x50, revision, "0004 0004")));
        }
        rows.add(request("PD_Length 513", REQUEST_KEY + "50020201"));
        rows.add(request("PD_Length 65535", REQUEST_KEY + "5002ffff"));
        for (int bytes = 0; bytes < 4; bytes++) {
            rows.add(request(
                    "S with " + bytes + " octets of enhanced data", frame(REQUEST_KEY, 0x50, 2, "00".repeat(bytes))));
        }
        rows.add(request("an octet behind the Request", GOOD + "00").together());
        rows.add(request("an FPDU behind the Request", GOOD + "000ec140000000010000000000000000ebd34c5f")
                .together());
        rows.add(request("a second Request behind the Request", GOOD + GOOD).together());
    }

    /** Rejected by a Reply that every initiator understands. */
    private static void refused(List<StartupViolation> rows) {
        rows.add(request("markers wanted", frame(REQUEST_KEY, 0xd0, 2, "0004 0004"))
                .sends(frame(REPLY_KEY, 0x70, 2, "0004 0001")));
        rows.add(request("markers wanted, revision 1", frame(REQUEST_KEY, 0xc0, 1, ""))
                .sends(frame(REPLY_KEY, 0x60, 1, "")));
        rows.add(request("CRC wanted where it is never used", GOOD)
                .with(b -> b.crcMode(CrcMode.NEVER))
                .sends(frame(REPLY_KEY, 0x70, 2, "0004 0001")));
    }

    /** Taken, because RFC 5044 and RFC 6581 say so or because Linux does. */
    private static void odd(List<StartupViolation> rows) {
        rows.add(request("good", GOOD)
                .sends(frame(REPLY_KEY, 0x50, 2, "0004 0004"))
                .isFine());
        rows.add(request("R set", frame(REQUEST_KEY, 0x70, 2, "0004 0004"))
                .sends(frame(REPLY_KEY, 0x50, 2, "0004 0004"))
                .isFine());
        rows.add(request("reserved bits set", frame(REQUEST_KEY, 0x5f, 2, "0004 0004"))
                .sends(frame(REPLY_KEY, 0x50, 2, "0004 0004"))
                .isFine());
        rows.add(request("S in revision 1", frame(REQUEST_KEY, 0x50, 1, "0004 0004"))
                .sends(frame(REPLY_KEY, 0x40, 1, ""))
                .isFine());
        rows.add(request("revision 2 without S", frame(REQUEST_KEY, 0x40, 2, ""))
                .sends(frame(REPLY_KEY, 0x40, 2, ""))
                .isFine());
        rows.add(request("no CRC wanted", frame(REQUEST_KEY, 0x10, 2, "0004 0004"))
                .sends(frame(REPLY_KEY, 0x10, 2, "0004 0004"))
                .isFine());
        rows.add(request("no CRC wanted where it is required", frame(REQUEST_KEY, 0x10, 2, "0004 0004"))
                .with(b -> b.crcMode(CrcMode.REQUIRE))
                .sends(frame(REPLY_KEY, 0x50, 2, "0004 0004"))
                .isFine());
        rows.add(request("512 octets of private data", frame(REQUEST_KEY, 0x50, 2, "00040004" + "ab".repeat(508)))
                .sends(frame(REPLY_KEY, 0x50, 2, "0004 0004"))
                .isFine());
        rows.add(request("depths beyond all measure", frame(REQUEST_KEY, 0x50, 2, "3ffe 3ffe"))
                .sends(frame(REPLY_KEY, 0x50, 2, "0080 0004"))
                .isFine());
        rows.add(request("depths not to be negotiated", frame(REQUEST_KEY, 0x50, 2, "3fff 3fff"))
                .sends(frame(REPLY_KEY, 0x50, 2, "3fff 3fff"))
                .isFine());
        rows.add(request("depths 0", frame(REQUEST_KEY, 0x50, 2, "0000 0000"))
                .sends(frame(REPLY_KEY, 0x50, 2, "0004 0000"))
                .isFine());
        rows.add(request("B, C and D without A", frame(REQUEST_KEY, 0x50, 2, "4004 c004"))
                .sends(frame(REPLY_KEY, 0x50, 2, "0004 0004"))
                .isFine());
        rows.add(request("peer-to-peer with no RTR offered", frame(REQUEST_KEY, 0x50, 2, "8004 0004"))
                .sends(frame(REPLY_KEY, 0x50, 2, "8004 8004"))
                .isFine());
        rows.add(request("peer-to-peer with the Send as RTR only", frame(REQUEST_KEY, 0x50, 2, "c004 0004"))
                .sends(frame(REPLY_KEY, 0x50, 2, "8004 8004"))
                .isFine());
        rows.add(request("peer-to-peer with the Read as RTR, depths 0", frame(REQUEST_KEY, 0x50, 2, "8000 4000"))
                .sends(frame(REPLY_KEY, 0x50, 2, "8004 4000"))
                .isFine());
    }

    private static void ends(List<StartupViolation> rows) {
        rows.add(request("FIN while the application decides", GOOD)
                .endsWith(Ending.FIN)
                .sends(frame(REPLY_KEY, 0x50, 2, "0004 0004"))
                .isFine());
        rows.add(request("RST while the application decides", GOOD)
                .endsWith(Ending.RESET)
                .isFine());
        rows.add(request("nothing at all", "").with(b -> b.timeouts(t -> t.mpaRequestMillis = 100)));
        for (int octets : new int[] {1, 16, 19, 20, 23}) {
            String start = GOOD.substring(0, 2 * octets);
            rows.add(request("nothing behind " + octets + " of 24 octets", start)
                    .with(b -> b.timeouts(t -> t.mpaRequestMillis = 100)));
        }
        for (int octets = 0; octets < 24; octets++) {
            String start = GOOD.substring(0, 2 * octets);
            rows.add(request("FIN behind " + octets + " of 24 octets", start).endsWith(Ending.FIN));
            rows.add(request("RST behind " + octets + " of 24 octets", start).endsWith(Ending.RESET));
        }
    }
}
