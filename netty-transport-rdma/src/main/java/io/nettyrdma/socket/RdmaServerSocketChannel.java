// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import com.ibm.disni.verbs.RdmaCmId;
import io.netty.channel.AbstractServerChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.socket.ServerSocketChannel;
import io.nettyrdma.engine.ConnectionRequest;
import io.nettyrdma.engine.Listener;
import io.nettyrdma.engine.RdmaLoops;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * Listens for byte streams over RDMA from {@link RdmaSocketChannel} and from programs over rsockets. The channel
 * rejects a request without the private data of such a stream.
 *
 * <p>Threading: as any Netty channel.
 */
public final class RdmaServerSocketChannel extends AbstractServerChannel implements ServerSocketChannel {

    private final RdmaServerSocketChannelConfig config = new RdmaServerSocketChannelConfig(this);
    private final Listener listener = new Listener(this, this::newChild, config::getBacklog, this::prepare);

    /** Used by {@code ServerBootstrap.channel(RdmaServerSocketChannel.class)}. */
    public RdmaServerSocketChannel() {}

    private Channel newChild(Channel parent, ConnectionRequest request) {
        RdmaSocketChannel child = new RdmaSocketChannel(parent, request);
        child.config().setReceiveBufferSize(config.getReceiveBufferSize());
        return child;
    }

    private void prepare(VerbsExtensions verbs, RdmaCmId id) {
        verbs.setSocketOption(id, StandardSocketOptions.SO_REUSEADDR, config.isReuseAddress());
    }

    @Override
    public RdmaServerSocketChannelConfig config() {
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

    void clearRead() {
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
