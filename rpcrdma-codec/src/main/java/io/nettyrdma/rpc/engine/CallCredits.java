// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

/**
 * Which of its calls a requester may send: the rule of the version that the connection speaks.
 *
 * <p>A call takes part from when it is handed out to be sent until it is answered, or was not sent after all. One that
 * is given up after it was sent still does, since the responder may be at work on it.
 *
 * <p>Threading: confined to one thread.
 */
public interface CallCredits {

    /** What to say in headers that ask for credits, where the version has it. */
    int requested();

    /** Calls that may be in flight. */
    int window();

    /** Calls handed out to be sent and not answered, including those given up. */
    int inFlight();

    /** Calls given up and not answered. */
    int abandoned();

    /** Whether another call may be sent now. */
    boolean mayCall();

    /**
     * Whether calls that were given up hold all there is, so that none can ever be sent unless the responder wakes up.
     */
    boolean areStuck();

    /**
     * Whether calls wait behind one that was given up between its messages, and the peer may still grant credits for
     * the rest of it (C51).
     *
     * @return 0 if not, otherwise a number that changes when another message is sent
     */
    int stall();

    /** A call is handed out to be sent. */
    void onCalled();

    /** A call that was sent is given up. */
    void onAbandoned();

    /** A call takes no part any more, because it was answered, or was not sent after all. */
    void onReturned(boolean wasAbandoned);

    /**
     * An answer has come.
     *
     * @param granted its credits as version 1 has them, 0 to 2<sup>32</sup>-1
     */
    void onGranted(long granted);

    /** There are no calls any more. */
    void onConnectionLost();
}
