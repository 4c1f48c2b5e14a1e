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
package io.nettyrdma.channel;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.verbs.VerbsConstants;
import io.nettyrdma.verbs.VerbsExtensions;
import io.nettyrdma.verbs.WorkRequestBatch;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair with its two queues, from creation until every posted request has completed. Knows nothing of messages
 * as channels define them, nor of channels: it is what any kind of RDMA channel is built on.
 *
 * <p>Threading: the loop's. Ownership: the channel owns it and asks {@link #isIdle()} before it destroys it.
 */
final class QueuePair {

    private final VerbsExtensions verbs;
    private final LoopDevice device;
    private final RdmaCmId id;
    private final IbvQP qp;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final @Nullable MemoryWindows windows;
    private final Runnable postLater;
    private final int reserved;
    private boolean failed;
    private boolean inError;

    /**
     * @param registration the number that completions carry
     * @param postLater    sees to it that {@link #postReceives()} and {@link #postBindings()} are called before the
     *                     loop waits
     */
    QueuePair(int registration, LoopDevice device, RdmaCmId id, QueuePairLimits limits, Runnable postLater)
            throws IOException {
        this.device = device;
        this.id = id;
        this.postLater = postLater;
        verbs = device.verbs();
        int receiveCount = limits.receiveCount();
        int sendDepth = limits.sendDepth();
        device.checkDepth("receive queue", receiveCount, "RDMA_RECEIVE_COUNT");
        device.checkDepth("send queue", sendDepth, "RDMA_SEND_DEPTH");
        reserved = limits.completions();
        device.reserveCompletions(reserved);
        boolean created = false;
        try {
            IbvQPInitAttr attributes = new IbvQPInitAttr();
            attributes.cap().setMax_recv_wr(receiveCount);
            attributes.cap().setMax_send_wr(sendDepth);
            attributes.cap().setMax_recv_sge(1);
            attributes.cap().setMax_send_sge(1);
            attributes.setQp_type(IbvQP.IBV_QPT_RC);
            attributes.setRecv_cq(device.completionQueue());
            attributes.setSend_cq(device.completionQueue());
            attributes.setSq_sig_all((byte) 0);
            qp = id.createQP(device.protectionDomain(), attributes);
            if (qp == null) {
                throw new IOException("the provider could not create a queue pair");
            }
            sends = new SendQueue(
                    verbs,
                    qp,
                    device.protectionDomain(),
                    device.memory(),
                    registration,
                    device.hasCheapRegistration() ? SendQueue.CHEAP_COPY_BYTES : SendQueue.COPY_BYTES,
                    sendDepth);
            receives = new ReceiveQueue(
                    verbs, qp, device.memory(), registration, receiveCount, limits.receiveBytes(), postLater);
            windows = device.hasMemoryWindows() ? new MemoryWindows(verbs, device.protectionDomain(), postLater) : null;
            created = true;
        } finally {
            if (!created) {
                device.releaseCompletions(reserved);
                if (id.getQp() != null) {
                    id.destroyQP();
                }
            }
        }
    }

    LoopDevice device() {
        return device;
    }

    SendQueue sends() {
        return sends;
    }

    /** What memory is exposed by; {@code null} where that is by its own key. */
    @Nullable
    MemoryWindows windows() {
        return windows;
    }

    /** An empty batch; there is one per loop, so it has to be posted before anything else is. */
    WorkRequestBatch batch() {
        WorkRequestBatch batch = device.batch();
        batch.clear();
        return batch;
    }

    /** The batch at hand. */
    WorkRequestBatch openBatch() {
        return device.batch();
    }

    /** Posts receives whose slots came back, and others in place of those that did not. */
    void postReceives() throws IOException {
        if (!failed && !hasFailedPost()) {
            receives.post(device.batch());
        }
    }

    /** Adds the requests for bindings that wait to the batch at hand, as far as there is room. */
    void addBindings() {
        if (windows != null) {
            windows.addTo(sends, device.batch());
        }
    }

    /** Posts the requests for bindings that wait. */
    void postBindings() throws IOException {
        if (windows != null && windows.haveUnposted() && !failed && !hasFailedPost()) {
            WorkRequestBatch batch = batch();
            addBindings();
            sends.post(batch);
        }
    }

