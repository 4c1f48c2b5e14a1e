// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.ReadRequest;
import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;

/** Terminates of the peer, in the layout of RFC 5040 and in that of Linux, right and odd ones. */
final class TerminatesReceived {

    private TerminatesReceived() {}

    static List<Violation> all() {
        List<Violation> rows = new ArrayList<>();
        for (TerminateError error : TerminateError.values()) {
            rows.add(conforming(error));
        }
        linux(rows);
        odd(rows);
        return rows;
    }

    static Consumer<ByteBuffer> ulpdu(int opcode, byte[] body) {
        return out -> {
            Ddp.putUntagged(out, opcode, true, 0, Ddp.QUEUE_TERMINATE, 1, 0);
            out.put(body);
        };
    }

    private static Consumer<ByteBuffer> terminate(String hex) {
        return ulpdu(RdmapOpcode.TERMINATE, HexFormat.of().withDelimiter(" ").parseHex(hex));
    }

    private static boolean refusesRead(TerminateError error) {
        return error.carriesReadRequest() && error != TerminateError.RDMAP_CANNOT_INVALIDATE;
    }

    /** About the provider's own outstanding Read, with whatever headers the error carries. */
    private static Violation conforming(TerminateError error) {
        Violation row = new Violation(
                        "Terminate received: " + error.text(),
                        s -> s.send(out -> {
                            Ddp.putUntagged(out, RdmapOpcode.TERMINATE, true, 0, Ddp.QUEUE_TERMINATE, 1, 0);
                            Terminate.put(out, error, s.readRequest.array(), s.readRequest.capacity());
                        }))
                .afterRead()
                .ends(reason(error) + meaningAfterStartup(error));
        return refusesRead(error) ? row.readEnds(VerbsConstants.WC_REM_ACCESS_ERR) : row;
    }

    /** What stands before the words of the documents. */
    private static String reason(TerminateError error) {
        return switch (error) {
            case RDMAP_INVALID_STAG,
                    RDMAP_BOUNDS,
                    RDMAP_ACCESS,
                    RDMAP_STAG_NOT_ASSOCIATED,
                    DDP_INVALID_STAG,
                    DDP_BOUNDS,
                    DDP_STAG_NOT_ASSOCIATED ->
                "this side used a remote key that the peer has not registered, has invalidated, or has registered for"
                        + " less memory or other access: peer sent Terminate ";
            default -> "peer sent Terminate ";
        };
    }

    /** Of the errors of the start-up, which is over: Linux means errors of RDMAP by these octets. */
    private static String meaningAfterStartup(TerminateError error) {
        return switch (error) {
            case MPA_LOCAL_CATASTROPHIC -> TerminateError.RDMAP_VERSION.text();
            case MPA_INSUFFICIENT_IRD -> TerminateError.RDMAP_OPCODE.text();
            case MPA_NO_RTR -> TerminateError.RDMAP_CATASTROPHIC_STREAM.text();
            default -> error.text();
        };
    }

    private static void linux(List<Violation> rows) {
        linux(rows, "21 01 03 00", TerminateError.DDP_INVALID_QUEUE);
        linux(rows, "21 02 03 00", TerminateError.DDP_NO_BUFFER);
        linux(rows, "21 03 03 00", TerminateError.DDP_MSN_RANGE);
        linux(rows, "21 04 03 00", TerminateError.DDP_INVALID_OFFSET);
        linux(rows, "21 06 00 00", TerminateError.DDP_UNTAGGED_VERSION);
        linux(rows, "11 00 03 00", TerminateError.DDP_INVALID_STAG);
        linux(rows, "11 01 03 00", TerminateError.DDP_BOUNDS);
        linux(rows, "11 02 03 00", TerminateError.DDP_STAG_NOT_ASSOCIATED);
        linux(rows, "11 04 00 00", TerminateError.DDP_TAGGED_VERSION);
        linux(rows, "01 00 03 00", TerminateError.DDP_LOCAL_CATASTROPHIC);
        linux(rows, "20 05 00 00", TerminateError.RDMAP_VERSION);
        linux(rows, "20 06 00 00", TerminateError.RDMAP_OPCODE);
        linux(rows, "20 07 03 00", TerminateError.RDMAP_CATASTROPHIC_STREAM);
        linux(rows, "20 09 03 00", null);
        linux(rows, "00 ff 00 00", TerminateError.RDMAP_LOCAL_CATASTROPHIC);
        linux(rows, "02 02 00 00", TerminateError.MPA_CRC);
        linux(rows, "02 03 00 00", TerminateError.MPA_LENGTH);
        linux(rows, "10 00 07 00", TerminateError.RDMAP_INVALID_STAG);
        linux(rows, "10 01 07 00", TerminateError.RDMAP_BOUNDS);
        linux(rows, "10 03 07 00", TerminateError.RDMAP_STAG_NOT_ASSOCIATED);
    }

