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

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.engine.ReadPlan;
import io.nettyrdma.rpc.engine.ResponderCall;

/** Who takes the calls that a {@link ChunkReader} has pulled. */
public interface PulledCalls {

    /** A call is complete; its buffer is the receiver's. */
    void onPulled(ChannelHandlerContext ctx, ResponderCall call, ReadPlan plan, ByteBuf message);

    /** There was no memory for a call; nothing was read. */
    void onNoMemory(ChannelHandlerContext ctx, ResponderCall call);
}
