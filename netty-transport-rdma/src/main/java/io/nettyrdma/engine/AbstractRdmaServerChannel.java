// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A server channel of any kind: what Netty asks of it, passed to its {@link Listener}.
 *
 * <p>Threading: as any Netty channel.
 */
public abstract class AbstractRdmaServerChannel extends AbstractServerChannel {

    private final Listener listener = new Listener(this);

    protected AbstractRdmaServerChannel() {}

    /** Makes a channel that owns {@code request} and accepts or rejects it. */
    protected abstract Channel newChild(ConnectionRequest request);

    @Override
    public boolean isOpen() {
        return listener.isOpen();
    }

    @Override
    public boolean isActive() {
        return listener.isOpen() && listener.localAddress() != null;
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress() {
        return null;
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return listener.localAddress();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return RdmaLoops.isCompatible(this, loop);
    }

    final void clearRead() {
        RdmaLoops.run(this, listener::clearRead);
    }

    @Override
    protected DefaultChannelPipeline newChannelPipeline() {
        return new DefaultChannelPipeline(this) {
            @Override
            protected void onUnhandledInboundException(Throwable cause) {
                listener.onHandlerFailed();
                super.onUnhandledInboundException(cause);
            }
        };
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
