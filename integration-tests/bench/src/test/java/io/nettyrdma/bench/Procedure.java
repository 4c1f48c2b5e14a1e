// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.message.RpcRdmaReply;

/** A kind of call: what a benchmark sends, and what the service answers. */
interface Procedure {

    /** Capacity of the buffer that each call in flight has, and of the one that the service has. */
    int bufferBytes(int sizeBytes);

    /**
     * A call.
     *
     * @param buffer of this call alone until it has its reply
     */
    RpcRdmaCall request(ByteBufAllocator alloc, int xid, ByteBuf buffer);

    /** The reply to a call; checks that all of the call is there. */
    RpcRdmaReply reply(ByteBufAllocator alloc, ByteBuf call, ByteBuf data);

    /** Throws unless the reply is whole. */
    void check(ByteBuf reply, int xid, int sizeBytes);

    /** Throws unless the two are the same. */
    static void require(int found, int expected) {
        if (found != expected) {
            throw new IllegalStateException("found " + found + " instead of " + expected);
        }
    }
}
