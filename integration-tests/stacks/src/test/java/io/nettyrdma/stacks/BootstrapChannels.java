// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import io.netty.bootstrap.AbstractBootstrap;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ReflectiveChannelFactory;
import io.nettyrdma.channel.StreamTransport;
import java.lang.reflect.Field;

/**
 * The channels of {@link StreamTransport} for clients that set a class of their own and show the bootstrap only
 * afterwards. A bootstrap takes no second one, so the first is replaced by reflection.
 */
final class BootstrapChannels {

    private BootstrapChannels() {}

    static void replace(Bootstrap bootstrap) {
        try {
            Field factory = AbstractBootstrap.class.getDeclaredField("channelFactory");
            factory.setAccessible(true);
            factory.set(bootstrap, new ReflectiveChannelFactory<>(StreamTransport.UNDER_TEST.client()));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
