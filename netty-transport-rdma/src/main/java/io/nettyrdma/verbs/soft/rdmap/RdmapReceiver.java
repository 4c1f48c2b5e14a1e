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
 * Checks FPDUs and places their payload. Knows no socket: it consumes a buffer. Nothing is placed before the CRC of
 * the FPDU and every field of the segment are found right (RFC 5041, section 7.1; RFC 5040, section 7.2). The buffer
 * may be memory that the peer still writes, so a field on which anything depends is read once.
 *
 * <p>Threading: confined to one thread.
 */
public final class RdmapReceiver {

    private static final int CONTROL_BYTES = 2;

    private final WorkQueues queues;
    private final RegionTable regions;
    private final Fpdu fpdu;
    private final boolean responder;

    private int sendMsn;
    private int readMsn;
    /** Opcode of the Send under way, or -1; and what is placed of it. */
    private int sendOpcode = -1;

    private int sendInvalidates;
    private long sendOffset;
    /** Opcode of the tagged message under way, or -1; and where a Write continues. */
    private int taggedOpcode = -1;

    private int writeKey;
    private long writeAddress;

    private boolean receivedAny;
    private boolean startingUp;
    private @Nullable Terminate terminate;
    private long mark;

    /**
     * A receiver of a stream that starts.
     *
     * @param crc       whether FPDUs carry CRCs
     * @param responder whether the peer is the initiator, whose first FPDU may be about the start-up
     */
    public RdmapReceiver(WorkQueues queues, RegionTable regions, boolean crc, boolean responder) {
        this(queues, regions, crc, responder, Ddp.FIRST_MSN);
    }

    /** With another first MSN, so that a test need not receive four billion messages to see it wrap. */
    RdmapReceiver(WorkQueues queues, RegionTable regions, boolean crc, boolean responder, int firstMsn) {
        this.sendMsn = firstMsn;
        this.readMsn = firstMsn;
        this.responder = responder;
        this.queues = queues;
        this.regions = regions;
        this.fpdu = new Fpdu(crc);
    }

    /** Whether an FPDU has been received. */
    public boolean hasReceivedAny() {
        return receivedAny;
    }

    /** Whether a message is received in part. */
    public boolean isInsideMessage() {
        return sendOpcode >= 0 || taggedOpcode >= 0;
    }

    /** The number of a mark (see {@link Ddp#MARK_STAG}) behind which {@link #consume} has stopped, or 0. */
    public long mark() {
        return mark;
    }

    /** The framing of this direction. */
    public Fpdu fpdu() {
        return fpdu;
    }

    /** The peer's Terminate, after which nothing is consumed. */
    @Nullable
    public Terminate terminate() {
        return terminate;
    }

    /**
     * Consumes the complete FPDUs from the position of {@code b} on.
     *
     * @return false if it stopped in front of a Send for which no receive is posted; it also stops behind a mark
     */
    public boolean consume(ByteBuffer b) throws StreamFault {
        mark = 0;
        while (terminate == null && mark == 0 && b.remaining() >= Fpdu.LENGTH_BYTES) {
            int at = b.position();
            int ulpduBytes = Fpdu.ulpduBytes(b, at);
            int bytes = Fpdu.bytes(ulpduBytes);
            if (b.remaining() < bytes) {
                break;
            }
            if (!fpdu.verify(b, at)) {
                throw new StreamFault(TerminateError.MPA_CRC, "CRC of an FPDU of " + bytes + " octets is wrong");
            }
            startingUp = responder && !receivedAny;
            receivedAny = true;
            if (Ddp.isMark(b, at + Fpdu.LENGTH_BYTES, ulpduBytes)) {
                mark = Ddp.taggedOffset(b, at + Fpdu.LENGTH_BYTES);
            } else if (!segment(b, at + Fpdu.LENGTH_BYTES, ulpduBytes)) {
                return false;
            }
            b.position(at + bytes);
        }
        return true;
    }

    /**
     * What there is to say about the Send in front of which {@link #consume} has stopped.
     *
     * @param timeoutMillis how long a receive was waited for
     */
    public StreamFault noBuffer(ByteBuffer b, int timeoutMillis) {
        int at = b.position();
        // Memory that is shared may have changed since.
        int bytes = Math.min(Fpdu.ulpduBytes(b, at), b.remaining() - Fpdu.LENGTH_BYTES);
        return fault(
                TerminateError.DDP_NO_BUFFER,
                "peer sent into an empty receive queue, and no receive came within " + timeoutMillis
                        + " ms (RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS)",
                b,
                at + Fpdu.LENGTH_BYTES,
                bytes);
    }

