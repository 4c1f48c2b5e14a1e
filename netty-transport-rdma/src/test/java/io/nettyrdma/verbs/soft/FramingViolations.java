// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static io.nettyrdma.verbs.soft.RawPeer.readRequest;
import static io.nettyrdma.verbs.soft.RawPeer.readResponse;
import static io.nettyrdma.verbs.soft.RawPeer.send;
import static io.nettyrdma.verbs.soft.RawPeer.write;
import static io.nettyrdma.verbs.soft.Stage.payload;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_TAGGED_VERSION;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.DDP_UNTAGGED_VERSION;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.MPA_CRC;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.MPA_LENGTH;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.RDMAP_OPCODE;
import static io.nettyrdma.verbs.soft.iwarp.TerminateError.RDMAP_VERSION;

import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Violations of the layers that every message goes through: FPDU, DDP and RDMAP control octets. */
final class FramingViolations {

    private static final int CRC = -1;

    private FramingViolations() {}

    static List<Violation> all() {
        List<Violation> rows = new ArrayList<>();
        crc(rows);
        lengths(rows);
        versions(rows);
        opcodes(rows);
        return rows;
    }

    private static void crc(List<Violation> rows) {
        rows.add(badCrc("Send, CRC field", s -> s.sendDamaged(send(1, 0, true, payload(8)), CRC)));
        rows.add(badCrc("Send, control octet", s -> s.sendDamaged(send(1, 0, true, payload(8)), 2)));
        rows.add(badCrc("Send, MSN", s -> s.sendDamaged(send(1, 0, true, payload(8)), 15)));
        rows.add(badCrc("Send, payload", s -> s.sendDamaged(send(1, 0, true, payload(8)), 20)));
        rows.add(badCrc("Send, pad", s -> s.sendDamaged(send(1, 0, true, payload(5)), -5)));
        rows.add(badCrc(
                "RDMA Write, payload",
                s -> s.sendDamaged(write(s.exposed.key(), s.exposed.address(), true, payload(8)), 16)));
        rows.add(badCrc(
                "RDMA Write, STag",
                s -> s.sendDamaged(write(s.exposed.key(), s.exposed.address(), true, payload(8)), 5)));
        rows.add(badCrc(
                "Read Response, payload",
                s -> s.sendDamaged(readResponse(s.sink.key(), s.sink.address(), true, payload(16)), 20)));
        rows.add(badCrc(
                "Read Request, size",
                s -> s.sendDamaged(readRequest(1, 1, 0, 8, s.exposed.key(), s.exposed.address()), 34)));
        rows.add(badCrc(
                "Terminate",
                s -> s.sendDamaged(
                        TerminatesReceived.ulpdu(RdmapOpcode.TERMINATE, new byte[] {0x12, 0x02, 0, 0}), CRC)));
        rows.add(new Violation("CRC of a Write's second segment is wrong", s -> {
                    s.send(write(s.exposed.key(), s.exposed.address(), false, payload(8)));
                    s.sendDamaged(write(s.exposed.key(), s.exposed.address() + 8, true, payload(8)), CRC);
                })
                .terminates(MPA_CRC, "", "CRC of an FPDU of 28 octets is wrong")
                .places(8));
    }

    private static Violation badCrc(String where, Violation.Action action) {
        return new Violation("CRC is wrong: " + where, action).terminates(MPA_CRC, "", "CRC of an FPDU of");
    }

    private static void lengths(List<Violation> rows) {
        rows.add(tooShort("nothing at all", 0, out -> {}));
        rows.add(tooShort("one octet", 1, out -> out.put((byte) 0x41)));
        rows.add(cut("RDMA Write", write(1, 0, true, new byte[0])));
        rows.add(cut("Read Response", readResponse(1, 0, true, new byte[0])));
        rows.add(cut("Send", send(1, 0, true, new byte[0])));
        rows.add(cut("Read Request", readRequest(1, 1, 0, 8, 1, 0)));
        rows.add(cut("Terminate", TerminatesReceived.ulpdu(RdmapOpcode.TERMINATE, new byte[4])));
        rows.add(tooShort("control octets only", 2, raw(0x41, 0x43)));
    }

