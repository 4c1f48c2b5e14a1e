// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.nettyrdma.channel.StreamTransport;

/** The channels of {@link StreamTransport} for Lettuce. */
final class LettuceChannels implements NettyCustomizer {

    @Override
    public void afterBootstrapInitialized(Bootstrap bootstrap) {
        BootstrapChannels.replace(bootstrap);
    }
}
