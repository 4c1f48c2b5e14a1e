// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

/** What a stream sends and receives, for timers that send something if it sends nothing. */
interface IdleWatched {

    /** Returns a number that changes with every request that is posted. */
    long sent();

    /** Returns a number that changes with the words of the peer. */
    long received();

    /** The stream was idle for the time of the timer. */
    void onIdle();
}