    /** One octet less than the header of the message needs. */
    private static Violation cut(String message, Consumer<ByteBuffer> ulpdu) {
        ByteBuffer whole = ByteBuffer.allocate(64);
        ulpdu.accept(whole);
        byte[] octets = new byte[whole.position() - 1];
        whole.get(0, octets);
        return tooShort(message, octets.length, out -> out.put(octets));
    }

    private static Violation tooShort(String what, int octets, Consumer<ByteBuffer> ulpdu) {
        return new Violation("ULPDU is too short: " + what, s -> s.send(ulpdu))
                .terminates(MPA_LENGTH, "", "ULPDU of " + octets + " octets is too short for its header");
    }

    private static void versions(List<Violation> rows) {
        for (int version : new int[] {0, 2, 3}) {
            rows.add(new Violation("DDP version " + version + ", untagged", s -> s.send(head(0x40 | version, 0x43)))
                    .terminates(DDP_UNTAGGED_VERSION, "MD", "DDP version is not 1"));
            rows.add(new Violation("DDP version " + version + ", tagged", s -> s.send(head(0xc0 | version, 0x40)))
                    .terminates(DDP_TAGGED_VERSION, "MD", "DDP version is not 1"));
            rows.add(new Violation("RDMAP version " + version, s -> s.send(head(0x41, version << 6 | 3)))
                    .terminates(RDMAP_VERSION, "MD", "RDMAP version is not 1"));
        }
    }

    private static void opcodes(List<Violation> rows) {
        for (int opcode = RdmapOpcode.TERMINATE + 1; opcode < 16; opcode++) {
            int octet = 0x40 | opcode;
            String text = "opcode " + opcode;
            rows.add(new Violation("RDMAP opcode " + opcode + ", untagged", s -> s.send(head(0x41, octet)))
                    .terminates(RDMAP_OPCODE, "MD", "untagged " + text));
            rows.add(new Violation("RDMAP opcode " + opcode + ", tagged", s -> s.send(head(0xc1, octet)))
                    .terminates(RDMAP_OPCODE, "MD", "tagged " + text));
        }
        for (int opcode = 0; opcode <= RdmapOpcode.TERMINATE; opcode++) {
            String model = RdmapOpcode.isTagged(opcode) ? "untagged" : "tagged";
            int control = RdmapOpcode.isTagged(opcode) ? 0x41 : 0xc1;
            int octet = 0x40 | opcode;
            String text = model + " " + RdmapOpcode.name(opcode);
            rows.add(new Violation("T bit against opcode: " + text, s -> s.send(head(control, octet)))
                    .terminates(RDMAP_OPCODE, "MD", text));
        }
        rows.add(new Violation("Octets behind a violation", s -> {
                    ByteBuffer bad = s.fpdu(head(0x41, 0x48));
                    byte[] offending = s.lastUlpdu;
                    ByteBuffer good = s.fpdu(write(s.exposed.key(), s.exposed.address(), true, payload(8)));
                    s.lastUlpdu = offending;
                    s.peer.write(ByteBuffer.allocate(256).put(bad).put(good).flip());
                })
                .terminates(RDMAP_OPCODE, "MD", "untagged opcode 8"));
    }

    /** Control octets, and enough behind them for any header. */
    private static Consumer<ByteBuffer> head(int ddp, int rdmap) {
        return out -> raw(ddp, rdmap).andThen(o -> o.put(new byte[60])).accept(out);
    }

    private static Consumer<ByteBuffer> raw(int ddp, int rdmap) {
        return out -> out.put((byte) ddp).put((byte) rdmap);
    }
}
