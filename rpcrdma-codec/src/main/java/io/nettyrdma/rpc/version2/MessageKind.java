// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

/** The kinds of messages that the negotiation of a version distinguishes, on both sides of a connection. */
enum MessageKind {
    /** A message of version 1 that is not silently discarded. */
    VERSION_1,
    /** A valid CONNPROP. */
    PROPERTIES,
    CALL,
    REPLY,
    REFRESH,
    /** An error of version 2 other than {@code ERR_VERS}. */
    ERROR,
    /** {@code ERR_VERS} in either layout. */
    ERR_VERS,
    /** {@code ERR_CHUNK} as of version 1. */
    ERR_CHUNK,
    /** A message of version 2 that is rejected with an error. */
    REJECTED,
    /** A call of another version, long enough to be answered. */
    OTHER_VERSION,
    /** A message that is rejected without an answer. */
    DISCARDED
}
