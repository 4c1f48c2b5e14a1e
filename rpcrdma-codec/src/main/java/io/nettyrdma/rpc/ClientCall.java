// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import org.jspecify.annotations.Nullable;

/**
 * A call of a {@link RpcRdmaClient}, over any number of connections.
 *
 * <p>Threading: confined to the client's loop. Ownership: holds the call until its promise is done.
 */
final class ClientCall {

    final RpcRdmaCall call;
    final int xid;
    final long timeoutNanos;
    final long deadlineNanos;
    final Promise<ByteBuf> reply;

    /** The call on the current connection, {@code null} without one. */
    @Nullable
    Future<ByteBuf> attempt;

    /** Whether the responder may have executed the call: an earlier connection was lost with the call in flight. */
    boolean mayHaveBeenSent;

    /** Ends the call while it has no connection. */
    @Nullable
    Future<?> timer;

    ClientCall(RpcRdmaCall call, long timeoutNanos, long deadlineNanos, Promise<ByteBuf> reply) {
        this.call = call;
        this.xid = RpcHeaders.xidOrZero(call.content()); // now: the program may release the message by mistake
        this.timeoutNanos = timeoutNanos;
        this.deadlineNanos = deadlineNanos;
        this.reply = reply;
    }

    /** Returns the failure of a call that has no connection and gets none. */
    ConnectionLostException lost(@Nullable Throwable cause) {
        return new ConnectionLostException(xid, cause, mayHaveBeenSent);
    }

    void stopTimer() {
        Future<?> present = timer;
        timer = null; // first: if still set, its listener would blame the end of the loop
        if (present != null) {
            present.cancel(false);
        }
    }
}
