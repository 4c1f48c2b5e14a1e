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

import io.netty.channel.Channel;
import io.nettyrdma.rpc.wire.Rejection;

/**
 * Sees every RPC-over-RDMA message of a channel, for logs and metrics. Without a listener nothing is collected.
 *
 * <p>Threading: called on the executor of the handler, so it must not block. What it throws is logged and has no effect.
 */
public interface RpcRdmaListener {

    /** A message was handed to the channel. */
    void sent(Channel channel, RpcRdmaSummary message);

    /** A valid message was received. */
    void received(Channel channel, RpcRdmaSummary message);

    /** A received message was not valid; the rejection names the defect and the answer. */
    default void rejected(Channel channel, Rejection rejection) {}
}
