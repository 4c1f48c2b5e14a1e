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
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.rpc.message.RpcCall;
import io.nettyrdma.rpc.message.RpcMessage;
import org.jspecify.annotations.Nullable;

/**
 * A call of a {@link RpcRdmaClient}, over any number of connections.
 *
 * <p>Threading: confined to the client's loop. Ownership: holds the call until its promise is done.
 */
final class ClientCall {

    final RpcCall call;
    final long deadlineNanos;
    final Promise<ByteBuf> reply;

    /** The call on the present connection; {@code null} while there is none. */
    @Nullable
    Future<ByteBuf> attempt;

    /** Ends the call while it is on no connection. */
    @Nullable
    Future<?> timer;

    ClientCall(RpcCall call, long deadlineNanos, Promise<ByteBuf> reply) {
        this.call = call;
        this.deadlineNanos = deadlineNanos;
        this.reply = reply;
    }

    int xid() {
        ByteBuf message = call.content();
        return RpcMessage.xidOrZero(message);
    }

    void stopTimer() {
        Future<?> present = timer;
        timer = null; // first: a timer that is cancelled by the end of its loop is still there
        if (present != null) {
            present.cancel(false);
        }
    }
}