    private boolean segment(ByteBuffer b, int at, int bytes) throws StreamFault {
        if (bytes < CONTROL_BYTES) {
            throw tooShort(bytes);
        }
        boolean tagged = Ddp.isTagged(b, at);
        if (!Ddp.hasValidVersion(b, at)) {
            throw fault(
                    tagged ? TerminateError.DDP_TAGGED_VERSION : TerminateError.DDP_UNTAGGED_VERSION,
                    "DDP version is not 1",
                    b,
                    at,
                    bytes);
        }
        if (!Ddp.hasValidRdmapVersion(b, at)) {
            throw fault(TerminateError.RDMAP_VERSION, "RDMAP version is not 1", b, at, bytes);
        }
        int opcode = Ddp.opcode(b, at);
        if (!RdmapOpcode.isDefined(opcode) || RdmapOpcode.isTagged(opcode) != tagged) {
            String model = tagged ? "tagged" : "untagged";
            throw fault(TerminateError.RDMAP_OPCODE, model + " " + RdmapOpcode.name(opcode), b, at, bytes);
        }
        if (bytes < RdmapOpcode.minimumUlpduBytes(opcode)) {
            throw tooShort(bytes);
        }
        switch (opcode) {
            case RdmapOpcode.WRITE:
                write(b, at, bytes);
                return true;
            case RdmapOpcode.READ_RESPONSE:
                readResponse(b, at, bytes);
                return true;
            case RdmapOpcode.READ_REQUEST:
                readRequest(b, at, bytes);
                return true;
            case RdmapOpcode.TERMINATE:
                terminate(b, at, bytes);
                return true;
            default:
                return send(b, at, bytes, opcode);
        }
    }

    private boolean send(ByteBuffer b, int at, int bytes, int opcode) throws StreamFault {
        checkUntagged(b, at, bytes, Ddp.QUEUE_SEND, sendMsn, sendOffset);
        int invalidates = RdmapOpcode.invalidates(opcode) ? Ddp.invalidateStag(b, at) : 0;
        if (sendOpcode >= 0 && (opcode != sendOpcode || invalidates != sendInvalidates)) {
            throw fault(TerminateError.RDMAP_OPCODE, "opcode changes in the middle of a Send", b, at, bytes);
        }
        ReceiveRing receives = queues.receives();
        if (!queues.hasReceive()) {
            return false;
        }
        int payload = bytes - Ddp.UNTAGGED_HEADER_BYTES;
        if (sendOffset + payload > receives.bytes(receives.head())) {
            queues.failReceive(VerbsConstants.WC_LOC_LEN_ERR);
            throw fault(
                    TerminateError.DDP_TOO_LONG,
                    "peer's " + Ddp.describeSend(b, at, bytes) + " does not fit a receive of "
                            + receives.bytes(receives.head()) + " (RDMA_RECEIVE_SIZE)",
                    b,
                    at,
                    bytes);
        }
        if (payload > 0) {
            scatter(receives, b, at, bytes, payload);
        }
        sendOffset += payload;
        if (!Ddp.isLast(b, at)) {
            sendOpcode = opcode;
            sendInvalidates = invalidates;
            return true;
        }
        if (RdmapOpcode.invalidates(opcode)) {
            invalidate(invalidates, b, at, bytes);
        }
        int length = (int) sendOffset;
        sendMsn++;
        sendOpcode = -1;
        sendOffset = 0;
        queues.completeReceive(length, RdmapOpcode.invalidates(opcode), invalidates);
        return true;
    }

    private void checkUntagged(ByteBuffer b, int at, int bytes, int queue, int msn, long offset) throws StreamFault {
        if (Ddp.queueNumber(b, at) != queue) {
            String text = "queue is " + (Ddp.queueNumber(b, at) & 0xffffffffL) + ", not " + queue;
            throw fault(TerminateError.DDP_INVALID_QUEUE, text, b, at, bytes);
        }
        if (Ddp.messageSequence(b, at) != msn) {
            String text = "MSN is " + (Ddp.messageSequence(b, at) & 0xffffffffL) + ", expected " + (msn & 0xffffffffL);
            throw fault(TerminateError.DDP_MSN_RANGE, text, b, at, bytes);
        }
        if ((Ddp.messageOffset(b, at) & 0xffffffffL) != offset) {
            String text = "MO is " + (Ddp.messageOffset(b, at) & 0xffffffffL) + ", expected " + offset;
            throw fault(TerminateError.DDP_INVALID_OFFSET, text, b, at, bytes);
        }
    }

