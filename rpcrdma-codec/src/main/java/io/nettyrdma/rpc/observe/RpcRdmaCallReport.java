// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.error.CallOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The end of one call, as one end of the connection sees it.
 *
 * @param role          of this end
 * @param xid           transaction; opaque
 * @param header        program, version and procedure, if this end reads them anyway: a requester does unless the
 *                      message is no whole RPC call; a responder does for calls with chunks
 * @param durationNanos at a requester from when the handler takes the call to its end, including the wait for a credit;
 *                      at a responder from its reception to the completion of the Send of its reply
 * @param outcome how it ended
 */
public record RpcRdmaCallReport(
        RpcRdmaRole role, int xid, @Nullable RpcCallHeader header, long durationNanos, CallOutcome outcome) {

    /** Returns one line, such as {@code REQUESTER xid 0x1a2b3c4d program 100003 version 3 procedure 1 REPLIED 9 us}. */
    @Override
    public String toString() {
        return role + " xid 0x" + Integer.toHexString(xid) + (header == null ? "" : ' ' + header.name()) + ' ' + outcome
                + ' ' + durationNanos / 1000 + " us";
    }
}
