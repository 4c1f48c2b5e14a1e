// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import io.nettyrdma.verbs.soft.captures.CapturedConnection;
import io.nettyrdma.verbs.soft.iwarp.CrcMode;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.MpaFormatException;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.MpaResponder;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.StreamFault;
import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Both directions of a captured connection through the provider's own decoders and its receiver, up to the first
 * violation that the octets themselves show. What needs the memory of the two machines cannot be told from a capture:
 * every RDMA Write finds a region around its first octet, Read Responses are checked as far as their headers go, and
 * every Send finds a receive that is long enough.
 */
final class CaptureReplay {

    private static final int RECEIVE_BYTES = 1 << 20;
    private static final int READS_IN_FLIGHT = 128;
    private static final int MAX_PAYLOAD = 1024;

    /** What a direction has to tell. */
    record Direction(int fpdus, @Nullable TerminateError violation, @Nullable Terminate terminate, String text) {}

    /** What Sends go to. */
    private final ByteBuffer receivable = ByteBuffer.allocateDirect(RECEIVE_BYTES);
    /** What stands for the memory of the other machine that Writes go to. */
    private final ByteBuffer writable = ByteBuffer.allocateDirect(RECEIVE_BYTES);

    private boolean crc;

    /** The initiator's direction, then the responder's. */
    List<Direction> replay(CapturedConnection c) throws IOException {
        ByteBuffer forth = c.forth.octets();
        ByteBuffer back = c.back.octets();
        List<String> forthText = new ArrayList<>();
        List<String> backText = new ArrayList<>();
        MpaFrame request = frame(forth, false, forthText);
        MpaFrame reply = frame(back, true, backText);
        if (request != null) {
            String refusal = new MpaResponder(CrcMode.PREFER, 128, request).refuse();
            if (refusal != null) {
                forthText.add(refusal);
            }
        }
        if (request != null && c.back.octets().capacity() == 0 && forth.hasRemaining()) {
            forthText.add(forth.remaining() + " octets behind the Request, which got no Reply");
            forth.position(forth.limit());
        }
        crc = request != null && request.crc() || reply != null && reply.crc();
        return List.of(stream(forth, request != null, true, forthText), stream(back, reply != null, false, backText));
    }

    private static @Nullable MpaFrame frame(ByteBuffer b, boolean reply, List<String> text) {
        try {
            int bytes = MpaFrame.bytes(b, 0, b.remaining(), reply);
            if (bytes < 0 || bytes > b.remaining()) {
                text.add(b.hasRemaining() ? "frame cut short" : "nothing");
                return null;
            }
            MpaFrame frame = MpaFrame.decode(b, 0, reply);
            b.position(bytes);
            EnhancedData enhanced = frame.enhanced();
            text.add((frame.rejected() ? "rejects, " : "") + "revision " + frame.revision()
                    + (frame.crc() ? ", CRC" : "")
                    + (enhanced == null ? "" : ", IRD " + enhanced.ird() + ", ORD " + enhanced.ord())
                    + ", " + frame.privateData().length + " octets of private data");
            return frame;
        } catch (MpaFormatException e) {
            text.add("bad frame: " + e.getMessage());
            return null;
        }
    }

    private Direction stream(ByteBuffer b, boolean started, boolean fromInitiator, List<String> text)
            throws IOException {
        int fpdus = 0;
        TerminateError violation = null;
        Terminate terminate = null;
        Core core = new Core(false, fromInitiator, MAX_PAYLOAD, Ddp.FIRST_MSN);
        core.queues.start(READS_IN_FLIGHT, READS_IN_FLIGHT);
        Region memory = core.register(receivable, Core.LOCAL);
        Map<Integer, Region> written = new HashMap<>();
        Fpdu checked = new Fpdu(crc);
        while (started && b.hasRemaining() && violation == null && terminate == null) {
            if (b.remaining() < 2 || b.remaining() < Fpdu.bytes(Fpdu.ulpduBytes(b, b.position()))) {
                text.add(b.remaining() + " octets of an FPDU");
                break;
            }
            fpdus++;
            try {
                if (!checked.verify(b, b.position())) {
                    throw new StreamFault(TerminateError.MPA_CRC, "CRC is wrong");
                }
                receive(core, memory, written, b);
            } catch (StreamFault f) {
                violation = f.error();
                // The key is one of this run.
                String why = f.getMessage().replaceFirst("key 0x[0-9a-f]{8}, ", "");
                text.add("FPDU " + fpdus + ": " + f.error().text() + ": " + why);
            }
            b.position(b.position() + Fpdu.bytes(Fpdu.ulpduBytes(b, b.position())));
            terminate = core.receiver.terminate();
            if (terminate != null) {
                text.add("FPDU " + fpdus + ": Terminate " + terminate.describe());
            }
        }
        if (fpdus > 0 && violation == null && terminate == null) {
            text.add(fpdus + " FPDUs");
        }
        core.close();
        return new Direction(fpdus, violation, terminate, String.join("; ", text));
    }

    private void receive(Core core, Region memory, Map<Integer, Region> written, ByteBuffer b)
            throws StreamFault, IOException {
        ByteBuffer fpdu = b.slice(b.position(), Fpdu.bytes(Fpdu.ulpduBytes(b, b.position())));
        int opcode = fpdu.limit() < 10 ? -1 : Ddp.opcode(fpdu, 2);
        if (isWellFormedTagged(fpdu, opcode)) {
            if (opcode == RdmapOpcode.READ_RESPONSE) {
                return;
            }
            fpdu = copy(fpdu);
            fpdu.putInt(
                    4,
                    region(core, written, Ddp.stag(fpdu, 2), Ddp.taggedOffset(fpdu, 2))
                            .key());
        }
        if (RdmapOpcode.invalidates(opcode) && !Ddp.isTagged(fpdu, 2)) {
            // The key is the other machine's; without it, it is a Send like others.
            fpdu = copy(fpdu);
            fpdu.put(3, (byte) (fpdu.get(3) - 1));
        }
        if (core.queues.receives().isEmpty()) {
            core.receive(1, memory, 0, RECEIVE_BYTES);
        }
        if (!core.receiver.consume(fpdu)) {
            throw new AssertionError("a receive was posted");
        }
        core.queues.inboundReads().clear();
    }

    private static ByteBuffer copy(ByteBuffer fpdu) {
        return ByteBuffer.allocate(fpdu.capacity()).put(fpdu).flip();
    }

    /** What stands for the region of the other machine: as much memory in front of its first offset as behind it. */
    private Region region(Core core, Map<Integer, Region> written, int stag, long offset) {
        return written.computeIfAbsent(stag, unknown -> {
            long before = RECEIVE_BYTES / 2;
            long base = Long.compareUnsigned(offset, before) < 0 ? 0 : offset - before;
            RegionTable regions = core.regions;
            synchronized (regions) {
                Region region = new Region(core.domain, writable, Core.ALL, regions.freeKey(), base);
                regions.insert(region);
                return region;
            }
        });
    }

    private static boolean isWellFormedTagged(ByteBuffer fpdu, int opcode) {
        return opcode >= 0
                && RdmapOpcode.isTagged(opcode)
                && Ddp.isTagged(fpdu, 2)
                && Ddp.hasValidVersion(fpdu, 2)
                && Ddp.hasValidRdmapVersion(fpdu, 2)
                && Fpdu.ulpduBytes(fpdu, 0) >= RdmapOpcode.minimumUlpduBytes(opcode);
    }
}
