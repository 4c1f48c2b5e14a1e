// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.internal;

import io.netty.channel.Channel;

/** The {@link Channel.Unsafe} of a channel that keeps messages apart, for the handler of its flow control. */
public interface FlowControlled {

    /** Delivers every message as it arrives from now on, whether the program reads or not. */
    void readAlways();
}
