// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.nettyrdma.channel.StreamTransport;
import org.redisson.client.NettyHook;

/** The channels of {@link StreamTransport} for Redisson. */
final class RedissonChannels implements NettyHook {

    @Override
    public void afterBoostrapInitialization(Bootstrap bootstrap) {
        BootstrapChannels.replace(bootstrap);
    }

    @Override
    public void afterChannelInitialization(Channel channel) {}
}
