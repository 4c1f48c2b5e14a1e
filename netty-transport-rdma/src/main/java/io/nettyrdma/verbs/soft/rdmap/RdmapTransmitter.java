// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.ReadRequest;
import io.nettyrdma.verbs.soft.iwarp.StreamFault;
import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Turns the send queue and the inbound Read Requests of {@link WorkQueues} into FPDUs. Knows no socket: it fills a
 * buffer.
 *
 * <p>Messages are never interleaved (RFC 5041, section 5.3). Between messages, up to three Read Responses go before
 * one work request, so that neither side's Reads starve the other's Sends.
 *
 * <p>Threading: confined to one thread.
 */
public final class RdmapTransmitter {

    private static final int RESPONSES_PER_REQUEST = 3;
    /** STag of a zero-length Write: no receiver looks it up, but some hardware refuses 0. */
    private static final int READY_STAG = 1;

    private enum Sending {
        NOTHING,
        REQUEST,
        RESPONSE
    }

    private final WorkQueues queues;
    private final RegionTable regions;
    private final Fpdu fpdu;
    private final int maxPayload;

    private Sending sending = Sending.NOTHING;
    /** Octets of the message under way that are staged. */
    private long offset;

    private int responsesInRow;
    private int sendMsn;
    private int readMsn;
    private long stagedOctets;
    private boolean announceReady;
    private boolean announceHere;
    private boolean outOfRoom;
    private @Nullable StreamFault fault;

    /**
     * A transmitter of a stream that starts.
     *
     * @param crc        whether FPDUs carry CRCs
     * @param maxPayload most octets of payload in an FPDU
     */
    public RdmapTransmitter(WorkQueues queues, RegionTable regions, boolean crc, int maxPayload) {
        this(queues, regions, crc, maxPayload, Ddp.FIRST_MSN);
    }

    /** With another first MSN, so that a test need not send four billion messages to see it wrap. */
    RdmapTransmitter(WorkQueues queues, RegionTable regions, boolean crc, int maxPayload, int firstMsn) {
        this.sendMsn = firstMsn;
        this.readMsn = firstMsn;
        this.queues = queues;
        this.regions = regions;
        this.fpdu = new Fpdu(crc);
        this.maxPayload = maxPayload;
    }

    /** Octets staged so far. */
    public long stagedOctets() {
        return stagedOctets;
    }

    /**
     * Makes the next {@link #fill} send a zero-length Write, unless it has something better to send.
     *
     * @param here whether the Write is a mark, {@link Ddp#MARK_HERE}, which goes in front of all else
     */
    public void announceReady(boolean here) {
        announceReady = !here;
        announceHere = here;
    }

    /** Appends a mark, see {@link Ddp#MARK_STAG}; not in the middle of a message. */
    public void appendMark(ByteBuffer out, long number) {
        int at = Fpdu.begin(out);
        Ddp.putTagged(out, RdmapOpcode.WRITE, true, Ddp.MARK_STAG, number);
        end(out, at);
    }

    /** Whether a message is sent in part. */
    public boolean isInsideMessage() {
        return sending != Sending.NOTHING && offset != 0;
    }

    /** Whether the last {@link #fill} ended for lack of room. */
    public boolean isOutOfRoom() {
        return outOfRoom;
    }

    /** Why nothing more can be sent, if so. */
    @Nullable
    public StreamFault fault() {
        return fault;
    }

    /** Whether the peer has a Read Request waiting or the send queue something that can go now. */
    public boolean hasWork() {
        return announceReady
                || announceHere
                || sending != Sending.NOTHING
                || !queues.inboundReads().isEmpty()
                || isRequestReady();
    }

    /** Appends FPDUs until there is no room for the next, nothing left to send, or a fault. */
    public void fill(ByteBuffer out) {
        outOfRoom = false;
        if (announceHere) {
            announceHere = false;
            appendMark(out, Ddp.MARK_HERE);
        }
        try {
            while (fault == null && (sending != Sending.NOTHING || select())) {
                // Whatever the initiator sends first tells the responder that it may speak (RFC 5044, section 7.1.2,
                // rule 4), so a Send of its own saves the empty Write.
                announceReady = false;
                if (sending == Sending.NOTHING) {
                    continue;
                }
                if (!(sending == Sending.RESPONSE ? appendResponse(out) : appendRequest(out))) {
                    outOfRoom = fault == null;
                    return;
                }
            }
            if (announceReady && fault == null) {
                announceReady = false;
                int at = Fpdu.begin(out);
                Ddp.putTagged(out, RdmapOpcode.WRITE, true, READY_STAG, 0);
                end(out, at);
            }
        } catch (StreamFault f) {
            fault = f;
        }
    }

