// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.internal.StringUtil;
import io.nettyrdma.engine.ChannelHandle;
import io.nettyrdma.engine.ChannelLifecycle;
import io.nettyrdma.engine.ConnectionRequest;
import io.nettyrdma.engine.ConnectionUnsafe;
import io.nettyrdma.engine.Establishment;
import io.nettyrdma.engine.OrderlyClose;
import io.nettyrdma.engine.RdmaLoops;
import io.nettyrdma.engine.VerbsConnection;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.error.RdmaStreamProtocolException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import org.jspecify.annotations.Nullable;

/**
 * A byte stream over RDMA, with the semantics of a TCP {@link SocketChannel}: no message boundaries, flow control by
 * the reader, half close. On the wire it speaks the protocol of rsockets ({@code rsocket(7)}).
 *
 * <p>A write's promise succeeds when the send buffer has taken its bytes, see SO_SNDBUF. A close sends them first. The
 * event loop reads {@link FileRegion}s and sends them like other bytes. SO_RCVBUF bounds the memory that even a
 * dishonest peer can write to. A peer that breaks the protocol ends the connection with {@link
 * RdmaStreamProtocolException}. A peer that aborts, or ends without a word, causes an {@link RdmaConnectionException}
 * whose message begins with "Connection reset by peer".
 *
 * <p>Threading: as any Netty channel.
 */
