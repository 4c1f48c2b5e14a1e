/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
