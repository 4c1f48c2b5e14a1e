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
import io.nettyrdma.verbs.soft.rdmap.PostTarget;
import io.nettyrdma.verbs.soft.rdmap.ReceiveRing;
import io.nettyrdma.verbs.soft.rdmap.SendRing;
import io.nettyrdma.verbs.soft.rdmap.WorkQueues;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Queue pair as DiSNI sees it; what happens to work requests is the business of {@link WorkQueues}. It goes from INIT
 * to RTS to ERR as these do.
 *
 * <p>Threading: confined to the thread of the event channel of its id, but {@link #postSends} and {@link #postReceives}
 * may be called by any thread if that is the reactor. Ownership: belongs to its id; the connection drives its work
 * queues while there is one.
 */
final class SoftQp extends IbvQP {

    private final SoftPd protectionDomain;
    private final SoftCq sendCq;
    private final SoftCq receiveCq;
    private final WorkQueues queues;
    private final QueuePairHost host;
    /** In front of the queues if other threads post; {@code null} if the thread of the event channel does. */
    private final @Nullable PostQueue posts;

    private int receiverNotReadyTimeoutMillis;
    private boolean destroyed;

    /**
     * A queue pair that is not connected.
     *
     * @param reactor what drives the connection, or {@code null} if that is the thread that posts
     */
    SoftQp(
            QueuePairHost host,
            @Nullable VerbThread reactor,
            SoftPd pd,
            SoftCq sendCq,
            SoftCq receiveCq,
            IbvQPInitAttr attributes)
            throws IOException {
        super(pd.device().nextHandle());
        this.host = host;
        this.protectionDomain = pd;
        this.sendCq = sendCq;
        this.receiveCq = receiveCq;
        queues = new WorkQueues(
                qp_num,
                pd.domain(),
                new SendRing(
                        checkDepth(attributes.cap().getMax_send_wr()),
                        checkSge(attributes.cap().getMax_send_sge())),
                sendCq,
                new ReceiveRing(
                        checkDepth(attributes.cap().getMax_recv_wr()),
                        checkSge(attributes.cap().getMax_recv_sge())),
                receiveCq,
                attributes.getSq_sig_all() != 0);
        if (reactor == null) {
            posts = null;
        } else {
            posts = new PostQueue(reactor, host, queues);
            queues.submitThrough(posts);
        }
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

    private static int checkSge(int entries) throws IOException {
        if (entries < 0 || entries > SoftDevice.MAX_SGE) {
            throw new IOException("scatter-gather entries " + entries + " (expected: 0 to " + SoftDevice.MAX_SGE + ")");
        }
        return Math.max(entries, 1);
    }

    @Override
    public int getState() {
        return queues.isInError() ? IBV_QPS_ERR : queues.isReady() ? IBV_QPS_RTS : IBV_QPS_INIT;
    }

    @Override
    public String toString() {
        return "handle=" + handle + ",qp_num=" + qp_num + ",state=" + getState();
    }

    /** Flushes it and ends its connection because of {@code why}. Any thread. */
    void toError(String why) throws IOException {
        host.toError(queues, why);
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
        return queues.broughtOctets() + host.sentOctets();
    }

    /** Posts to the send queue and lets the connection, or the reactor, know. */
    void postSends(PostTarget.Posting posting) throws IOException {
        if (posts != null) {
            posts.post(posting);
            return;
        }
        try {
            posting.to(queues);
        } finally {
            onSendPosted();
        }
    }

    /** Posts to the receive queue and lets the connection, or the reactor, know. */
    void postReceives(PostTarget.Posting posting) throws IOException {
        if (posts != null) {
            posts.post(posting);
            return;
        }
        try {
            posting.to(queues);
        } finally {
            onReceivePosted();
        }
    }

    /** Something was posted to the send queue. */
    void onSendPosted() {
        host.onSendPosted();
    }

    /** Something was posted to the receive queue. */
    void onReceivePosted() {
        host.onReceivePosted();
    }

    /** Refuses posts of other threads from now on; what they have posted is here. */
    void closePosts() {
        if (posts != null) {
            posts.close();
            if (queues.isInError()) {
                queues.flush();
            }
        }
    }

    boolean isConfined() {
        return posts == null;
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
