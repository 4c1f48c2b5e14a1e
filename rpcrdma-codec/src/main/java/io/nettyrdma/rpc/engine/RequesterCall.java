package io.nettyrdma.rpc.engine;

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
        /** Timed out after it was sent: its outcome is known, its credit is not back yet. */
        ABANDONED,
        DONE
    }

    private final int xid;
    private final long deadlineNanos;
    State state = State.NEW;

    /**
     * @param xid           identifies the transaction; opaque
     * @param deadlineNanos when the call fails unless answered, on the clock the engine is driven with
     */
    protected RequesterCall(int xid, long deadlineNanos) {
        this.xid = xid;
        this.deadlineNanos = deadlineNanos;
    }

    /** Identifies the transaction. */
    public final int xid() {
        return xid;
    }

    final long deadlineNanos() {
        return deadlineNanos;
    }
}