    private void scatter(ReceiveRing receives, ByteBuffer b, int at, int bytes, int payload) throws StreamFault {
        int key = receives.key(receives.head());
        long address = receives.address(receives.head()) + sendOffset;
        int from = at + Ddp.UNTAGGED_HEADER_BYTES;
        AccessCheck access =
                regions.place(queues.domain(), VerbsConstants.ACCESS_LOCAL_WRITE, key, address, b, from, payload);
        if (access != AccessCheck.OK) {
            queues.failReceive(VerbsConstants.WC_LOC_PROT_ERR);
            String text = String.format(
                    "local memory of a receive: %s, key 0x%08x, address 0x%x, length %d",
                    access, key, address, payload);
            throw fault(TerminateError.DDP_LOCAL_CATASTROPHIC, text, b, at, bytes);
        }
    }

    private void invalidate(int key, ByteBuffer b, int at, int bytes) throws StreamFault {
        if (!regions.invalidate(queues.domain(), key)) {
            queues.failReceive(VerbsConstants.WC_REM_INV_REQ_ERR);
            String text = String.format("Send with Invalidate of key 0x%08x, which cannot be invalidated", key);
            throw fault(TerminateError.RDMAP_CANNOT_INVALIDATE, text, b, at, bytes);
        }
    }

    private void write(ByteBuffer b, int at, int bytes) throws StreamFault {
        int key = Ddp.stag(b, at);
        long address = Ddp.taggedOffset(b, at);
        int payload = bytes - Ddp.TAGGED_HEADER_BYTES;
        if (taggedOpcode == RdmapOpcode.READ_RESPONSE) {
            throw fault(TerminateError.RDMAP_OPCODE, "RDMA Write in the middle of a Read Response", b, at, bytes);
        }
        if (taggedOpcode == RdmapOpcode.WRITE && payload != 0) {
            // RFC 5041, section 5.2: segments of a message are contiguous.
            if (key != writeKey) {
                throw fault(TerminateError.DDP_INVALID_STAG, "STag changes in the middle of a Write", b, at, bytes);
            }
            if (address != writeAddress) {
                throw fault(TerminateError.DDP_BOUNDS, "gap in the middle of a Write", b, at, bytes);
            }
        }
        // RFC 5041, section 5.2: STag and TO of an empty segment are not checked.
        if (payload != 0) {
            int from = at + Ddp.TAGGED_HEADER_BYTES;
            AccessCheck access =
                    regions.place(queues.domain(), VerbsConstants.ACCESS_REMOTE_WRITE, key, address, b, from, payload);
            if (access != AccessCheck.OK) {
                String text = String.format(
                        "peer's RDMA Write: %s, key 0x%08x, address 0x%x, length %d", access, key, address, payload);
                throw fault(access.placementError(), text, b, at, bytes);
            }
            writeKey = key;
            writeAddress = address + payload;
        }
        taggedOpcode = Ddp.isLast(b, at) || payload == 0 && taggedOpcode < 0 ? -1 : RdmapOpcode.WRITE;
    }

    private void readRequest(ByteBuffer b, int at, int bytes) throws StreamFault {
        checkUntagged(b, at, bytes, Ddp.QUEUE_READ_REQUEST, readMsn, 0);
        if (bytes != Ddp.UNTAGGED_HEADER_BYTES + ReadRequest.BYTES || !Ddp.isLast(b, at)) {
            throw fault(TerminateError.DDP_TOO_LONG, "RDMA Read Request is not one segment of 46 octets", b, at, bytes);
        }
        InboundReads reads = queues.inboundReads();
        if (reads.isFull()) {
            // RFC 5040, section 6.1. To DDP the queue of Read Requests is one of untagged buffers, all in use.
            String text = "peer has more RDMA Reads outstanding than the " + reads.limit() + " this side can hold";
            throw fault(TerminateError.DDP_NO_BUFFER, text, b, at, bytes);
        }
        int from = at + Ddp.UNTAGGED_HEADER_BYTES;
        reads.add(
                ReadRequest.sinkStag(b, from),
                ReadRequest.sinkOffset(b, from),
                ReadRequest.size(b, from),
                ReadRequest.sourceStag(b, from),
                ReadRequest.sourceOffset(b, from),
                readMsn);
        readMsn++;
    }

