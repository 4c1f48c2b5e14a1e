// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

/**
 * The answer to a call of the peer. It is owed from when the call has come until the message that answers it is sent,
 * or until it is dropped: it ends once, or with its connection.
 *
 * <p>Threading: confined to the thread of the call.
 */
public interface OwedAnswer {

    /** In version 1, which counts no answers. */
    OwedAnswer NOT_COUNTED = () -> {};

    /** Ends it without a message: the call is neither executed nor answered. */
    void drop();
}
