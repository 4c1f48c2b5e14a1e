// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.internal;

import io.netty.channel.ChannelHandler;

/** A handler whose protocol limits its messages itself: it and flow control refuse each other in one pipeline. */
public interface LimitsItself extends ChannelHandler {

    /** Returns why flow control and {@code handler} refuse each other. */
    static String besideFlowControl(ChannelHandler handler) {
        return "RdmaFlowControlHandler and " + handler.getClass().getSimpleName()
                + " are in one pipeline; remove RdmaFlowControlHandler: RPC-over-RDMA limits its messages itself, by"
                + " credits";
    }
}
