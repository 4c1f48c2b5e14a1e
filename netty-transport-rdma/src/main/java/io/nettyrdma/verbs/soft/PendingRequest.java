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
package io.nettyrdma.verbs.soft;

import java.io.IOException;

/** A connection request of a peer, about which the application has to decide. Deciding twice fails. */
interface PendingRequest {

    /**
     * Accepts it.
     *
     * @param qp  what is to be connected
     * @param ird RDMA Reads of the peer at once
     * @param ord RDMA Reads of this side at once
     * @throws IOException if the request is gone
     */
    void accept(SoftQp qp, int ird, int ord, byte[] privateData) throws IOException;

    /**
     * Rejects it.
     *
     * @throws IOException if the request is gone
     */
    void reject(byte[] privateData) throws IOException;

    /**
     * Moves it, undecided, to another event channel, whose thread calls.
     *
     * @throws IOException if the request is gone
     */
    void moveTo(SoftEventChannel target) throws IOException;
}