    /** Handles one completion of this queue pair. */
    void onCompletion(RdmaCompletion completion, QueuePairOwner owner) throws IOException {
        int slot = WorkRequestId.slot(completion.workRequestId());
        int status = completion.status();
        RdmaWorkRequestException cause = null;
        if (status != 0) {
            boolean receive = WorkRequestId.operation(completion.workRequestId()) == WorkRequestId.RECEIVE;
            boolean flushed = receive ? status == VerbsConstants.WC_WR_FLUSH_ERR : verbs.isFlushed(qp, status);
            cause = new RdmaWorkRequestException(
                    receive ? "receive" : "work request",
                    status,
                    flushed,
                    flushed ? null : detail(receive, status, owner));
            if (!flushed) {
                fail(cause, owner); // before the promise is told: its listener may close the channel
            }
        }
        if (WorkRequestId.operation(completion.workRequestId()) == WorkRequestId.SEND) {
            sends.onCompletion(slot, status, cause, owner);
            if (windows != null && windows.haveUnposted()) {
                postLater.run(); // there is room now
            }
        } else if (status == 0) {
            RegisteredByteBuf message = receives.takeCompleted(slot, completion.lengthBytes());
            message.invalidation(completion.hasInvalidated() ? invalidated(completion.invalidatedKey()) : null);
            owner.onReceived(message);
        } else {
            receives.onFlushed(slot);
        }
    }

    private RdmaKeyInvalidatedEvent invalidated(int key) {
        if (windows != null) {
            windows.onInvalidated(key);
        }
        return new RdmaKeyInvalidatedEvent(key);
    }

    /** What the status means to the owner, and what the provider can tell. */
    private @Nullable String detail(boolean receive, int status, QueuePairOwner owner) {
        String reason = verbs.disconnectReason(id);
        String option = owner.explain(receive, status);
        if (option == null) {
            return reason;
        }
        return reason == null ? option : option + "; " + reason;
    }

    /** A received message as the pipeline gets it. */
    ByteBuf handOut(RegisteredByteBuf message, ByteBufAllocator allocator) {
        return receives.handOut(message, allocator);
    }

    /** A received message that the pipeline does not get. */
    void discard(RegisteredByteBuf message) {
        receives.discard(message);
    }

    private void fail(Throwable cause, QueuePairOwner owner) {
        if (!failed) {
            failed = true;
            owner.onFailure(cause);
        }
    }

    /** Nothing is posted any more, because an orderly end begins: the id is about to be disconnected. */
    void stopPosting() {
        failed = true;
        receives.close();
    }

    /** Flushes everything at once. */
    void toError() throws IOException {
        failed = true;
        inError = true;
        receives.close();
        verbs.toError(qp);
    }

    /** A number that changes with every request that is done and, if the provider can tell, with octets of others. */
    long moved() {
        return sends.done() + verbs.movedOctets(qp);
    }

    /**
     * Whether nothing is to be waited for: every posted request has completed, or a post has failed, or the queue pair
     * is in error. Then some requests may never complete, and only the destruction of the queue pair ends them: siw
     * refuses posts to a queue pair in error, and it flushes neither Sends behind a Terminate nor a receive that was
     * posted when the others had been flushed.
     */
    boolean isIdle() {
        return hasFailedPost() || inError || sends.outstanding() == 0 && receives.outstanding() == 0;
    }

    /** The same of the send queue alone. */
    boolean hasSent() {
        return hasFailedPost() || sends.outstanding() == 0;
    }

    /** Whether a post has failed, after which nothing is posted any more. */
    boolean hasFailedPost() {
        return sends.hasFailedPost() || receives.hasFailedPost();
    }

    /** Frees the windows, which must not outlive the queue pair that they are bound on. */
    void closeWindows() throws IOException {
        if (windows != null) {
            windows.close();
        }
    }

    /**
     * Ends the queue pair with what did not complete, after {@link #closeWindows}. Called once, by any thread; {@link
     * #onDestroyed} follows.
     */
    void destroy() throws IOException {
        id.destroyQP();
    }

    /** The queue pair is destroyed, so that nothing touches its memory any more. */
    void onDestroyed() throws IOException {
        device.releaseCompletions(reserved);
        receives.close();
        receives.abandon();
        sends.abandon();
    }
}
