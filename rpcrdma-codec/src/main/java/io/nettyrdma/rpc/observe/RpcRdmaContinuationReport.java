// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import io.netty.util.internal.UnstableApi;
import io.nettyrdma.rpc.wire.Direction;

/**
 * A message of version 2 in fragments, one Send each, when all of them were sent or received.
 *
 * @param role         of this end in the direction of the call
 * @param message      call or reply; with the role this gives the sender: {@link #isSent}
 * @param xid          transaction; opaque
 * @param fragments    number of fragments, at least 2
 * @param payloadBytes bytes of the RPC message in all fragments together, without headers and chunks
 */
@UnstableApi
public record RpcRdmaContinuationReport(
        RpcRdmaRole role, Direction message, int xid, int fragments, long payloadBytes) {

    /** Returns whether this end sent the message. */
    public boolean isSent() {
        return (role == RpcRdmaRole.REQUESTER) == (message == Direction.CALL);
    }

    /** Returns one line, such as {@code REQUESTER xid 0x1a2b3c4d CALL fragments 3 payload 9000}. */
    @Override
    public String toString() {
        return role + " xid 0x" + Integer.toHexString(xid) + ' ' + message + " fragments " + fragments + " payload "
                + payloadBytes;
    }
}
