// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.error.RdmaWorkRequestException;
import io.nettyrdma.verbs.spi.CompletionHandler;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair with its two queues, from creation until every posted request has completed. It does not depend on
 * channels or their messages: all kinds of RDMA channels build on it.
 *
 * <p>Threading: the loop's. Ownership: the channel owns it and asks {@link #isIdle()} before it destroys it.
 */
public final class QueuePair {

    private final VerbsExtensions verbs;
    private final LoopDevice device;
    private final RdmaCmId id;
    private final IbvQP qp;
    private final SendQueue sends;
    private final Receives receives;
    private final QueuePairOwner owner;
    private final @Nullable MemoryWindows windows;
    private final Runnable postLater;
    private final Consumer<Throwable> exceptions;
    private final CompletionQueue completions;
    private final int reserved;
    private final Posting posting = new Posting();

    /**
     * @param registration the number that completions carry
     * @param owner        makes the receives, and gets all events
     * @param postLater    sees to it that {@link #postReceives()} and {@link #postBindings()} are called before the
     *                     loop waits
     * @param exceptions   gets what the handling of a completion has thrown
     */
    QueuePair(
            int registration,
            LoopDevice device,
            RdmaCmId id,
            QueuePairLimits limits,
            QueuePairOwner owner,
            Runnable postLater,
            Consumer<Throwable> exceptions)
            throws IOException {
        this.device = device;
        this.id = id;
        this.owner = owner;
        this.postLater = postLater;
        this.exceptions = exceptions;
        verbs = device.verbs();
        int receiveCount = limits.receiveCount();
        int sendDepth = limits.sendDepth();
        device.checkDepth("receive queue", receiveCount, limits.receiveSetting());
        device.checkDepth("send queue", sendDepth, limits.sendSetting());
        reserved = limits.completions();
        completions = device.reserve(reserved);
        boolean created = false;
        try {
            IbvQPInitAttr attributes = new IbvQPInitAttr();
            attributes.cap().setMax_recv_wr(receiveCount);
            attributes.cap().setMax_send_wr(sendDepth);
            attributes.cap().setMax_recv_sge(1);
            attributes.cap().setMax_send_sge(1);
            attributes.setQp_type(IbvQP.IBV_QPT_RC);
            attributes.setRecv_cq(completions.verbsQueue());
            attributes.setSend_cq(completions.verbsQueue());
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
                    posting,
                    registration,
                    device.hasCheapRegistration() ? SendQueue.CHEAP_COPY_BYTES : SendQueue.COPY_BYTES,
                    sendDepth,
                    device.traffic());
            receives = owner.receives(
                    new ReceivePoster(verbs, qp, posting, registration, device.traffic()), device.memory(), postLater);
            windows = device.hasMemoryWindows() ? new MemoryWindows(verbs, device.protectionDomain(), postLater) : null;
            created = true;
            device.traffic().onOpened();
        } finally {
            if (!created) {
                completions.release(reserved);
                if (id.getQp() != null) {
                    id.destroyQP();
                }
            }
        }
    }

    public LoopDevice device() {
        return device;
    }

    public SendQueue sends() {
        return sends;
    }

    /** Returns the windows to expose memory by; {@code null} if memory has keys of its own. */
    @Nullable
    public MemoryWindows windows() {
        return windows;
    }

    /** An empty batch; there is one per loop, so it has to be posted before anything else is. */
    public WorkRequestBatch batch() {
        WorkRequestBatch batch = device.batch();
        batch.clear();
        return batch;
    }

    /** The batch at hand. */
    public WorkRequestBatch openBatch() {
        return device.batch();
    }

    /** Posts receives whose slots came back, and others in place of those that did not. */
    public void postReceives() throws IOException {
        if (posting.isOpen()) {
            receives.post(device.batch());
        }
    }

    /** Adds the requests for bindings that wait to the batch at hand, as far as there is room. */
    public void addBindings() {
        if (windows != null) {
            windows.addTo(sends, device.batch());
        }
    }

    /** Posts the requests for bindings that wait. */
    void postBindings() throws IOException {
        if (windows != null && windows.haveUnposted() && posting.isOpen()) {
            WorkRequestBatch batch = batch();
            addBindings();
            sends.post(batch);
        }
    }

    /** Handles a completion of this queue pair, as {@link CompletionHandler#onCompletion} describes it. */
    void onCompletion(long workRequestId, int status, int bytes, int immediate, int flags) {
        try {
            handle(workRequestId, status, bytes, immediate, flags);
        } catch (Throwable e) {
            exceptions.accept(e);
        }
    }

    private void handle(long workRequestId, int status, int bytes, int immediate, int flags) throws IOException {
        int slot = WorkRequestId.slot(workRequestId);
        boolean receive = WorkRequestId.operation(workRequestId) == WorkRequestId.RECEIVE;
        if (receive && status == VerbsConstants.WC_WR_FLUSH_ERR) {
            // All posted receives at each end: exceptions for them would cost more than the rest of the connection.
            receives.onFlushed(slot);
            return;
        }
        RdmaWorkRequestException cause = null;
        if (status != 0) {
            boolean flushed = !receive && verbs.isFlushed(qp, status);
            cause = new RdmaWorkRequestException(
                    receive ? "receive" : "work request", status, flushed, flushed ? null : detail(receive, status));
            if (!flushed) {
                fail(cause); // before the promise fails: its listener may close the channel
            }
        }
        if (!receive) {
            sends.onCompletion(slot, status, cause, owner);
            if (windows != null && windows.haveUnposted()) {
                postLater.run(); // there is room now
            }
        } else if (status == 0) {
            if (windows != null && (flags & VerbsConstants.WC_WITH_INV) != 0) {
                windows.onInvalidated(immediate);
            }
            device.traffic().onReceived(bytes);
            receives.onReceived(slot, bytes, immediate, flags);
        } else {
            receives.onFlushed(slot);
        }
    }

    /** Handles the end of a batch of completions, of which at least one was this queue pair's. */
    void onBatchEnd() {
        try {
            owner.onBatchEnd();
        } catch (Throwable e) {
            exceptions.accept(e);
        }
    }

    /** Returns the owner's explanation of the status and the provider's. */
    private @Nullable String detail(boolean receive, int status) {
        String reason = verbs.disconnectReason(id);
        String option = owner.explain(receive, status);
        if (option == null) {
            return reason;
        }
        return reason == null ? option : option + "; " + reason;
    }

    private void fail(Throwable cause) {
        if (posting.isOpen()) {
            posting.stop();
            owner.onFailure(cause);
        }
    }

    /** Nothing is posted any more, because an orderly end begins: the id is about to be disconnected. */
    void stopPosting() {
        posting.stop();
        receives.close();
    }

    /** Flushes everything at once. */
    void toError() throws IOException {
        if (posting.isDestroyed()) {
            return;
        }
        posting.fail();
        receives.close();
        verbs.toError(qp);
    }

    /** Returns a number that changes with each completed request and, if the provider counts them, moved bytes. */
    public long moved() {
        return sends.done() + verbs.movedOctets(qp);
    }

    /**
     * Whether nothing is to be waited for: every posted request has completed, or a post has failed, or the queue pair
     * is in error or closed. Then some requests may never complete, and only the destruction of the queue pair ends
     * them: siw refuses posts to a queue pair in error, and it flushes neither Sends behind a Terminate nor a receive
     * that was posted when the others had been flushed.
     */
    boolean isIdle() {
        return !posting.mayPost() || sends.outstanding() == 0 && receives.outstanding() == 0;
    }

    /** The same of what is sent alone; what the owner is still to post counts. */
    boolean hasSent() {
        return !posting.mayPost() || sends.outstanding() == 0 && owner.unsentBytes() == 0;
    }

    /** Bytes that the owner has not sent. */
    long unsentBytes() {
        return owner.unsentBytes();
    }

    /** Gives up what the owner has not posted, as the connection is about to end. */
    void abort() {
        owner.abort();
    }

    /** Adds the connection to a sample of its loop. */
    void addTo(LoopSample sample) {
        sample.add(LoopMeter.CONNECTIONS, 1);
        sample.add(LoopMeter.POSTED_RECEIVES, receives.outstanding());
        sample.add(LoopMeter.WAITING_BYTES, owner.unsentBytes());
    }

    /** Whether requests may be posted; not after a post that was refused, or in error. */
    public boolean mayPost() {
        return posting.mayPost();
    }

    /** Nothing is posted any more, because another thread is about to {@linkplain #destroy destroy} the queue pair. */
    void close() {
        posting.destroy();
        receives.close();
    }

    /** Frees the windows, which must not outlive the queue pair that they are bound on. */
    void closeWindows() throws IOException {
        if (windows != null) {
            windows.close();
        }
    }

    /**
     * Ends the queue pair with what did not complete, after {@link #close} and {@link #closeWindows}. Called once, by
     * any thread; {@link #onDestroyed} follows.
     */
    void destroy() throws IOException {
        id.destroyQP();
    }

    /** The queue pair is destroyed, so that nothing touches its memory any more. */
    void onDestroyed() throws IOException {
        completions.release(reserved);
        receives.close();
        new EndSteps().then(receives::abandon).then(sends::abandon).end();
    }
}
