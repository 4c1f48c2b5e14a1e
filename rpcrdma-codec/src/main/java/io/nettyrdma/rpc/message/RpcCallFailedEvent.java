// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.message;

import java.util.Objects;

/**
 * User event instead of a reply: a call that was written as a {@code ByteBuf} and accepted has failed. The cause is
 * usually an {@link io.nettyrdma.rpc.error.RpcRdmaException}, or the channel's reason for failing the Send.
 *
 * @param xid   of the call
 * @param cause why
 */
public record RpcCallFailedEvent(int xid, Throwable cause) {

    /** Checks that there is a cause. */
    public RpcCallFailedEvent {
        Objects.requireNonNull(cause, "cause");
    }
}
