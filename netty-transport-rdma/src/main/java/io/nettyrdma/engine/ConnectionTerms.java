// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.nettyrdma.error.RdmaUnsupportedException;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;

/**
 * The terms of a kind of channel for its connection. On the connecting side, the loop asks for limits and parameters,
 * and passes the peer's private data when the connection is established. The accepting side gets them first, and may
 * choose its reply by them.
 *
 * <p>Threading: called by the loop.
 */
public interface ConnectionTerms {

    /** The device is known, and the queue pair is not made yet: the channel can adapt to the device. */
    void onDevice(RdmaCapabilities capabilities);

    /** The size of the queue pair. */
    QueuePairLimits limits();

    /**
     * Returns the parameters of the connection request or reply. The queue pair exists: this may register memory to
     * advertise to the peer.
     *
     * @param capabilities    of the connection's device
     * @param maxPrivateData bytes that this request or reply can carry
     * @throws RdmaUnsupportedException if the device does not support the channel's options
     * @throws IOException              if memory for the peer could not be registered
     */
    ConnectionParameters parameters(RdmaCapabilities capabilities, int maxPrivateData) throws IOException;

    /**
     * Checks the peer's reply to this side's request. The attempt to connect has not succeeded yet.
     *
     * @throws IOException to fail the attempt
     */
    void checkReply(byte[] octets) throws IOException;

    /**
     * Handles the peer's private data: on the accepting side before the connection is accepted, on the connecting side
     * when it is established and before the channel is active. To refuse it, close the channel.
     */
    void onPeerPrivateData(byte[] octets);
}
