// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/** The ways a call can end. */
public enum CallOutcome {
    /** With a reply, which may report success or failure. */
    REPLIED,
    /** With {@code ERR_CHUNK}: received by a requester, sent by a responder. */
    ERR_CHUNK,
    /** With {@code ERR_VERS}, received by a requester. */
    ERR_VERS,
    /** With an error of version 2: received by a requester, sent by a responder. */
    RDMA2_ERROR,
    /** With a reply that breaks the rules of RFC 8166, received by a requester. */
    BAD_REPLY,
    /** Without a reply in time. */
    TIMED_OUT,
    /** Cancelled by the application. */
    CANCELLED,
    /** The connection ended first. */
    CONNECTION_LOST,
    /** Not accepted by the requester's handler, because of its form, its size or a limit. */
    REFUSED,
    /** By an error on this side, such as a failure to allocate or register memory. */
    FAILED
}
