// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

/** The requests of a stream, for timers that send something if it sends nothing. */
interface StreamTraffic {

    /** Returns a number that changes with every request that is posted. */
    long sent();

    /** The stream was idle for the time of the timer. */
    void onIdle();
}
