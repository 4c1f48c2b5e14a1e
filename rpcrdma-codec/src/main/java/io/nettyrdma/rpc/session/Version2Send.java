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
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.rpc.engine.OutboundQueue;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message of version 2, framed but for its credits, which are known when it is sent.
 *
 * <p>Ownership: of the message until it is taken.
 */
final class Version2Send implements OutboundQueue.Item {

    private final OutboundQueue.Kind kind;
    private final int invalidateHandle;
    private @Nullable ByteBuf message;
    private @Nullable ChannelPromise promise;

    /** @param invalidateHandle of the peer, to be invalidated by the Send; 0 for none */
    Version2Send(OutboundQueue.Kind kind, ByteBuf message, int invalidateHandle) {
        this.kind = kind;
        this.message = message;
        this.invalidateHandle = invalidateHandle;
    }

    @Override
    public OutboundQueue.Kind kind() {
        return kind;
    }

    @Override
    public int messages() {
        return 1;
    }

    int invalidateHandle() {
        return invalidateHandle;
    }

    /** Sets what completes with the Send. */
    Version2Send with(ChannelPromise promise) {
        this.promise = promise;
        return this;
    }

    ChannelPromise promise() {
        return Objects.requireNonNull(promise, "framed, but not written");
    }

    /** The message, now the caller's. */
    ByteBuf take() {
        ByteBuf taken = Objects.requireNonNull(message, "was sent already");
        message = null;
        return taken;
    }

    /** It is not sent. */
    void fail(Throwable cause) {
        take().release();
        promise().tryFailure(cause);
    }
}