    private boolean isRequestReady() {
        SendRing sends = queues.sends();
        if (!sends.hasNext()) {
            return false;
        }
        long position = sends.next();
        OutstandingReads reads = queues.outstandingReads();
        if ((sends.flags(position) & VerbsConstants.SEND_FENCE) != 0 && !reads.isEmpty()) {
            return false;
        }
        // RFC 5040, section 6.1: MUST NOT exceed the negotiated number. The queue waits as a whole, in order.
        return sends.opcode(position) != VerbsConstants.WR_RDMA_READ
                || reads.limit() == 0
                || sends.bytes(position) == 0
                || !reads.isFull();
    }

    private boolean select() throws StreamFault {
        boolean response = !queues.inboundReads().isEmpty();
        boolean request = isRequestReady();
        if (!response && !request) {
            return false;
        }
        offset = 0;
        if (response && (!request || responsesInRow < RESPONSES_PER_REQUEST)) {
            responsesInRow++;
            checkSource();
            sending = Sending.RESPONSE;
            return true;
        }
        responsesInRow = 0;
        SendRing sends = queues.sends();
        long position = sends.next();
        if (sends.opcode(position) == VerbsConstants.WR_RDMA_READ && sends.bytes(position) == 0) {
            // A Read of 0 octets completes locally: Linux may answer an empty Read with stale octets. In order, the
            // request is done when everything before it is.
            sends.waiting();
            sends.onDone(position);
        } else {
            sending = Sending.REQUEST;
        }
        return true;
    }

    private boolean appendRequest(ByteBuffer out) throws StreamFault {
        SendRing sends = queues.sends();
        long position = sends.next();
        int opcode = sends.opcode(position);
        if (opcode == VerbsConstants.WR_RDMA_READ) {
            return appendReadRequest(out, sends, position);
        }
        boolean write = opcode == VerbsConstants.WR_RDMA_WRITE;
        int header = write ? Ddp.TAGGED_HEADER_BYTES : Ddp.UNTAGGED_HEADER_BYTES;
        long remaining = sends.bytes(position) - offset;
        int payload = (int) Math.min(remaining, maxPayload);
        if (out.remaining() < Fpdu.bytes(header + payload)) {
            return false;
        }
        boolean last = payload == remaining;
        int at = Fpdu.begin(out);
        if (write) {
            Ddp.putTagged(
                    out, RdmapOpcode.WRITE, last, sends.remoteKey(position), sends.remoteAddress(position) + offset);
        } else {
            boolean invalidate = opcode == VerbsConstants.WR_SEND_WITH_INV;
            boolean solicited = (sends.flags(position) & VerbsConstants.SEND_SOLICITED) != 0;
            Ddp.putUntagged(
                    out,
                    RdmapOpcode.send(solicited, invalidate),
                    last,
                    invalidate ? sends.remoteKey(position) : 0,
                    Ddp.QUEUE_SEND,
                    sendMsn,
                    (int) offset);
        }
        if (payload > 0) {
            gather(out, at, sends, position, payload);
        }
        end(out, at);
        offset += payload;
        if (last) {
            if (!write) {
                sendMsn++;
            }
            sends.onHandedToStream(stagedOctets);
            sending = Sending.NOTHING;
        }
        return true;
    }

    private void gather(ByteBuffer out, int at, SendRing sends, long position, int payload) throws StreamFault {
        int key = sends.key(position);
        long address = sends.address(position) + offset;
        // Checked for every segment, so that a region deregistered in the middle of a message is not read.
        AccessCheck access = regions.fetch(queues.domain(), AccessCheck.LOCAL_READ, key, address, payload, out);
        if (access != AccessCheck.OK) {
            out.position(at);
            throw localFault(position, access, key, address, payload);
        }
    }

    private StreamFault localFault(long position, AccessCheck access, int key, long address, int length) {
        queues.failSend(position, VerbsConstants.WC_LOC_PROT_ERR);
        return new StreamFault(
                TerminateError.RDMAP_LOCAL_CATASTROPHIC,
                String.format(
                        "local memory of a send work request: %s, key 0x%08x, address 0x%x, length %d",
                        access, key, address, length));
    }

