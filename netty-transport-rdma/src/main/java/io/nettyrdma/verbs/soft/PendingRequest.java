// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
