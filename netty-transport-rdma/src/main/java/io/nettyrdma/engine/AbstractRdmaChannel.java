// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * A connected channel of any kind: its connection, and what Netty asks of a channel that does not depend on the kind.
 *
 * <p>Threading: as any Netty channel. Ownership: owns the queue pair and the connection id until all completions have
 * arrived.
 */
public abstract class AbstractRdmaChannel extends AbstractChannel {

    protected final ChannelLifecycle lifecycle;
    protected final VerbsConnection connection;
    protected final OrderlyClose orderlyClose;
    protected final Establishment establishment;
    private final ChannelHandle handle;

    /** @param request the peer's request, or {@code null} for a channel that will connect */
    protected AbstractRdmaChannel(@Nullable Channel parent, @Nullable ConnectionRequest request) {
        super(parent);
        lifecycle = request == null ? ChannelLifecycle.open() : ChannelLifecycle.requested();
        connection = new VerbsConnection(this::fail, request);
        orderlyClose = new OrderlyClose(this);
        establishment = new Establishment(this, request);
        handle = new ChannelHandle(this);
    }

    private void fail(Throwable cause) {
        handle.onFailure(cause);
    }

    /** Returns the traffic of this channel, the same each time. */
    protected abstract Exchange exchange();

    /** Returns the terms of the connection. */
    protected abstract ConnectionTerms terms();

    final void clearRead() {
        RdmaLoops.run(this, exchange()::clearRead);
    }

    final ConnectionUnsafe connectionUnsafe() {
        return (ConnectionUnsafe) unsafe();
    }

    @Override
    public boolean isOpen() {
        return lifecycle.isOpen();
    }

    @Override
    public boolean isActive() {
        return lifecycle.isActive();
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return establishment.localAddress();
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return establishment.remoteAddress();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return RdmaLoops.isCompatible(this, loop);
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ConnectionUnsafe();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        handle.register(promise);
    }

    @Override
    protected void doDeregister() {
        handle.deregister();
    }

    @Override
    protected void doBind(SocketAddress localAddress) {
        establishment.bind(localAddress);
    }

    /**
     * Implements {@code doClose}.
     *
     * @param rejection private data for a peer whose request was not answered
     */
    protected final void closeConnection(byte[] rejection) {
        handle.closeConnection(rejection);
    }

    /**
     * Functions of Netty's base class that only a channel's own class can call. Were it public, the compiler would add
     * bridges to methods of Netty's class, which is not public, and one of these is final in older releases.
     */
    protected class ConnectionUnsafe extends AbstractUnsafe {

        protected ConnectionUnsafe() {}

        @Override
        public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
            // Stays cancellable, as cancelling is how a caller gives a connection attempt up.
            if (!promise.isDone() && ensureOpen(promise)) {
                establishment.connect(
                        remoteAddress, localAddress, promise, cause -> annotateConnectException(cause, remoteAddress));
            }
        }

        /** Keeps what an accepted channel flushes before it is active: a TCP channel is active at once. */
        @Override
        protected void flush0() {
            if (!lifecycle.isBeingAccepted()) {
                super.flush0();
            }
        }

        /** Goes on with flushed writes. */
        public final void flushAgain() {
            flush0();
        }

        /** Lets posted requests complete before the channel closes. */
        @Override
        public void close(ChannelPromise promise) {
            orderlyClose.close(promise);
        }

        /** Closes as Netty does, without waiting for posted requests. */
        protected final void closeNow(ChannelPromise promise) {
            super.close(promise);
        }

        /** Closes as Netty does; pending writes fail because of {@code cause}. */
        final void closeNow(Throwable cause) {
            ClosedChannelException closed = new ClosedChannelException();
            closed.initCause(cause);
            super.close(voidPromise(), cause, closed);
        }
    }
}