public final class RdmaSocketChannel extends AbstractChannel implements SocketChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    private static final byte[] NO_PRIVATE_DATA = {};

    private final RdmaSocketChannelConfig config = new RdmaSocketChannelConfig(this);
    private final ChannelLifecycle lifecycle;
    private final VerbsConnection connection;
    private final OrderlyClose orderlyClose;
    private final StreamExchange stream;
    private final Establishment establishment;
    private final ChannelHandle handle;

    /** Used by {@code Bootstrap.channel(RdmaSocketChannel.class)}. */
    public RdmaSocketChannel() {
        this(null, null);
    }

    /**
     * A channel of either side.
     *
     * @param request the peer's request, or {@code null} for a channel that will connect
     */
    RdmaSocketChannel(@Nullable Channel parent, @Nullable ConnectionRequest request) {
        super(parent);
        RdmaSocketUnsafe unsafe = (RdmaSocketUnsafe) unsafe();
        lifecycle = request == null ? ChannelLifecycle.open() : ChannelLifecycle.requested();
        connection = new VerbsConnection(this::fail, request);
        orderlyClose = new OrderlyClose(this, unsafe, lifecycle, connection, config::closeMillis);
        stream = new StreamExchange(this, unsafe, config, lifecycle, connection, orderlyClose);
        establishment =
                new Establishment(this, unsafe, lifecycle, connection, orderlyClose, stream.terms(), stream, request);
        handle = new ChannelHandle(this, lifecycle, connection, establishment, orderlyClose, stream);
    }

    private void fail(Throwable cause) {
        handle.onFailure(cause);
    }

    @Override
    public RdmaSocketChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public @Nullable ServerSocketChannel parent() {
        return (ServerSocketChannel) super.parent();
    }

    @Override
    public boolean isOpen() {
        return lifecycle.isOpen();
    }

    @Override
    public boolean isActive() {
        return lifecycle.isActive();
    }

    // Not what Netty would keep: a bound channel has another address when it is connected.
    @Override
    public @Nullable InetSocketAddress localAddress() {
        return (InetSocketAddress) localAddress0();
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        InetSocketAddress connected = establishment.localAddress();
        return connected != null ? connected : establishment.bound();
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return establishment.remoteAddress();
    }

    @Override
    public boolean isInputShutdown() {
        return stream.end().isInputShutdown() || !isActive();
    }

    /** Returns {@code false} also when the output is shut down, as with TCP: every write fails. */
    @Override
    public boolean isWritable() {
        return !stream.end().isOutputShutdown() && super.isWritable();
    }

    @Override
    public boolean isOutputShutdown() {
        return stream.end().isOutputShutdown() || !isActive();
    }

    @Override
    public boolean isShutdown() {
        return stream.end().isInputShutdown() && stream.end().isOutputShutdown() || !isActive();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        return runOnLoop(promise, () -> {
            try {
                requireConnection();
                stream.end().shutdownInput();
                promise.setSuccess();
            } catch (Throwable e) {
                promise.setFailure(e);
            }
        });
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    /** Ends the output when all earlier flushed data is sent. Later writes fail. */
    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        return runOnLoop(promise, () -> {
            try {
                requireConnection();
            } catch (Throwable e) {
                promise.setFailure(e);
                return;
            }
            stream.end().shutdownOutput(promise);
        });
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        // The input last: the channel closes when both are shut down.
        shutdownOutput().addListener(output -> shutdownInput().addListener(input -> {
            Throwable cause = output.cause() != null ? output.cause() : input.cause();
            if (cause == null) {
                promise.setSuccess();
            } else {
                promise.setFailure(cause);
            }
        }));
        return promise;
    }

    private ChannelFuture runOnLoop(ChannelPromise promise, Runnable task) {
        RdmaLoops.run(this, task);
        return promise;
    }

    private void requireConnection() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        if (!isActive()) {
            throw new NotYetConnectedException();
        }
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return RdmaLoops.isCompatible(this, loop);
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new RdmaSocketUnsafe();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        handle.register(promise);
    }

    /** Also ends the connection: its queue pair belongs to this event loop and cannot move to another. */
    @Override
    protected void doDeregister() {
        handle.deregister();
        if (isActive()) {
            eventLoop().execute(() -> unsafe().close(voidPromise()));
        }
    }

    @Override
    protected void doBind(SocketAddress localAddress) {
        establishment.bind(localAddress);
    }

    @Override
    protected void doBeginRead() {
        stream.beginRead();
    }

    void clearRead() {
        RdmaLoops.run(this, stream::clearRead);
    }

    /** Whether the queue pair exists, so that options that shape it cannot change. */
    boolean hasQueuePair() {
        return connection.queuePair() != null;
    }

    /** Applies a changed SO_REUSEADDR or IP_TOS. A connection that is not made yet reads them later. */
    void onSocketOptionChanged() {
        if (isRegistered()) {
            RdmaLoops.run(this, stream::onSocketOptionChanged);
        }
    }

    /** Applies a changed SO_KEEPALIVE or its time. A stream that does not exist yet reads them later. */
    void onKeepaliveChanged() {
        if (isRegistered()) {
            RdmaLoops.run(this, stream::onKeepaliveChanged);
        }
    }

    @Override
    protected Object filterOutboundMessage(Object message) throws Exception {
        if (!(message instanceof ByteBuf || message instanceof FileRegion)) {
            throw new UnsupportedOperationException("unsupported message type: " + StringUtil.simpleClassName(message)
                    + " (expected: ByteBuf or FileRegion)");
        }
        if (isActive() || stream.end().isClosing()) {
            stream.end().check();
        }
        return message;
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        stream.write(in);
    }

    @Override
    protected void doShutdownOutput() throws Exception {
        stream.end().endOutput();
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        stream.disconnect();
        handle.closeConnection(NO_PRIVATE_DATA);
    }

    private final class RdmaSocketUnsafe extends AbstractUnsafe implements ConnectionUnsafe {

        @Override
        public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
            // Stays cancellable, as cancelling is how a caller gives a connection attempt up.
            if (!promise.isDone() && ensureOpen(promise)) {
                establishment.connect(
                        remoteAddress, localAddress, promise, cause -> annotateConnectException(cause, remoteAddress));
            }
        }

        /** Keeps data that an accepted channel flushes before it is active: a TCP channel is active at once. */
        @Override
        protected void flush0() {
            if (!lifecycle.isBeingAccepted()) {
                super.flush0();
            }
        }

        @Override
        public void flushAgain() {
            flush0();
        }

        /** Notifies the peer, and lets buffered bytes and posted requests go out before the channel closes. */
        @Override
        public void close(ChannelPromise promise) {
            if (!promise.setUncancellable() || stream.end().closesWhenItMaySend(promise)) {
                return;
            }
            stream.disconnect();
            flushAgain(); // what is not buffered fails now
            if (config.getSoLinger() == 0) {
                orderlyClose.closeNow(promise);
            } else {
                orderlyClose.close(promise);
            }
        }

        @Override
        public void closeNow(ChannelPromise promise) {
            super.close(promise);
        }

        @Override
        public void closeNow(Throwable cause) {
            ClosedChannelException closed = new ClosedChannelException();
            closed.initCause(cause);
            super.close(voidPromise(), cause, closed);
        }
    }
}
