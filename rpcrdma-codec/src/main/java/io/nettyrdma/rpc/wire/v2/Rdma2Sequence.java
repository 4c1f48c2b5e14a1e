// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

/** Which sequence of fragments a message arrives in; the first fragment arrives in none. */
public enum Rdma2Sequence {
    /** None: a message without {@link Rdma2#MORE} is whole by itself. */
    NONE,
    /** A payload stream in several {@code RDMA2_MSG}. */
    PAYLOAD,
    /** A set of properties in several {@code RDMA2_CONNPROP}. */
    PROPERTIES
}
