// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.StreamFault;

/** What a running stream asks of the connection that it runs on. */
interface StreamHost {

    /** Has {@link RdmapStream#turn} called in the next progress of the event channel. */
    void queueTurn();

    /** Ends the connection because of a failure. */
    void onFailure(Throwable e);

    /** Replaces the one wait of the connection. */
    void deadline(long delayNanos, Runnable action);

    void cancelDeadline();

    /** Returns an action for the event channel that runs {@code action}, and ends the connection if that fails. */
    Runnable guarded(Runnable action);

    /** Receives what is in the ring and was not received for lack of receives. */
    void readNow();

    /** The peer has ended the stream, and all that it sent is received. */
    void endOfStream();

    /** Whether the stream is reading, or there is something unsent, has changed. */
    void updateInterest();

    /** Ends the stream because of {@code why}: everything is flushed now, and what is staged still goes out. */
    void drain(String why);

    /** Ends the connection with a Terminate, framed by {@code fpdu}. */
    void terminate(StreamFault fault, Fpdu fpdu);
}
