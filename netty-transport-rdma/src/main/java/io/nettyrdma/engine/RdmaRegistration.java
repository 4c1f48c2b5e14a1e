// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.RdmaCmId;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.nettyrdma.internal.PeerLog;
import org.jspecify.annotations.Nullable;

/**
 * A channel's registration with a loop. It stays until it is cancelled and no completion is owed any more, because
 * completions find their channel by the registration's number.
 *
 * <p>Threading: the loop's, but for {@link #queuePair()}, {@link #isValid()} and {@link #cancel()}.
 */
final class RdmaRegistration implements IoRegistration {

    private static final PeerLog FAULTS = PeerLog.of(RdmaRegistration.class);

    private final IoLoop handler;
    private final RdmaIoHandle handle;
    private final int id;
    private volatile @Nullable QueuePair queuePair;
    private volatile boolean cancelled;
    private volatile boolean ended;
    private boolean touched;

    RdmaRegistration(IoLoop handler, RdmaIoHandle handle, int id) {
        this.handler = handler;
        this.handle = handle;
        this.id = id;
    }

    int id() {
        return id;
    }

    RdmaIoHandle handle() {
        return handle;
    }

    @Nullable
    QueuePair queuePair() {
        return queuePair;
    }

    /** Directs completions to a queue pair, or drops them. */
    void queuePair(@Nullable QueuePair queuePair) {
        this.queuePair = queuePair;
    }

    void onCompletion(long id, int status, int bytes, int immediate, int flags) {
        QueuePair pair = queuePair;
        if (pair != null) {
            pair.onCompletion(id, status, bytes, immediate, flags);
        }
    }

    void onBatchEnd() {
        QueuePair pair = queuePair;
        if (pair != null) {
            pair.onBatchEnd();
        }
    }

    /** Marks that the queue pair got a completion of the batch at hand; returns whether this is the first. */
    boolean touch() {
        boolean first = !touched;
        touched = true;
        return first;
    }

    void untouch() {
        touched = false;
    }

    /** Directs the events of a connection to this registration. */
    void watch(RdmaCmId cmId) {
        handler.watch(cmId, this);
    }

    void unwatch(RdmaCmId cmId) {
        handler.unwatch(cmId);
    }

    /** Ends the channel after a failure in what the loop does for it. The other channels of the loop do not notice. */
    void onFailure(Throwable cause) {
        try {
            handle.onFailure(cause);
        } catch (Throwable e) {
            FAULTS.error(() -> "failed to end " + handle + " because of " + cause, e);
        }
    }

    IoLoop handler() {
        return handler;
    }

    /** This registration itself, because event loops hand out wrappers of it. */
    @Override
    @SuppressWarnings("unchecked")
    public <T> T attachment() {
        return (T) this;
    }

    /** Not supported: work requests are posted on the queue pair, by the channel. */
    @Override
    public long submit(IoOps ops) {
        throw new UnsupportedOperationException("write RdmaSend, RdmaWrite or RdmaRead to the channel instead");
    }

    @Override
    public boolean isValid() {
        return !cancelled && !ended;
    }

    /** Ends the registration because the loop ends: nothing more will come. */
    void end() {
        ended = true;
        handler.remove(this);
    }

    @Override
    public boolean cancel() {
        if (cancelled) {
            return false;
        }
        cancelled = true;
        handler.onCancelled(this);
        return true; // once, also for one that has ended: loops count their channels by it
    }
}