    private boolean appendReadRequest(ByteBuffer out, SendRing sends, long position) throws StreamFault {
        OutstandingReads reads = queues.outstandingReads();
        if (out.remaining() < Fpdu.bytes(Ddp.UNTAGGED_HEADER_BYTES + ReadRequest.BYTES)) {
            return false;
        }
        if (reads.limit() == 0) {
            queues.failSend(position, VerbsConstants.WC_LOC_QP_OP_ERR);
            throw new StreamFault(
                    TerminateError.RDMAP_LOCAL_CATASTROPHIC, "RDMA Read on a connection negotiated for none (ORD 0)");
        }
        int key = sends.key(position);
        long address = sends.address(position);
        int bytes = sends.bytes(position);
        AccessCheck access = regions.check(queues.domain(), VerbsConstants.ACCESS_LOCAL_WRITE, key, address, bytes);
        if (access != AccessCheck.OK) {
            throw localFault(position, access, key, address, bytes);
        }
        int at = Fpdu.begin(out);
        Ddp.putUntagged(out, RdmapOpcode.READ_REQUEST, true, 0, Ddp.QUEUE_READ_REQUEST, readMsn++, 0);
        ReadRequest.put(out, key, address, bytes, sends.remoteKey(position), sends.remoteAddress(position));
        end(out, at);
        reads.add(position, key, address, bytes, sends.remoteKey(position), sends.remoteAddress(position));
        sends.waiting();
        sending = Sending.NOTHING;
        return true;
    }

    /** The whole source, before the first octet goes out: RFC 5040, section 7.2. */
    private void checkSource() throws StreamFault {
        InboundReads reads = queues.inboundReads();
        if (reads.bytes() != 0) {
            AccessCheck access = regions.check(
                    queues.domain(),
                    VerbsConstants.ACCESS_REMOTE_READ,
                    reads.sourceKey(),
                    reads.sourceAddress(),
                    reads.bytes());
            if (access != AccessCheck.OK) {
                throw sourceFault(reads, access);
            }
        }
    }

    private StreamFault sourceFault(InboundReads reads, AccessCheck access) {
        // The request as received, moved on to where the transfer has got to: RFC 5040, section 4.8.
        ByteBuffer segment = ByteBuffer.allocate(Ddp.UNTAGGED_HEADER_BYTES + ReadRequest.BYTES);
        Ddp.putUntagged(segment, RdmapOpcode.READ_REQUEST, true, 0, Ddp.QUEUE_READ_REQUEST, reads.msn(), 0);
        ReadRequest.put(
                segment,
                reads.sinkKey(),
                reads.sinkAddress() + offset,
                (int) (reads.bytes() - offset),
                reads.sourceKey(),
                reads.sourceAddress() + offset);
        return new StreamFault(
                access.readError(),
                String.format(
                        "peer's RDMA Read: %s, key 0x%08x, address 0x%x, length %d, at offset %d",
                        access, reads.sourceKey(), reads.sourceAddress(), reads.bytes(), offset),
                segment.array(),
                segment.capacity());
    }

    private boolean appendResponse(ByteBuffer out) throws StreamFault {
        InboundReads reads = queues.inboundReads();
        long remaining = reads.bytes() - offset;
        int payload = (int) Math.min(remaining, maxPayload);
        if (out.remaining() < Fpdu.bytes(Ddp.TAGGED_HEADER_BYTES + payload)) {
            return false;
        }
        boolean last = payload == remaining;
        int at = Fpdu.begin(out);
        Ddp.putTagged(out, RdmapOpcode.READ_RESPONSE, last, reads.sinkKey(), reads.sinkAddress() + offset);
        if (payload > 0) {
            // Again for every segment: an invalidated key ends the response where it stands.
            AccessCheck access = regions.fetch(
                    queues.domain(),
                    VerbsConstants.ACCESS_REMOTE_READ,
                    reads.sourceKey(),
                    reads.sourceAddress() + offset,
                    payload,
                    out);
            if (access != AccessCheck.OK) {
                out.position(at);
                throw sourceFault(reads, access);
            }
        }
        end(out, at);
        offset += payload;
        if (last) {
            reads.removeHead();
            sending = Sending.NOTHING;
        }
        return true;
    }

    private void end(ByteBuffer out, int at) {
        fpdu.end(out, at);
        stagedOctets += out.position() - at;
    }

    /** The framing of this direction. */
    public Fpdu fpdu() {
        return fpdu;
    }

    /** Appends a Terminate; nothing may follow it. */
    public static void appendTerminate(Fpdu fpdu, ByteBuffer out, StreamFault f) {
        int at = Fpdu.begin(out);
        Ddp.putUntagged(out, RdmapOpcode.TERMINATE, true, 0, Ddp.QUEUE_TERMINATE, Ddp.FIRST_MSN, 0);
        Terminate.put(out, f.error(), f.segment(), f.segmentBytes());
        fpdu.end(out, at);
    }
}
