// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

/** The role of an end of a connection in an RPC. */
public enum RpcRdmaRole {
    /** Sends calls. */
    REQUESTER,
    /** Executes them. */
    RESPONDER;

    /** Returns the role of the other end, which is this end's role in the reverse direction. */
    public RpcRdmaRole opposite() {
        return this == REQUESTER ? RESPONDER : REQUESTER;
    }
}
