// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.internal.StringUtil;
import io.nettyrdma.engine.AbstractRdmaChannel;
import io.nettyrdma.engine.ConnectionRequest;
import io.nettyrdma.engine.ConnectionTerms;
import io.nettyrdma.engine.Exchange;
import io.nettyrdma.engine.RdmaLoops;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.error.RdmaStreamProtocolException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.concurrent.Executor;
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
@SuppressWarnings("exports") // what it extends is not for programs
public final class RdmaSocketChannel extends AbstractRdmaChannel implements SocketChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    private static final byte[] NO_PRIVATE_DATA = {};

    private final RdmaSocketChannelConfig config = new RdmaSocketChannelConfig(this);
    private final StreamExchange stream;

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
        super(parent, request);
        stream = new StreamExchange(this, config);
    }

    @Override
    protected Exchange exchange() {
        return stream;
    }

    @Override
    protected ConnectionTerms terms() {
        return stream.terms();
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

    // Not what Netty would keep: a bound channel has another address when it is connected.
    @Override
    public @Nullable InetSocketAddress localAddress() {
        return (InetSocketAddress) localAddress0();
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        InetSocketAddress connected = establishment.localAddress();
        return connected != null ? connected : establishment.bound();
    }

    @Override
    public boolean isInputShutdown() {
        return stream.end().isInputShutdown() || !isActive();
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
                eventLoop().execute(stream::deliver); // a read meets the end, as a selector tells a socket's
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

    /** Ends the output behind what the stream has taken. Other writes fail, flushed or not, as over TCP. */
    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        return runOnLoop(promise, () -> ((AbstractUnsafe) unsafe()).shutdownOutput(promise));
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
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
    protected AbstractUnsafe newUnsafe() {
        return new StreamUnsafe();
    }

    /** Also ends the connection: its queue pair belongs to this event loop and cannot move to another. */
    @Override
    protected void doDeregister() {
        super.doDeregister();
        if (isActive()) {
            eventLoop().execute(() -> unsafe().close(voidPromise()));
        }
    }

    @Override
    protected void doBeginRead() {
        stream.beginRead();
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
        stream.checkWrite();
        if (message instanceof ByteBuf bytes && bytes.refCnt() == 0) {
            throw new IllegalReferenceCountException(0); // which is this write's fault, and of none beside it
        }
        return message;
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        stream.write(in);
    }

    @Override
    protected void doShutdownOutput() throws Exception {
        requireConnection();
        stream.end().shutdownOutput();
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        stream.disconnect();
        closeConnection(NO_PRIVATE_DATA);
    }

    private final class StreamUnsafe extends ConnectionUnsafe {

        /** Closes as over TCP: what the stream has taken still goes out, and the rest fails. */
        @Override
        public void close(ChannelPromise promise) {
            if (promise.setUncancellable() && !stream.closesWhenAccepted(promise)) {
                closeNow(promise);
            }
        }

        /** Returns an executor that waits until the peer has taken all, or for SO_LINGER. */
        @Override
        protected @Nullable Executor prepareToClose() {
            return stream.lingers() ? stream::linger : null;
        }
    }
}
