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
package io.nettyrdma.lab;

import io.netty.channel.Channel;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaRejectionReport;
import io.nettyrdma.rpc.observe.RpcRdmaSummary;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Every message that this side of a connection saw or sent.
 *
 * <p>Threading: any thread.
 */
final class MessageRecord implements RpcRdmaListener {
    final List<RpcRdmaSummary> sent = new CopyOnWriteArrayList<>();
    final List<RpcRdmaSummary> received = new CopyOnWriteArrayList<>();
    final List<RpcRdmaRejectionReport> rejected = new CopyOnWriteArrayList<>();

    /** The connections that something was sent on. */
    final Set<Channel> channels = ConcurrentHashMap.newKeySet();

    @Override
    public void onSent(Channel channel, RpcRdmaSummary message) {
        channels.add(channel);
        sent.add(message);
    }

    @Override
    public void onReceived(Channel channel, RpcRdmaSummary message) {
        received.add(message);
    }

    @Override
    public void onRejected(Channel channel, RpcRdmaRejectionReport rejection) {
        rejected.add(rejection);
    }

    RpcRdmaSummary lastSent() {
        return sent.get(sent.size() - 1);
    }

    RpcRdmaSummary lastReceived() {
        return received.get(received.size() - 1);
    }
}
