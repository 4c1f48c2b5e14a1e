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
package io.nettyrdma.examples.cli;

import io.netty.channel.Channel;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaRejectionReport;
import io.nettyrdma.rpc.observe.RpcRdmaSummary;

/** One line per RPC-over-RDMA message. */
final class MessageLog implements RpcRdmaListener {

    private final String name;
    private final PeerLog log;

    MessageLog(String name, PeerLog log) {
        this.name = name;
        this.log = log;
    }

    @Override
    public void onSent(Channel channel, RpcRdmaSummary message) {
        log.accept(name + " sent      " + message);
    }

    @Override
    public void onReceived(Channel channel, RpcRdmaSummary message) {
        log.accept(name + " received  " + message);
    }

    @Override
    public void onRejected(Channel channel, RpcRdmaRejectionReport rejection) {
        log.accept(name + " rejected  " + rejection);
    }
}
