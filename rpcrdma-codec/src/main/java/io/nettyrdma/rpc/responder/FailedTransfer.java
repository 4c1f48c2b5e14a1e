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
package io.nettyrdma.rpc.responder;

import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.channel.RdmaWorkRequestException;
import java.util.concurrent.TimeUnit;

/**
 * Ends the connection of a Send, Read or Write that has failed. A work request takes its queue pair along when it
 * fails, so the channel closes by itself, and says why first: what the peer's Terminate says is often read only after
 * the requests that it flushes. Who closes in between never hears of it.
 */
final class FailedTransfer {

    /** How long the channel has to say why. */
    static final long REASON_MILLIS = 1000;

    private FailedTransfer() {}

    /** Closes the channel, or sees to it that it closes. */
    static void close(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof RdmaWorkRequestException) {
            ctx.executor().schedule(() -> ctx.close(), REASON_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            ctx.close();
        }
    }
}
