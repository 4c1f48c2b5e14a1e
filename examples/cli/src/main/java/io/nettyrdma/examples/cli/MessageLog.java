// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
