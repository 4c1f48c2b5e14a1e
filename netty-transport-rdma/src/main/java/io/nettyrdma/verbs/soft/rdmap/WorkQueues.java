// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;

/**
 * The core of a queue pair: the two queues of work requests, the Reads of both directions, and the rule that every
 * posted request completes exactly once. It starts in INIT (receives can be posted), goes to READY (the stream runs)
 * and ends in ERROR (everything is flushed, and what is posted afterwards completes as flushed at once).
 *
 * <p>Requests of the send queue complete in order (RFC 5040, section 5.5, rule 15); unsignalled ones only if they fail.
 *
 * <p>Threading: confined to one thread. Ownership: belongs to its queue pair; {@link RdmapTransmitter} and {@link
 * RdmapReceiver} work on it while there is a stream.
 */
public final class WorkQueues {

    private enum State {
        INIT,
        READY,
        ERROR
    }

    private final int number;
    private final ProtectionDomain domain;
    private final CompletionSink sendSink;
    private final CompletionSink receiveSink;
    private final boolean signalAll;
    private final SendRing sends;
    private final ReceiveRing receives;
    private final OutstandingReads outstandingReads = new OutstandingReads();
    private final InboundReads inboundReads = new InboundReads();

    private State state = State.INIT;
    private long failedSend = -1;
    private int failedSendStatus;
    private int failedReceiveStatus = VerbsConstants.WC_WR_FLUSH_ERR;
    private boolean overrun;
    private boolean closed;

    /**
     * Queues of a new queue pair.
     *
     * @param number      what completions call it
     * @param domain      whose memory its requests may name
     * @param sendSink    takes the completions of {@code sends}
     * @param receiveSink takes the completions of {@code receives}
     * @param signalAll   whether each request of the send queue completes visibly
     */
    public WorkQueues(
            int number,
            ProtectionDomain domain,
            SendRing sends,
            CompletionSink sendSink,
            ReceiveRing receives,
            CompletionSink receiveSink,
            boolean signalAll) {
        this.number = number;
        this.domain = domain;
        this.sends = sends;
        this.sendSink = sendSink;
        this.receives = receives;
        this.receiveSink = receiveSink;
        this.signalAll = signalAll;
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** What is posted to the send queue and not complete. */
    public SendRing sends() {
        return sends;
    }

    /** What is posted to the receive queue and not complete. */
    public ReceiveRing receives() {
        return receives;
    }

    /** Whether a receive is posted. */
    public boolean hasReceive() {
        return !receives.isEmpty();
    }

    /** Octets that the RDMA Reads of this side have brought. */
    public long broughtOctets() {
        return outstandingReads.broughtOctets();
    }

    OutstandingReads outstandingReads() {
        return outstandingReads;
    }

    InboundReads inboundReads() {
        return inboundReads;
    }

    /** Whether the stream runs. */
    public boolean isReady() {
        return state == State.READY;
    }

    /** Whether everything is flushed. */
    public boolean isInError() {
        return state == State.ERROR;
    }

    /** Whether there was no room for a completion, so that the connection has to end. */
    public boolean isOverrun() {
        return overrun;
    }

    /** The stream runs, with so many RDMA Reads at once of the peer and of this side. */
    public void start(int ird, int ord) {
        inboundReads.limit(ird);
        outstandingReads.limit(ord);
        state = State.READY;
    }

    // ---------------------------------------------------------------- posting

    private void checkSend(int opcode) throws IOException {
        checkOpen();
        if (state == State.INIT) {
            throw new IOException("queue pair is not connected");
        }
        if (opcode != VerbsConstants.WR_SEND
                && opcode != VerbsConstants.WR_SEND_WITH_INV
                && opcode != VerbsConstants.WR_RDMA_WRITE
                && opcode != VerbsConstants.WR_RDMA_READ) {
            throw new IOException("opcode " + opcode + " is not supported by iWARP: immediate data and atomics need"
                    + " RFC 7306, which this provider does not implement");
        }
        if (sends.isFull()) {
            throw new IOException("send queue is full: " + sends.depth() + " work requests");
        }
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new IOException("queue pair is destroyed");
        }
    }

