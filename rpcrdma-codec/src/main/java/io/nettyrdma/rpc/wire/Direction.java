// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire;

/**
 * The half of a transaction that a received message is. Version 1 headers do not contain it, so the receiver's role
 * decides: a responder treats a message as a call, a requester treats it as a reply.
 */
public enum Direction {
    /** Requester to responder. */
    CALL,
    /** Responder to requester. */
    REPLY
}
