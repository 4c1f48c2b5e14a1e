// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.netty.channel.Channel;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaRejectionReport;
import io.nettyrdma.rpc.observe.RpcRdmaSummary;
import picocli.CommandLine.Option;

/** Whether to print what goes over the wire. */
final class MessagesOption {

    @Option(names = "--messages", description = "print a line per message, limited by --log-rate")
    private boolean messages;

    /** Has each message printed if it is wanted; {@code name} begins the lines. */
    void applyTo(RpcRdmaConfig.Builder config, String name, PeerLog log) {
        if (messages) {
            config.listener(new RpcRdmaListener() {
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
            });
        }
    }
}