    private static void linux(List<Violation> rows, String control, TerminateError error) {
        byte[] octets = HexFormat.of().withDelimiter(" ").parseHex(control);
        // A code that RFC 5040 defines for another type is told in numbers.
        String meaning = error == null ? "layer 0/type 2/code 9" : error.text();
        Violation row = new Violation(
                        "Terminate of Linux received: " + meaning + " (" + control + ")",
                        s -> s.send(out -> {
                            Ddp.putUntagged(out, RdmapOpcode.TERMINATE, true, 0, Ddp.QUEUE_TERMINATE, 1, 0);
                            out.put(octets);
                            if (octets[2] != 0) {
                                putLinuxHeaders(out, s.readRequest, (octets[2] & 4) != 0);
                            }
                        }))
                .afterRead()
                .ends((error == null ? "peer sent Terminate " : reason(error)) + meaning + " (" + control + ")");
        rows.add(error != null && refusesRead(error) ? row.readEnds(VerbsConstants.WC_REM_ACCESS_ERR) : row);
    }

    /** As Linux 6.1 has it: no segment length for Read Requests, and the read size where the MSN belongs. */
    private static void putLinuxHeaders(ByteBuffer out, ByteBuffer request, boolean withRequest) {
        out.putShort((short) 0);
        int size = ReadRequest.size(request, Ddp.UNTAGGED_HEADER_BYTES);
        Ddp.putUntagged(out, RdmapOpcode.READ_REQUEST, true, 0, Ddp.QUEUE_READ_REQUEST, size, 0);
        if (withRequest) {
            out.put(request.array(), Ddp.UNTAGGED_HEADER_BYTES, ReadRequest.BYTES);
        }
    }

    private static Violation aboutAnotherRead(String what, int key, long address) {
        return new Violation(
                        "Terminate received: about a Read that is not outstanding, " + what,
                        s -> s.send(out -> {
                            Ddp.putUntagged(out, RdmapOpcode.TERMINATE, true, 0, Ddp.QUEUE_TERMINATE, 1, 0);
                            ByteBuffer other = ByteBuffer.allocate(46);
                            RawPeer.readRequest(1, 1, 0, 8, key, address).accept(other);
                            Terminate.put(out, TerminateError.RDMAP_ACCESS, other.array(), 46);
                        }))
                .ends(reason(TerminateError.RDMAP_ACCESS) + TerminateError.RDMAP_ACCESS.text());
    }

    private static void odd(List<Violation> rows) {
        String noBuffer = reason(TerminateError.DDP_NO_BUFFER) + TerminateError.DDP_NO_BUFFER.text();
        rows.add(new Violation(
                        "Terminate received on another queue with another MSN",
                        s -> s.send(out -> {
                            Ddp.putUntagged(out, RdmapOpcode.TERMINATE, false, 77, 9, 0, 5);
                            out.put(new byte[] {0x12, 2, 0, 0});
                        }))
                .ends(noBuffer));
        rows.add(
                new Violation("Terminate received: headers promised and missing", s -> s.send(terminate("01 00 e0 00")))
                        .ends(reason(TerminateError.RDMAP_INVALID_STAG) + TerminateError.RDMAP_INVALID_STAG.text()));
        rows.add(new Violation(
                        "Terminate received: headers cut short",
                        s -> s.send(terminate("01 00 e0 00 00 2e 41 41 00 00")))
                .ends(reason(TerminateError.RDMAP_INVALID_STAG) + TerminateError.RDMAP_INVALID_STAG.text()));
        rows.add(new Violation("Terminate received: undefined codes", s -> s.send(terminate("57 99 00 00")))
                .ends("peer sent Terminate layer 5/type 7/code 153 (57 99 00 00)"));
        rows.add(aboutAnotherRead("another STag", 0x7777, 0x100));
        rows.add(aboutAnotherRead("another offset", 0x5555, 0x100 + Stage.READ_BYTES));
        rows.add(new Violation(
                        "Terminate received: an error of DDP with the Read Request that was outstanding",
                        s -> s.send(out -> {
                            Ddp.putUntagged(out, RdmapOpcode.TERMINATE, true, 0, Ddp.QUEUE_TERMINATE, 1, 0);
                            out.putInt(0x1202e000).putShort((short) 46).put(s.readRequest.array());
                        }))
                .afterRead()
                .ends(noBuffer));
        rows.add(new Violation("Terminate received, and octets behind it", s -> {
                    ByteBuffer both = ByteBuffer.allocate(256);
                    both.put(s.fpdu(terminate("12 02 00 00")));
                    both.put(s.fpdu(RawPeer.write(s.exposed.key(), s.exposed.address(), true, new byte[8])));
                    s.peer.write(both.flip());
                })
                .ends(noBuffer));
        rows.add(new Violation("Terminate received in the middle of a message", s -> {
                    s.send(RawPeer.send(1, 0, false, new byte[8]));
                    s.send(terminate("12 02 00 00"));
                })
                .ends(noBuffer));
    }
}
