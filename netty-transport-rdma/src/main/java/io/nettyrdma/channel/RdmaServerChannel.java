// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.util.NetUtil;
import io.nettyrdma.engine.AbstractRdmaChannelConfig;
import io.nettyrdma.engine.AbstractRdmaServerChannel;
import io.nettyrdma.engine.ConnectionRequest;
import io.nettyrdma.engine.OptionTable;
import io.nettyrdma.engine.TcpOptions;
import io.nettyrdma.internal.Ranges;

/**
 * Listens for RDMA connections and hands each request, before it is accepted, to a new {@link RdmaChannel}. The child
 * accepts on its own event loop, after its pipeline has seen the peer's private data.
 *
 * <p>Options: {@link ChannelOption#SO_BACKLOG}, the limit of half-open connections: connected below RDMA, and neither
 * accepted nor rejected yet. Default {@link NetUtil#SOMAXCONN}, as for NIO, 4,096 on most hosts; it counts when the
 * channel is bound. With the software provider, more connections wait in the kernel, as with TCP. One of them takes the
 * place of a half-open connection that has been silent for a second, never of one that has sent its request. Each
 * half-open connection costs a socket, and at most 3 KiB of heap and 1 KiB of direct memory: 16 MiB for 4,096. Over
 * {@code native}, the device's driver limits the requests that the event loop has not taken, most often to 1,024, and
 * rejects more; if {@code autoRead} is false, the channel itself keeps up to SO_BACKLOG requests and rejects more.
 *
 * <p>Threading: as any Netty channel.
 */
@SuppressWarnings("exports") // what it extends is not for programs
public final class RdmaServerChannel extends AbstractRdmaServerChannel {

    private final Config config = new Config(this);

    /** Used by {@code ServerBootstrap.channel(RdmaServerChannel.class)}. */
    public RdmaServerChannel() {}

    private static final class Config extends AbstractRdmaChannelConfig<Config> {

        private static final OptionTable<Config> OPTIONS = new OptionTable<Config>()
                .add(
                        ChannelOption.SO_BACKLOG,
                        c -> c.backlog,
                        (c, v) -> c.backlog = Ranges.require("SO_BACKLOG", v, 1, Integer.MAX_VALUE));

        private volatile int backlog = NetUtil.SOMAXCONN;

        Config(RdmaServerChannel channel) {
            super(channel, OPTIONS);
        }

        @Override
        public <T> boolean setOption(ChannelOption<T> option, T value) {
            return super.setOption(option, value) || TcpOptions.isIgnored(option);
        }
    }

    @Override
    public DefaultChannelConfig config() {
        return config;
    }

    @Override
    protected Channel newChild(ConnectionRequest request) {
        return new RdmaChannel(this, request);
    }
}
