// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

/**
 * What one TCP connection may have of the server. Over RDMA the credits say how many calls there are.
 *
 * @param maxCalls      calls that are executed or whose replies have not left; further ones are not read
 * @param restMillis    time from a reply to the call that takes its place
 * @param unreadSeconds how long its replies may wait without any of their octets leaving, and twice as long at most,
 *                      before it is closed
 */
record ConnectionLimits(int maxCalls, long restMillis, long unreadSeconds) {

    /**
     * A client asks for a handle and goes. The rest of 20 ms is what a flood of MOUNT may cost NFS: 50 calls a second
     * and connection.
     */
    static final ConnectionLimits MOUNT = new ConnectionLimits(1, 20, 5);

    /**
     * Twice the workers there are by default, so that each finds its next call waiting. A client that takes no reply
     * makes the server hold 17 MiB, for one minute at most.
     */
    static final ConnectionLimits NFS = new ConnectionLimits(16, 0, 30);
}
