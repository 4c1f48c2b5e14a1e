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
package io.nettyrdma.examples.nfs.client;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;

/**
 * The last handler of a test's server: clients leave when they like, also while there are replies on their way to them.
 * Any other failure goes on.
 */
final class LeavingClients extends ChannelInboundHandlerAdapter {

    private final Class<? extends IOException> loss;

    /** What the transport tells of a client that has left is a {@code loss}. */
    LeavingClients(Class<? extends IOException> loss) {
        this.loss = loss;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (loss.isInstance(cause)) {
            ctx.close();
        } else {
            ctx.fireExceptionCaught(cause);
        }
    }
}
