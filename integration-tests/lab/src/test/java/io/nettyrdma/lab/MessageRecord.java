// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
