// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import io.netty.buffer.ByteBuf;

/**
 * What became of a received message: a valid {@link Rdma2Message}, or an {@link Rdma2Rejection}. The
 * transaction and the flags can be asked of both. Credits count in both, too (C43): {@link Rdma2#credits(ByteBuf)}.
 */
public sealed interface Rdma2Decoded permits Rdma2Message, Rdma2Rejection {

    /** Transaction the message belongs to; opaque. */
    int xid();

    /**
     * {@link Rdma2#RESPONSE}, {@link Rdma2#MORE}, {@link Rdma2#TPMORE}; 0 if the message is
     * not one of version 2, or is too short to be looked at.
     */
    int flags();

    /** Whether the XID is one of the receiver's own calls. */
    default boolean response() {
        return (flags() & Rdma2.RESPONSE) != 0;
    }

    /** Whether the message goes on in the next one. */
    default boolean more() {
        return (flags() & Rdma2.MORE) != 0;
    }

    /** Whether more properties follow in other messages. */
    default boolean tpMore() {
        return (flags() & Rdma2.TPMORE) != 0;
    }
}
