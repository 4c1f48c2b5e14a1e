// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import io.nettyrdma.verbs.soft.rdmap.ReceiveRing;
import io.nettyrdma.verbs.soft.rdmap.SendRing;
import io.nettyrdma.verbs.soft.rdmap.WorkQueues;
import io.nettyrdma.verbs.spi.WorkRequest;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Queue pair as DiSNI sees it; what happens to work requests is the business of {@link WorkQueues}. It goes from INIT
 * to RTS to ERR as these do.
 *
 * <p>Threading: confined to the thread of the event channel of its id. Ownership: belongs to its id; the connection
 * drives its work queues while there is one.
 */
final class SoftQp extends IbvQP {

    private final SoftPd protectionDomain;
    private final SoftCq sendCq;
    private final SoftCq receiveCq;
    private final WorkQueues queues;
    private @Nullable RdmapStream stream;
    private int receiverNotReadyTimeoutMillis;
    private boolean destroyed;

    /** A queue pair that is not connected. */
    SoftQp(SoftPd pd, SoftCq sendCq, SoftCq receiveCq, IbvQPInitAttr attributes) throws IOException {
        super(pd.device().nextHandle());
        this.protectionDomain = pd;
        this.sendCq = sendCq;
        this.receiveCq = receiveCq;
        queues = new WorkQueues(
                qp_num,
                pd.domain(),
                new SendRing(checkDepth(attributes.cap().getMax_send_wr())),
                sendCq,
                new ReceiveRing(checkDepth(attributes.cap().getMax_recv_wr())),
                receiveCq,
                attributes.getSq_sig_all() != 0);
        context = pd.getContext();
        this.pd = pd;
        send_cq = sendCq;
        recv_cq = receiveCq;
        handle = qp_num;
        qp_type = IBV_QPT_RC;
    }

    private static int checkDepth(int depth) throws IOException {
        if (depth < 0 || depth > SoftDevice.MAX_QUEUE_DEPTH) {
            throw new IOException("queue depth " + depth + " (expected: 0 to " + SoftDevice.MAX_QUEUE_DEPTH + ")");
        }
        return Math.max(depth, 1);
    }

    @Override
    public int getState() {
        return queues.isInError() ? IBV_QPS_ERR : queues.isReady() ? IBV_QPS_RTS : IBV_QPS_INIT;
    }

    @Override
    public String toString() {
        return "handle=" + handle + ",qp_num=" + qp_num + ",state=" + getState();
    }

    void start(RdmapStream running) {
        stream = running;
    }

    /** Flushes it and ends its connection because of {@code why}. */
    void toError(String why) {
        if (stream != null) {
            stream.drain(why);
        }
        if (!queues.isInError()) {
            // Not connected yet, or closing with octets that still drain.
            queues.flush();
        }
    }

    WorkQueues queues() {
        return queues;
    }

    /** How long a Send of the peer may wait for a receive. */
    int receiverNotReadyTimeoutMillis() {
        return receiverNotReadyTimeoutMillis;
    }

    /** Set before the stream starts. */
    void receiverNotReadyTimeoutMillis(int millis) {
        receiverNotReadyTimeoutMillis = millis;
    }

    /** Octets that TCP has taken, and those that RDMA Reads brought. */
    long movedOctets() {
        return queues.broughtOctets() + (stream == null ? 0 : stream.sentOctets());
    }

    /** Posts requests of the send queue, one after the other; those before a refused one are posted. */
    void postSends(WorkRequestBatch requests) throws IOException {
        try {
            for (int i = 0; i < requests.size(); i++) {
                WorkRequest r = requests.get(i);
                queues.postSend(
                        r.id(),
                        r.opcode(),
                        r.flags(),
                        r.localAddress(),
                        r.lengthBytes(),
                        r.localKey(),
                        r.remoteKey(),
                        r.remoteAddress());
            }
        } finally {
            if (stream != null) {
                stream.onSendPosted();
            }
        }
    }

    /** Posts receives, as {@link #postSends}. */
    void postReceives(WorkRequestBatch requests) throws IOException {
        try {
            for (int i = 0; i < requests.size(); i++) {
                WorkRequest r = requests.get(i);
                queues.postReceive(r.id(), r.localAddress(), r.lengthBytes(), r.localKey());
            }
        } finally {
            if (stream != null) {
                stream.onReceivePosted();
            }
        }
    }

    /** Gives up the references to the completion queues; posted requests must have been flushed. */
    void destroy() {
        if (!destroyed) {
            destroyed = true;
            close();
            queues.close();
            sendCq.removeQueuePair();
            receiveCq.removeQueuePair();
            protectionDomain.domain().leave();
            protectionDomain.device().queuePairs.decrementAndGet();
        }
    }
}