    /**
     * Posts a request to the send queue.
     *
     * @param address of the memory of this side, whose key is {@code key}
     * @throws IOException if it cannot be posted
     */
    public void postSend(
            long wrId, int opcode, int flags, long address, int lengthBytes, int key, int remoteKey, long remoteAddress)
            throws IOException {
        checkSend(opcode);
        sends.add(wrId, opcode, flags, address, lengthBytes, key, remoteKey, remoteAddress);
        if (state == State.ERROR) {
            flush();
        }
    }

    /** Posts a receive, as {@link #postSend}. */
    public void postReceive(long wrId, long address, int lengthBytes, int key) throws IOException {
        checkOpen();
        if (receives.isFull()) {
            throw new IOException("receive queue is full: " + receives.depth() + " work requests");
        }
        receives.add(wrId, address, lengthBytes, key);
        if (state == State.ERROR) {
            flush();
        }
    }

    // ---------------------------------------------------------------- completing

    /**
     * Completes the requests at the head of the send queue that are done.
     *
     * @param acceptedOctets how much of the stream TCP has accepted
     */
    public void retire(long acceptedOctets) {
        while (sends.isHeadDone(acceptedOctets)) {
            long position = sends.head();
            if (position == failedSend) {
                return;
            }
            sends.removeHead(); // its fields stay readable until the next post
            if (signalAll || (sends.flags(position) & VerbsConstants.SEND_SIGNALED) != 0) {
                completeSend(position, VerbsConstants.WC_SUCCESS);
            }
        }
    }

    private void completeSend(long position, int status) {
        int opcode = sends.opcode(position);
        int wcOpcode = opcode == VerbsConstants.WR_RDMA_WRITE
                ? VerbsConstants.WC_RDMA_WRITE
                : opcode == VerbsConstants.WR_RDMA_READ ? VerbsConstants.WC_RDMA_READ : VerbsConstants.WC_SEND;
        overrun |= !sendSink.push(sends.id(position), status, wcOpcode, sends.bytes(position), 0, number, 0);
    }

    /** Completes the oldest receive. */
    void completeReceive(int lengthBytes, boolean invalidated, int invalidatedKey) {
        long wrId = receives.id(receives.head());
        receives.removeHead();
        overrun |= !receiveSink.push(
                wrId,
                VerbsConstants.WC_SUCCESS,
                VerbsConstants.WC_RECV,
                lengthBytes,
                invalidated ? invalidatedKey : 0,
                number,
                invalidated ? VerbsConstants.WC_WITH_INV : 0);
    }

    /** The request at {@code position} will be flushed with {@code status}; the first fault counts. */
    void failSend(long position, int status) {
        if (failedSend < 0) {
            failedSend = position;
            failedSendStatus = status;
        }
    }

    /** The oldest receive will be flushed with {@code status}. */
    void failReceive(int status) {
        failedReceiveStatus = status;
    }

    /**
     * Enters the error state and completes everything, flushed unless it is done regardless of the stream. Idempotent.
     */
    public void flush() {
        flush(Long.MIN_VALUE);
    }

    /** Enters the error state and completes everything, flushed unless TCP has accepted it. Idempotent. */
    public void flush(long acceptedOctets) {
        retire(acceptedOctets);
        state = State.ERROR;
        outstandingReads.clear();
        inboundReads.clear();
        while (!sends.isEmpty()) {
            long position = sends.head();
            sends.removeHead();
            completeSend(position, position == failedSend ? failedSendStatus : VerbsConstants.WC_WR_FLUSH_ERR);
        }
        while (!receives.isEmpty()) {
            long wrId = receives.id(receives.head());
            receives.removeHead();
            overrun |= !receiveSink.push(wrId, failedReceiveStatus, VerbsConstants.WC_RECV, 0, 0, number, 0);
            failedReceiveStatus = VerbsConstants.WC_WR_FLUSH_ERR;
        }
    }

    /** Refuses posts from now on; what was posted must have been flushed. */
    public void close() {
        closed = true;
    }
}
