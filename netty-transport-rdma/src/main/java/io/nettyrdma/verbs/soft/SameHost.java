// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.rdmap.RdmapReceiver;
import io.nettyrdma.verbs.soft.rdmap.RdmapTransmitter;
import io.nettyrdma.verbs.soft.ring.RingReader;
import io.nettyrdma.verbs.soft.ring.SharedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Moves a stream between two processes of one host from TCP to shared memory. Peers find each other inside their
 * connection, by marks: empty RDMA Writes that mean nothing to any other peer ({@link Ddp#MARK_STAG}).
 *
 * <pre>
 * initiator                                      responder
 * first FPDU: mark HERE                   ────→
 *                                         ←────  makes a file with the number N, mark N
 * claims the file, mark N;
 * its octets are in the ring from here    ────→
 *                                         ←────  mark N; its octets are in the ring from here
 * </pre>
 *
 * <p>Only a peer that has said HERE gets an offer. One that is not of this project gets nothing but its first FPDU: if
 * it closes while an offer is on the way, its kernel may reset the connection, and lose what it has sent.
 *
 * <p>A connection begins over TCP and moves when it has shown that it is used, so that many short or idle ones pay
 * nothing. Traffic goes on all the while. Whatever is missing (the peer's answer, the same user, room), both stay on
 * TCP. The TCP connection remains: its single octets are bells, its end is the end.
 *
 * <p>Threading: confined to the thread of the event channel. Ownership: of the file, which is unmapped only when the
 * event channel gets to it, as callers up the stack may still look at the memory.
 */
final class SameHost {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(SameHost.class);

    /** How long the name of a file is kept for a peer that does not answer. */
    private static final long OFFER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final SecureRandom NUMBERS = new SecureRandom();

    /** Records of a ring in one turn, before other connections get theirs. */
    private static final int RECORDS_PER_TURN = 8;

    private enum Way {
        /** TCP; the question was not asked. */
        TCP,
        /** TCP; the peer was asked. */
        OFFERED,
        /** The peer was answered, and its last octets over TCP are on the way. */
        CLAIMED,
        SHARED,
        /** TCP for ever. */
        REFUSED
    }

    private final RdmapStream stream;
    private final StreamHost host;
    private final TcpSocket tcp;
    private final SoftEventChannel events;
    private final RdmapTransmitter transmitter;
    private final RdmapReceiver receiver;
    private final int batchesBefore;
    private Way way;
    /** Whether the peer takes offers. */
    private boolean here;

    private int batches;
    private long number;
    private @Nullable SharedFile file;
    /** What the peer fills, from its last mark on. */
    private @Nullable RingReader ring;

    private boolean awake;
    private boolean deaf;
    private DeadlineQueue.@Nullable Deadline deadline;

    SameHost(
            RdmapStream stream,
            StreamHost host,
            TcpSocket tcp,
            SoftEventChannel events,
            RdmapTransmitter transmitter,
            RdmapReceiver receiver) {
        this.stream = stream;
        this.host = host;
        this.tcp = tcp;
        this.events = events;
        this.transmitter = transmitter;
        this.receiver = receiver;
        batchesBefore = events.device().config.sameHostAfterBatches();
        way = batchesBefore >= 0 && tcp.isOnThisHost() ? Way.TCP : Way.REFUSED;
    }

    /** Whether this side takes an offer. */
    boolean isPossible() {
        return way == Way.TCP;
    }

    /** A batch was sent or received, and the stream is between two FPDUs. */
    void onBatch() throws IOException {
        if (way == Way.TCP && here && ++batches > batchesBefore) {
            if (!transmitter.isInsideMessage() && !tcp.hasUnsent()) {
                offer();
            }
        }
    }

    private void offer() throws IOException {
        number = NUMBERS.nextLong();
        try {
            file = SharedFile.make(number);
            events.device().sharedFiles.incrementAndGet();
        } catch (IOException | UnsupportedOperationException e) {
            refuse("no shared memory here", e);
            return;
        }
        way = Way.OFFERED;
        deadline = events.deadline(OFFER_NANOS, host.guarded(this::onNoAnswer));
        mark();
    }

    private void onNoAnswer() {
        deadline = null;
        if (file != null && file.withdraw()) {
            refuse("the peer does not answer", null);
            release();
        }
    }

    private void refuse(String why, @Nullable Exception e) {
        way = Way.REFUSED;
        logger.debug("{} stays on TCP: {}", tcp.remoteAddress(), why, e);
    }

    /**
     * The peer has sent a mark.
     *
     * @return whether its next octets are in the ring
     */
    boolean handleMark(long theirs) throws IOException {
        switch (way) {
            case TCP:
                if (theirs == Ddp.MARK_HERE) {
                    here = true;
                } else {
                    claim(theirs);
                }
                return false;
            case OFFERED:
                if (theirs != number) {
                    return false;
                }
                cancelDeadline();
                mark();
                moveOutput();
                moveInput();
                return true;
            case CLAIMED:
                if (theirs != number) {
                    return false;
                }
                moveInput();
                return true;
            default:
                return false;
        }
    }

    private void claim(long theirs) throws IOException {
        try {
            file = SharedFile.claim(theirs);
            events.device().sharedFiles.incrementAndGet();
        } catch (IOException | UnsupportedOperationException e) {
            refuse("the peer's shared memory cannot be used", e);
            return;
        }
        number = theirs;
        way = Way.CLAIMED;
        mark();
        moveOutput();
    }

    private void mark() throws IOException {
        ByteBuffer b = events.buffers().take(Fpdu.bytes(Ddp.TAGGED_HEADER_BYTES));
        try {
            transmitter.appendMark(b, number);
            tcp.sendBehind(b.flip());
        } finally {
            events.buffers().give(b);
        }
        host.updateInterest();
    }

    private void moveOutput() {
        assert file != null;
        transmitter.fpdu().crcOff();
        tcp.sendTo(file.writer());
    }

    private void moveInput() {
        assert file != null;
        way = Way.SHARED;
        deaf = false;
        events.addSharedConnections(1);
        logger.debug("{} moved to shared memory", tcp.remoteAddress());
        receiver.fpdu().crcOff();
        ring = file.reader();
    }

    /**
     * There is no room in the ring to the peer. A bell tells when there is; but not while this side still receives over
     * TCP, which is not read when a Send waits for a receive.
     */
    void onFull() {
        if (way == Way.CLAIMED) {
            deaf = true;
            stayAwake();
        }
    }

    /** Whether no bell is heard that would tell of room in the full ring to the peer. */
    boolean isDeaf() {
        return deaf;
    }

    private void stayAwake() {
        if (!awake) {
            awake = true;
            events.rings().add(this);
        }
    }

    /** Whether the peer's octets are in the ring. */
    boolean isReceiving() {
        return ring != null;
    }

    /** The socket is ready, or the stream may go on: looks into the ring. */
    int hearBell() throws IOException {
        tcp.takeBells(events.buffers().receiveStaging());
        assert ring != null;
        ring.awake();
        stayAwake();
        return receive(ring);
    }

    /** Looks into the ring without having been woken; returns how many octets came. */
    int look() {
        try {
            if (ring == null) {
                deaf = false;
                stream.onSent(true);
                return 0;
            }
            if (!ring.isEmpty()) {
                return receive(ring);
            }
            ring.check();
            return 0;
        } catch (Throwable e) {
            host.onFailure(e);
            return 1;
        }
    }

    /** Takes some of what is in the ring, and the end behind it. */
    private int receive(RingReader from) throws IOException {
        int octets = 0;
        try {
            for (int i = 0; i < RECORDS_PER_TURN && stream.isReady(); i++) {
                ByteBuffer record = from.record();
                if (record == null) {
                    break;
                }
                octets += record.remaining();
                stream.receive(record);
                if (record.hasRemaining() && stream.isReady()) {
                    throw new IOException("peer wrote a part of an FPDU into the shared memory");
                }
                from.release();
                if (from.hasToWake()) {
                    tcp.ring();
                }
            }
        } finally {
            from.check();
        }
        if (stream.isReady() && tcp.isEndOfStream() && from.isEmpty()) {
            host.endOfStream();
            return octets + 1;
        }
        host.updateInterest();
        stream.onReceived();
        return octets;
    }

    /** Has the peer wake this side when there is something in the ring; false if there is something. */
    boolean sleep() {
        try {
            awake = deaf;
            if (ring != null && stream.isReady()) {
                awake = !ring.sleep();
                ring.check();
            }
        } catch (Throwable e) {
            host.onFailure(e);
        }
        return !awake;
    }

    private void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
    }

    private void release() {
        if (file != null) {
            events.release(file);
            file = null;
        }
    }

    /** The connection is closed. */
    void close() {
        cancelDeadline();
        if (file != null && way == Way.OFFERED) {
            file.withdraw();
        }
        if (way == Way.SHARED) {
            events.addSharedConnections(-1);
        }
        way = Way.REFUSED;
        deaf = false;
        ring = null;
        release();
    }
}
