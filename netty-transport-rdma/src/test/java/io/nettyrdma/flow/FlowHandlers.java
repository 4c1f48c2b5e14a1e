// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow;

import io.netty.buffer.ByteBuf;
import java.util.function.IntFunction;

/** Makes flow control that tests of channels can starve. */
public final class FlowHandlers {

    private FlowHandlers() {}

    /** @param copies allocates so many bytes for what is sent of messages without room for a trailer */
    public static RdmaFlowControlHandler copyingTo(RdmaFlowControlConfig config, IntFunction<ByteBuf> copies) {
        return new RdmaFlowControlHandler(config, copies);
    }
}
