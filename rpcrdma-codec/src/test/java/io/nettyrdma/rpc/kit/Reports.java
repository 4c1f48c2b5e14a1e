// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import io.netty.channel.Channel;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaRejectionReport;
import io.nettyrdma.rpc.observe.RpcRdmaSummary;
import java.util.List;

/** What a listener hears of messages, as text. */
public final class Reports {

    private Reports() {}

    public static RpcRdmaListener recordInto(List<String> seen) {
        return new RpcRdmaListener() {
            @Override
            public void onSent(Channel channel, RpcRdmaSummary message) {
                seen.add("sent " + message);
            }

            @Override
            public void onReceived(Channel channel, RpcRdmaSummary message) {
                seen.add("received " + message);
            }

            @Override
            public void onRejected(Channel channel, RpcRdmaRejectionReport rejection) {
                seen.add("rejected " + rejection.reaction());
            }
        };
    }
}
