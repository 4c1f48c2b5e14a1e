/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.rpc.observe;

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
