// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.util.NetUtil;
import io.nettyrdma.engine.Listener;
import io.nettyrdma.engine.RdmaLoops;
import io.nettyrdma.engine.TcpOptions;
import java.net.SocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
public final class RdmaServerChannel extends AbstractServerChannel {

    private final Config config = new Config(this);
    private final Listener listener = new Listener(this, RdmaChannel::new, config::backlog, (verbs, id) -> {});

    /** Used by {@code ServerBootstrap.channel(RdmaServerChannel.class)}. */
    public RdmaServerChannel() {}

    private static final class Config extends DefaultChannelConfig {
        private volatile int backlog = NetUtil.SOMAXCONN;

        Config(RdmaServerChannel channel) {
            super(channel);
        }

        int backlog() {
            return backlog;
        }

        @Override
        public Map<ChannelOption<?>, Object> getOptions() {
            return getOptions(super.getOptions(), ChannelOption.SO_BACKLOG);
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> T getOption(ChannelOption<T> option) {
            return option == ChannelOption.SO_BACKLOG ? (T) Integer.valueOf(backlog) : super.getOption(option);
        }

        @Override
        public <T> boolean setOption(ChannelOption<T> option, T value) {
            validate(option, value);
            if (option == ChannelOption.SO_BACKLOG) {
                int wanted = (Integer) value;
                if (wanted <= 0) {
                    throw new IllegalArgumentException("SO_BACKLOG: " + wanted + " (expected: > 0)");
                }
                backlog = wanted;
                return true;
            }
            return super.setOption(option, value) || TcpOptions.isIgnored(option);
        }

        @Override
        protected void autoReadCleared() {
            ((RdmaServerChannel) channel).clearRead();
        }
    }

    @Override
    public DefaultChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return listener.isOpen();
    }

    @Override
    public boolean isActive() {
        return listener.isOpen() && listener.localAddress() != null;
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return RdmaLoops.isCompatible(this, loop);
    }

    @Override
    @Nullable
    protected SocketAddress localAddress0() {
        return listener.localAddress();
    }

    private void clearRead() {
        RdmaLoops.run(this, listener::clearRead);
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        listener.register((IoEventLoop) eventLoop(), promise);
    }

    @Override
    protected void doDeregister() {
        listener.deregister();
    }

    @Override
    protected void doBind(SocketAddress localAddress) throws Exception {
        listener.listen(localAddress);
    }

    @Override
    protected void doBeginRead() {
        listener.beginRead();
    }

    @Override
    protected void doClose() {
        listener.end();
    }
}
