// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.MpaTerms;
import io.nettyrdma.verbs.soft.iwarp.StreamFault;
import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import io.nettyrdma.verbs.soft.rdmap.RdmapReceiver;
import io.nettyrdma.verbs.soft.rdmap.RdmapTransmitter;
import io.nettyrdma.verbs.soft.rdmap.WorkQueues;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * The running stream of a connection: when to receive, when to send, when to hold back.
 *
 * <p>Threading: confined to the thread of the event channel. Ownership: belongs to its connection, which it tells to
 * end when there is a reason to; it never closes the socket itself.
 */
final class RdmapStream {

    private final StreamHost host;
    private final BufferPool buffers;
    private final TcpSocket tcp;
    private final WorkQueues queues;
    /** How long a Send of the peer may wait for a receive. */
    private final int receiverNotReadyTimeoutMillis;

    private final RdmapReceiver receiver;
    private final RdmapTransmitter transmitter;
    /** Octets of our start-up frame, which are no part of the stream. */
    private final int startupOctets;
    /** Octets of the longest FPDU sent. */
    private final int leastStagedBytes;

    private final FpduWatch fpduWatch;
    private final SameHost sameHost;

    private boolean awaitingFirstFpdu;
    private boolean receiverNotReady;
    private boolean turnQueued;
    private boolean ended;

    RdmapStream(
            StreamHost host,
            TcpSocket tcp,
            SoftEventChannel events,
            SoftQp qp,
            MpaTerms terms,
            boolean responder,
            int startupOctets) {
        this.host = host;
        this.buffers = events.buffers();
        this.tcp = tcp;
        queues = qp.queues();
        receiverNotReadyTimeoutMillis = qp.receiverNotReadyTimeoutMillis();
        this.startupOctets = startupOctets;
        SoftDevice device = events.device();
        receiver = new RdmapReceiver(queues, device.regions, terms.crc(), responder);
        transmitter = new RdmapTransmitter(queues, device.regions, terms.crc(), device.config.fpduPayloadBytes());
        fpduWatch = new FpduWatch(this, host, events, device.config.partialFpduTimeoutNanos());
        sameHost = new SameHost(this, host, tcp, events, transmitter, receiver);
        leastStagedBytes = Fpdu.bytes(Ddp.UNTAGGED_HEADER_BYTES + device.config.fpduPayloadBytes());
        queues.start(terms.ird(), terms.ord());
        qp.start(this);
    }

    /** Ends the connection because of {@code why}, unless it ends already. */
    void drain(String why) {
        host.drain(why);
    }

    /** Octets that TCP has accepted. */
    long sentOctets() {
        return tcp.sentOctets();
    }

    /** The framing of the direction to the peer. */
    Fpdu fpdu() {
        return transmitter.fpdu();
    }

    SameHost sameHost() {
        return sameHost;
    }

    /** Nothing is received or sent any more. */
    void end() {
        ended = true;
        fpduWatch.cancel();
    }

    /** Whether the socket is to be read. With a ring it is, for bells, which also tell of room in the other ring. */
    boolean isReading() {
        return sameHost.isReceiving() ? !tcp.isEndOfStream() : !receiverNotReady;
    }

    /** Whether FPDUs of the peer can be taken. */
    boolean isReady() {
        return !ended && !receiverNotReady;
    }

    boolean isInsideMessage() {
        return receiver.isInsideMessage();
    }

    /** The initiator owes the responder an FPDU: in the next turn, unless the application sends something before. */
    void announceReady() {
        announce();
        SiwAnnouncements.repeat(host, () -> !ended && !receiver.hasReceivedAny(), this::announce);
    }

    private void announce() {
        transmitter.announceReady(sameHost.isPossible());
        queueTurn();
    }

    /** The responder sends no FPDU before it has one: RFC 5044, section 7.1.2, rule 4. But not for ever. */
    void awaitFirstFpdu(long timeoutNanos) {
        awaitingFirstFpdu = true;
        host.deadline(timeoutNanos, () -> {
            awaitingFirstFpdu = false;
            queueTurn();
        });
    }

    // ---------------------------------------------------------------- receiving

    /** Takes the complete FPDUs that {@code b} holds. */
    void receive(ByteBuffer b) throws IOException {
        int from = b.position();
        try {
            do {
                receiverNotReady = !receiver.consume(b);
                if (receiver.mark() != 0 && sameHost.handleMark(receiver.mark())) {
                    b.position(b.limit()); // bells
                }
            } while (receiver.mark() != 0);
            if (b.position() != from) {
                fpduWatch.progress();
            }
            Terminate t = receiver.terminate();
            if (t != null) {
                host.drain(t.reason());
                return;
            }
            if (awaitingFirstFpdu && receiver.hasReceivedAny()) {
                awaitingFirstFpdu = false;
                host.cancelDeadline();
            }
            if (receiverNotReady) {
                holdBack(receiver.noBuffer(b, receiverNotReadyTimeoutMillis));
            }
        } catch (StreamFault f) {
            host.terminate(f, fpdu());
            return;
        }
        retire();
    }

