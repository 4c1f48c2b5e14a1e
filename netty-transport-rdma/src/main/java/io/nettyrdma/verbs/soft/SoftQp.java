/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import io.nettyrdma.verbs.VerbsConstants;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Queue pair: the two queues of work requests, the Reads of both directions, and the rule that every posted request
 * completes exactly once. It goes from INIT (receives can be posted) to RTS (the stream runs) to ERR (everything is
 * flushed, and what is posted afterwards completes as flushed at once).
 *
 * <p>Requests of the send queue complete in order (RFC 5040, section 5.5, rule 15); unsignalled ones only if they fail.
 *
 * <p>Threading: confined to the thread of the event channel of its id, but {@link #postSends} and {@link #postReceives}
 * may be called by any thread if that is the reactor. Ownership: belongs to its id; the connection drives it while there
 * is one.
 */
final class SoftQp extends IbvQP implements PostTarget {

    private static final int WC_SEND = IbvWC.IbvWcOpcode.IBV_WC_SEND.getOpcode();
    private static final int WC_RDMA_WRITE = IbvWC.IbvWcOpcode.IBV_WC_RDMA_WRITE.getOpcode();
    private static final int WC_RDMA_READ = IbvWC.IbvWcOpcode.IBV_WC_RDMA_READ.getOpcode();
    private static final int WC_RECV = IbvWC.IbvWcOpcode.IBV_WC_RECV.getOpcode();

    private final SoftPd protectionDomain;
    private final SoftCq sendCq;
    private final SoftCq receiveCq;
    private final boolean signalAll;
    private final SendRing sends;
    private final ReceiveRing receives;
    private final OutstandingReads outstandingReads = new OutstandingReads();
    private final InboundReads inboundReads = new InboundReads();
    private final SoftCmId id;
    /** In front of the queues if other threads post; {@code null} if the thread of the event channel does. */
    private final @Nullable PostQueue posts;

    private long failedSend = -1;
    private int failedSendStatus;
    private int failedReceiveStatus = VerbsConstants.WC_WR_FLUSH_ERR;
    private int receiverNotReadyTimeoutMillis;
    private boolean overrun;
    private boolean destroyed;

    SoftQp(SoftCmId id, SoftPd pd, SoftCq sendCq, SoftCq receiveCq, IbvQPInitAttr attributes) throws IOException {
        super(pd.device().nextHandle());
        this.id = id;
        this.protectionDomain = pd;
        this.sendCq = sendCq;
        this.receiveCq = receiveCq;
        signalAll = attributes.getSq_sig_all() != 0;
        sends = new SendRing(
                checkDepth(attributes.cap().getMax_send_wr()),
                checkSge(attributes.cap().getMax_send_sge()));
        receives = new ReceiveRing(
                checkDepth(attributes.cap().getMax_recv_wr()),
                checkSge(attributes.cap().getMax_recv_sge()));
        Reactor reactor = id.events().reactor();
        posts = reactor == null ? null : new PostQueue(reactor, this);
        context = pd.getContext();
        this.pd = pd;
        send_cq = sendCq;
        recv_cq = receiveCq;
        handle = qp_num;
        qp_type = IBV_QPT_RC;
        state = IBV_QPS_INIT;
    }

    private static int checkDepth(int depth) throws IOException {
        if (depth < 0 || depth > SoftDevice.MAX_QUEUE_DEPTH) {
            throw new IOException("queue depth " + depth + " (expected: 0 to " + SoftDevice.MAX_QUEUE_DEPTH + ")");
        }
        return Math.max(depth, 1);
    }

    private static int checkSge(int entries) throws IOException {
        if (entries < 0 || entries > SoftDevice.MAX_SGE) {
            throw new IOException("scatter-gather entries " + entries + " (expected: 0 to " + SoftDevice.MAX_SGE + ")");
        }
        return Math.max(entries, 1);
    }

    SoftCmId id() {
        return id;
    }

    SoftPd protectionDomain() {
        return protectionDomain;
    }

    SendRing sends() {
        return sends;
    }

    ReceiveRing receives() {
        return receives;
    }

    /** Whether a receive is posted, by whatever thread. */
    boolean hasReceive() {
        if (receives.isEmpty() && posts != null) {
            posts.takeReceives();
        }
        return !receives.isEmpty();
    }

    /** How long a Send of the peer may wait for a receive. */
    int receiverNotReadyTimeoutMillis() {
        return receiverNotReadyTimeoutMillis;
    }

    /** Set before the stream starts. */
    void receiverNotReadyTimeoutMillis(int millis) {
        receiverNotReadyTimeoutMillis = millis;
    }

    OutstandingReads outstandingReads() {
        return outstandingReads;
    }

    InboundReads inboundReads() {
        return inboundReads;
    }

    SoftCq sendCq() {
        return sendCq;
    }

    SoftCq receiveCq() {
        return receiveCq;
    }

    boolean isReadyToSend() {
        return state == IBV_QPS_RTS;
    }

    boolean isInError() {
        return state == IBV_QPS_ERR;
    }

    /** Whether a completion queue was overrun, so that the connection has to end. */
    boolean isOverrun() {
        return overrun;
    }

    void readyToSend(int ird, int ord) {
        inboundReads.limit(ird);
        outstandingReads.limit(ord);
        state = IBV_QPS_RTS;
    }

    /** Octets that TCP has taken, and those that RDMA Reads brought. */
    long movedOctets() {
        TcpConnection connection = id.connection();
        return outstandingReads.broughtOctets()
                + (connection == null ? 0 : connection.tcp().sentOctets());
    }

    /** Posts to the send queue and lets the connection, or the reactor, know. */
    void postSends(Posting posting) throws IOException {
        if (posts != null) {
            posts.post(posting);
            return;
        }
        try {
            posting.to(this);
        } finally {
            TcpConnection connection = id.connection();
            if (connection != null) {
                connection.sendPosted();
            }
        }
    }

    /** Posts to the receive queue and lets the connection, or the reactor, know. */
    void postReceives(Posting posting) throws IOException {
        if (posts != null) {
            posts.post(posting);
            return;
        }
        try {
            posting.to(this);
        } finally {
            TcpConnection connection = id.connection();
            if (connection != null) {
                connection.receivePosted();
            }
        }
    }

    /** The reactor has taken what others have posted. */
    void taken(boolean sends) {
        if (state == IBV_QPS_ERR) {
            flush(Long.MIN_VALUE);
            return;
        }
        TcpConnection connection = id.connection();
        if (connection != null) {
            connection.receivePosted();
            if (sends) {
                connection.sendPosted();
            }
        }
    }

    /** Refuses posts of other threads from now on; what they have posted is here. */
    void closePosts() {
        if (posts != null) {
            posts.close();
            if (state == IBV_QPS_ERR) {
                flush(Long.MIN_VALUE);
            }
        }
    }

    boolean isConfined() {
        return posts == null;
    }

    /** What a send request can be refused for at any time. */
    void checkSend(int opcode, int sgeCount) throws IOException {
        if (state == IBV_QPS_INIT) {
            throw new IOException("queue pair is not connected");
        }
        if (opcode != IbvSendWR.IBV_WR_SEND
                && opcode != VerbsConstants.WR_SEND_WITH_INV
                && opcode != IbvSendWR.IBV_WR_RDMA_WRITE
                && opcode != IbvSendWR.IBV_WR_RDMA_READ) {
            throw new IOException("opcode " + opcode + " is not supported by iWARP: immediate data and atomics need"
                    + " RFC 7306, which this provider does not implement");
        }
        // One STag names the whole sink of a Read on the wire.
        int max = opcode == IbvSendWR.IBV_WR_RDMA_READ ? 1 : sends.maxSge();
        if (sgeCount > max) {
            throw new IOException(sgeCount + " scatter-gather entries (expected: 0 to " + max + ")");
        }
    }

    /** What a receive can be refused for at any time. */
    void checkReceive(int sgeCount) throws IOException {
        if (sgeCount > receives.maxSge()) {
            throw new IOException(sgeCount + " scatter-gather entries (expected: 0 to " + receives.maxSge() + ")");
        }
    }

    /** Checks a scatter-gather entry. */
    static void checkLength(int lengthBytes) throws IOException {
        if (lengthBytes < 0) {
            throw new IOException("length of a scatter-gather entry: " + lengthBytes);
        }
    }

    /** Checks the request that is about to be committed to {@code queue}. */
    static void checkMessage(SendRing queue) throws IOException {
        if (queue.totalBytes(queue.tail()) > 0xffffffffL) {
            // RFC 5041, section 5.2: MO is 32 bits.
            throw new IOException("message of " + queue.totalBytes(queue.tail()) + " octets");
        }
    }

    IOException sendQueueFull() {
        return new IOException("send queue is full: " + sends.depth() + " work requests");
    }

    IOException receiveQueueFull() {
        return new IOException("receive queue is full: " + receives.depth() + " work requests");
    }

    @Override
    public void beginSend(long wrId, int opcode, int flags, int sgeCount, int remoteKey, long remoteAddress)
            throws IOException {
        if (destroyed) {
            throw new IOException("queue pair is destroyed");
        }
        checkSend(opcode, sgeCount);
        if (sends.isFull()) {
            throw sendQueueFull();
        }
        sends.begin(wrId, opcode, flags, remoteKey, remoteAddress);
    }

    @Override
    public void addSendSge(long address, int lengthBytes, int key) throws IOException {
        checkLength(lengthBytes);
        sends.addSge(address, lengthBytes, key);
    }

    @Override
    public void commitSend() throws IOException {
        checkMessage(sends);
        sends.commit();
        if (state == IBV_QPS_ERR) {
            flush(Long.MIN_VALUE);
        }
    }

    @Override
    public void beginReceive(long wrId, int sgeCount) throws IOException {
        if (destroyed) {
            throw new IOException("queue pair is destroyed");
        }
        checkReceive(sgeCount);
        if (receives.isFull()) {
            throw receiveQueueFull();
        }
        receives.begin(wrId);
    }

    @Override
    public void addReceiveSge(long address, int lengthBytes, int key) throws IOException {
        checkLength(lengthBytes);
        receives.addSge(address, lengthBytes, key);
    }

    @Override
    public void commitReceive() {
        receives.commit();
        if (state == IBV_QPS_ERR) {
            flush(Long.MIN_VALUE);
        }
    }

    /** Completes the requests at the head of the send queue that are done. */
    void retire(long acceptedOctets) {
        while (sends.isHeadDone(acceptedOctets)) {
            long position = sends.head();
            if (position == failedSend) {
                return;
            }
            removeSend();
            if (signalAll || (sends.flags(position) & IbvSendWR.IBV_SEND_SIGNALED) != 0) {
                completeSend(position, VerbsConstants.WC_SUCCESS);
            }
        }
    }

    /** Removes the oldest send, whose fields stay readable until the next post. */
    private void removeSend() {
        sends.removeHead();
        if (posts != null) {
            // Before its completion is visible: whoever sees that may post at once.
            posts.sendDone();
        }
    }

    /** Removes the oldest receive; as {@link #removeSend}. */
    private void removeReceive() {
        receives.removeHead();
        if (posts != null) {
            posts.receiveDone();
        }
    }

    private void completeSend(long position, int status) {
        int opcode = sends.opcode(position);
        int wcOpcode = opcode == IbvSendWR.IBV_WR_RDMA_WRITE
                ? WC_RDMA_WRITE
                : opcode == IbvSendWR.IBV_WR_RDMA_READ ? WC_RDMA_READ : WC_SEND;
        int bytes = (int) sends.totalBytes(position);
        overrun |= !sendCq.push(sends.id(position), status, wcOpcode, bytes, 0, qp_num, 0, false);
    }

    /** Completes the oldest receive. */
    void completeReceive(int lengthBytes, boolean invalidated, int invalidatedKey, boolean solicited) {
        long wrId = receives.id();
        removeReceive();
        overrun |= !receiveCq.push(
                wrId,
                VerbsConstants.WC_SUCCESS,
                WC_RECV,
                lengthBytes,
                invalidated ? invalidatedKey : 0,
                qp_num,
                invalidated ? VerbsConstants.WC_WITH_INV : 0,
                solicited);
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

    /** Enters the error state and completes everything, flushed unless TCP has accepted it. Idempotent. */
    void flush(long acceptedOctets) {
        retire(acceptedOctets);
        state = IBV_QPS_ERR;
        outstandingReads.clear();
        inboundReads.clear();
        while (sends.head() != sends.tail()) {
            long position = sends.head();
            removeSend();
            completeSend(position, position == failedSend ? failedSendStatus : VerbsConstants.WC_WR_FLUSH_ERR);
        }
        while (!receives.isEmpty()) {
            long wrId = receives.id();
            removeReceive();
            overrun |= !receiveCq.push(wrId, failedReceiveStatus, WC_RECV, 0, 0, qp_num, 0, true);
            failedReceiveStatus = VerbsConstants.WC_WR_FLUSH_ERR;
        }
    }

    /** Gives up the references to the completion queues; posted requests must have been flushed. */
    void destroy() {
        if (!destroyed) {
            destroyed = true;
            close();
            sendCq.removeQueuePair();
            receiveCq.removeQueuePair();
            protectionDomain.references().decrementAndGet();
            protectionDomain.device().queuePairs.decrementAndGet();
        }
    }

    boolean isDestroyed() {
        return destroyed;
    }

    @Nullable
    TcpConnection connection() {
        return id.connection();
    }
}
