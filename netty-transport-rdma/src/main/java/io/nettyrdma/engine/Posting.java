// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

/**
 * Whether requests may be posted to a queue pair: one state for both its queues, which only goes down the list.
 *
 * <p>Threading: the loop's.
 */
final class Posting {

    private enum State {
        /** Everything may be posted. */
        OPEN,
        /** A request has failed, or an orderly end begins: no receives follow. */
        STOPPED,
        /** A post was refused, or the queue pair is in error: some posted requests may never complete. */
        FAILED,
        /** The queue pair is about to be destroyed: a call would reach memory that C has freed. */
        DESTROYED
    }

    private State state = State.OPEN;

    /** Whether receives may be posted. */
    boolean isOpen() {
        return state == State.OPEN;
    }

    /** Whether posted requests still complete. */
    boolean mayPost() {
        return state.compareTo(State.FAILED) < 0;
    }

    boolean isDestroyed() {
        return state == State.DESTROYED;
    }

    void stop() {
        moveTo(State.STOPPED);
    }

    void fail() {
        moveTo(State.FAILED);
    }

    void destroy() {
        moveTo(State.DESTROYED);
    }

    private void moveTo(State next) {
        if (state.compareTo(next) < 0) {
            state = next;
        }
    }
}
