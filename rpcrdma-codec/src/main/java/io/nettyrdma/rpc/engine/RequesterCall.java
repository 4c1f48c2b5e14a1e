// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.nettyrdma.rpc.wire.header.ChunkLists;

/**
 * One call as the {@link RequesterEngine} sees it; what it consists of is its subclass's business.
 *
 * <p>Threading: confined to the thread of its engine.
 */
public abstract class RequesterCall {

    enum State {
        NEW,
        WAITING,
        IN_FLIGHT,
        /** Timed out or cancelled after it was sent: its outcome is known, its credit is not back yet. */
        ABANDONED,
        DONE
    }

    private final int xid;
    private final long deadlineNanos;
    private final long timeoutNanos;
    State state = State.NEW;
    /** {@link CallCredits#stall} when the call was submitted. */
    int stall;

    /**
     * @param xid           identifies the transaction; opaque
     * @param deadlineNanos when the call fails unless answered, on the clock the engine is driven with
     * @param timeoutNanos  how long that was from the submission of the call
     */
    protected RequesterCall(int xid, long deadlineNanos, long timeoutNanos) {
        this.xid = xid;
        this.deadlineNanos = deadlineNanos;
        this.timeoutNanos = timeoutNanos;
    }

    /** Identifies the transaction. */
    public final int xid() {
        return xid;
    }

    /** The chunks in the header of the call, which its reply is compared with; final when it is sent. */
    public abstract ChunkLists offered();

    /** What an {@code ERR_CHUNK} may be due to: the sizes of this call, and the settings that change them. */
    public abstract String limits();

    final long timeoutNanos() {
        return timeoutNanos;
    }

    final long deadlineNanos() {
        return deadlineNanos;
    }
}
