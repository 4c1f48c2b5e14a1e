// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.channel.DefaultMessageSizeEstimator;
import io.netty.channel.MessageSizeEstimator;

/** Counts an {@link RdmaRead} with the bytes it reads; everything else as Netty does. */
final class RdmaMessageSizeEstimator implements MessageSizeEstimator, MessageSizeEstimator.Handle {

    static final RdmaMessageSizeEstimator INSTANCE = new RdmaMessageSizeEstimator();

    private static final Handle DEFAULT = DefaultMessageSizeEstimator.DEFAULT.newHandle();

    private RdmaMessageSizeEstimator() {}

    @Override
    public Handle newHandle() {
        return this;
    }

    @Override
    public int size(Object message) {
        return message instanceof RdmaRead read ? read.source().lengthBytes() : DEFAULT.size(message);
    }
}