    /** What was received may have made something to send; unless a turn is due that will see to it. */
    void onReceived() throws IOException {
        watchFpdu();
        if (!turnQueued) {
            transmit();
        }
        sameHost.onBatch();
    }

    /**
     * No receive is posted for the peer's Send. DDP cannot say "later", but TCP can: the socket is not read for a
     * while. RFC 5041, section 7.1, allows to recover by means of the layer below.
     */
    private void holdBack(StreamFault fault) throws StreamFault {
        if (receiverNotReadyTimeoutMillis == 0) {
            throw fault;
        }
        host.updateInterest();
        host.deadline(TimeUnit.MILLISECONDS.toNanos(receiverNotReadyTimeoutMillis), () -> {
            if (ended || !receiverNotReady) {
                return;
            }
            if (queues.hasReceive()) {
                queueTurn(); // it was posted in time, and only this thread is late
            } else {
                host.terminate(fault, fpdu());
            }
        });
    }

    void onReceivePosted() {
        if (receiverNotReady && !ended) {
            queueTurn();
        }
    }

    private void resumeReceiving() throws IOException {
        receiverNotReady = false;
        host.cancelDeadline();
        if (!sameHost.isReceiving()) {
            ByteBuffer staging = buffers.receiveStaging();
            tcp.takeUnparsed(staging);
            receive(staging.flip());
            if (!ended) {
                tcp.keepUnparsed(staging);
                watchFpdu();
                host.updateInterest();
            }
        }
        if (sameHost.isReceiving()) {
            host.readNow();
        }
    }

    /** Whether the peer owes the rest of an FPDU that it has begun. */
    boolean isInsideFpdu() {
        return !ended && !receiverNotReady && tcp.hasUnparsed();
    }

    private void watchFpdu() {
        if (isInsideFpdu()) {
            fpduWatch.onPartialFpdu();
        }
    }

    /** The rest of an FPDU has not come in the time allowed. */
    void fpduOverdue(long timeoutNanos) {
        ByteBuffer part = tcp.unparsed();
        if (part == null) {
            return;
        }
        int octets = part.remaining();
        String whole = octets < Fpdu.LENGTH_BYTES
                ? "unknown length"
                : Fpdu.bytes(Fpdu.ulpduBytes(part, part.position())) + " octets";
        String text =
                "only " + octets + " octets of an FPDU of " + whole + ' ' + SoftProviderConfig.within(timeoutNanos);
        // The nearest that RFC 5044 has: the length field does not agree with the stream.
        host.terminate(new StreamFault(TerminateError.MPA_LENGTH, text), fpdu());
    }

    // ---------------------------------------------------------------- sending

    /** Something was posted to the send queue, which goes out at once if nothing else is in front of it. */
    void onSendPosted() {
        if (!ended && !(turnQueued && transmitter.isOutOfRoom())) {
            try {
                transmit();
            } catch (Throwable e) {
                host.onFailure(e);
            }
        }
    }

    private void queueTurn() {
        if (!turnQueued) {
            turnQueued = true;
            host.queueTurn();
        }
    }

    /** A turn asked for before. */
    void turn() throws IOException {
        turnQueued = false;
        if (!ended && receiverNotReady && !queues.receives().isEmpty()) {
            resumeReceiving();
        }
        if (!ended) {
            transmit();
        }
    }

    /** TCP has taken more of what it did not take before. */
    void onSent(boolean all) throws IOException {
        retire();
        if (all && !ended) {
            transmit();
        }
    }

    /** Sends up to one staging buffer. */
    private void transmit() throws IOException {
        if (ended || tcp.outputFailure() != null || tcp.hasUnsent() || awaitingFirstFpdu || !transmitter.hasWork()) {
            return;
        }
        ByteBuffer staging = tcp.staging(leastStagedBytes);
        if (staging == null) {
            sameHost.onFull();
            return;
        }
        transmitter.fill(staging);
        tcp.send(staging);
        retire();
        if (ended) {
            return;
        }
        StreamFault fault = transmitter.fault();
        if (fault != null) {
            host.terminate(fault, fpdu());
        } else if (tcp.hasUnsent()) {
            host.updateInterest();
        } else if (transmitter.isOutOfRoom()) {
            queueTurn();
        }
        sameHost.onBatch();
    }

    /** Completes what is done. */
    private void retire() {
        if (!queues.isInError()) {
            queues.retire(acceptedOctets());
            if (queues.isOverrun() && !ended) {
                host.terminate(
                        new StreamFault(TerminateError.RDMAP_LOCAL_CATASTROPHIC, "completion queue overrun"), fpdu());
            }
        }
    }

    /** Completes everything: what TCP has taken as done, the rest as flushed. */
    void flush() {
        if (!queues.isInError()) {
            queues.flush(acceptedOctets());
        }
    }

    private long acceptedOctets() {
        return tcp.sentOctets() - startupOctets;
    }
}