    private void readResponse(ByteBuffer b, int at, int bytes) throws StreamFault {
        OutstandingReads reads = queues.outstandingReads();
        if (reads.isEmpty() || taggedOpcode == RdmapOpcode.WRITE) {
            throw fault(TerminateError.RDMAP_OPCODE, "RDMA Read Response without a request", b, at, bytes);
        }
        int key = reads.sinkKey();
        long address = reads.sinkAddress() + reads.placedBytes();
        int payload = bytes - Ddp.TAGGED_HEADER_BYTES;
        int missing = reads.bytes() - reads.placedBytes();
        boolean last = Ddp.isLast(b, at);
        if (payload != 0 && Ddp.stag(b, at) != key) {
            queues.failSend(reads.position(), VerbsConstants.WC_BAD_RESP_ERR);
            throw fault(TerminateError.DDP_INVALID_STAG, "RDMA Read Response for another STag", b, at, bytes);
        }
        if (payload != 0 && Ddp.taggedOffset(b, at) != address) {
            queues.failSend(reads.position(), VerbsConstants.WC_BAD_RESP_ERR);
            throw fault(TerminateError.DDP_BOUNDS, "RDMA Read Response for another offset", b, at, bytes);
        }
        if (payload > missing || last && payload < missing) {
            queues.failSend(
                    reads.position(),
                    payload > missing ? VerbsConstants.WC_LOC_LEN_ERR : VerbsConstants.WC_BAD_RESP_ERR);
            String text = "RDMA Read Response is too " + (last && payload < missing ? "short" : "long");
            throw fault(TerminateError.DDP_BOUNDS, text, b, at, bytes);
        }
        if (payload != 0) {
            // The right needed is that of the one who asked, not of the peer, and it may have gone meanwhile.
            int from = at + Ddp.TAGGED_HEADER_BYTES;
            AccessCheck access =
                    regions.place(queues.domain(), VerbsConstants.ACCESS_LOCAL_WRITE, key, address, b, from, payload);
            if (access != AccessCheck.OK) {
                queues.failSend(reads.position(), VerbsConstants.WC_LOC_PROT_ERR);
                String text = String.format("sink of an RDMA Read: key 0x%08x is no longer usable", key);
                throw fault(TerminateError.DDP_INVALID_STAG, text, b, at, bytes);
            }
        }
        reads.onPlaced(payload);
        if (last) {
            taggedOpcode = -1;
            queues.sends().onDone(reads.position());
            reads.removeHead();
        } else {
            taggedOpcode = RdmapOpcode.READ_RESPONSE;
        }
    }

    private void terminate(ByteBuffer b, int at, int bytes) {
        // Whatever queue and numbers it carries: it is the last word of the peer, and not to be answered.
        int from = at + Ddp.UNTAGGED_HEADER_BYTES;
        Terminate t = Terminate.decode(b, from, bytes - Ddp.UNTAGGED_HEADER_BYTES, startingUp);
        terminate = t;
        byte[] request = t.readRequest();
        if (request != null && t.refusesRead()) {
            // Linux gives up the connection without a word to the application; the header tells which Read it was.
            ByteBuffer header = ByteBuffer.wrap(request);
            long position = queues.outstandingReads()
                    .find(ReadRequest.sourceStag(header, 0), ReadRequest.sourceOffset(header, 0));
            if (position >= 0) {
                queues.failSend(position, VerbsConstants.WC_REM_ACCESS_ERR);
            }
        }
    }

    private static StreamFault tooShort(int bytes) {
        return new StreamFault(TerminateError.MPA_LENGTH, "ULPDU of " + bytes + " octets is too short for its header");
    }

    private static StreamFault fault(TerminateError error, String text, ByteBuffer b, int at, int bytes) {
        byte[] segment = new byte[Math.min(bytes, Ddp.UNTAGGED_HEADER_BYTES + ReadRequest.BYTES)];
        b.get(at, segment);
        return new StreamFault(error, text, segment, bytes);
    }
}
