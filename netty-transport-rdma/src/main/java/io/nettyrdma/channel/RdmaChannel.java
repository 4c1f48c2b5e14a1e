/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.channel;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.Future;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.ConnectionParameters;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An RDMA connection that keeps message boundaries: one written {@link ByteBuf} is one RDMA Send, one received Send is
 * one inbound {@code ByteBuf}. RDMA Writes and Reads are written into the pipeline as {@link RdmaWrite} and {@link
 * RdmaRead}; everything written before a flush is posted as one batch, in order.
 *
 * <p>There is no flow control but the peer's posted receives. A protocol above, such as RPC-over-RDMA with its credits,
 * has to keep the number of unanswered messages below the peer's receive count. This channel is therefore no
 * replacement for a byte stream.
 *
 * <p>A write's promise succeeds when the request has completed: for a Send or Write the local buffer may be reused, for
 * a Read the data is there. An empty {@code ByteBuf} sends nothing and succeeds when all before it has completed. A
 * message longer than {@link RdmaChannelConfig#getMaxSendSize()} fails with {@link RdmaMessageTooLongException} before
 * anything is posted.
 *
 * <p>A connection that ends other than in an orderly way fires {@link RdmaConnectionException} or {@link
 * RdmaWorkRequestException} through the pipeline before it becomes inactive.
 *
 * <p>Threading: as any Netty channel. Ownership: the channel owns its queue pair and its connection id until all
 * completions are in, which may be after {@code closeFuture()}; received buffers belong to the pipeline, also after the
 * channel is closed.
 */
public final class RdmaChannel extends AbstractChannel {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(RdmaChannel.class);
    // 32 messages per read: each batch costs its handlers a flush, and a flush a system call; but the peer can begin with
    // the answers to the first batch while the second is handled.
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 32);
    private static final byte[] NONE = {};

    // How long close() waits for requests that were posted before it flushes them the hard way.
    private static final long CLOSE_FLUSH_MILLIS = 1000;

    // How long flushed requests may take to complete before the queue pair is destroyed without.
    private static final long ABANDON_MILLIS = 2000;

    private enum State {
        /** Made by a bootstrap, not connected. */
        OPEN,
        /** Connect was called. */
        CONNECTING,
        /** Made for a peer's request, which is neither accepted nor rejected. */
        REQUESTED,
        /** Accepted, not yet established. */
        ACCEPTING,
        ACTIVE,
        CLOSED
    }

    private final RdmaChannelConfig config = new RdmaChannelConfig(this);
    private final Handle handle = new Handle();
    private final InboundQueue inbound = new InboundQueue(this);
    private final Connection connection;

    private volatile State state;
    /** Where to connect from, if bind was called. */
    private @Nullable InetSocketAddress bound;

    private volatile @Nullable InetSocketAddress local;
    private volatile @Nullable InetSocketAddress remote;
    private volatile byte[] peerPrivateData = NONE;

    private @Nullable IoRegistration loopRegistration;
    private @Nullable ConnectAttempt connecting;
    /** Why the connection fails, until the pipeline was told. */
    private @Nullable Throwable failure;

    /** Bounds the step of the end that is under way; a timer left behind would keep the channel in memory. */
    private @Nullable Future<?> endTimer;

    private boolean peerGone;
    private boolean closing;

    /** Used by {@code Bootstrap.channel(RdmaChannel.class)}. */
    public RdmaChannel() {
        super(null);
        state = State.OPEN;
        connection = new Connection(config, this::postReceives);
    }

    /** A connection that a peer asked for. */
    RdmaChannel(Channel parent, RdmaIoHandler listenerLoop, RdmaCmId id, @Nullable ConnectionParameters peer) {
        super(parent);
        state = State.REQUESTED;
        connection = new Connection(config, this::postReceives, listenerLoop, id);
        peerPrivateData = peer != null ? peer.privateData() : NONE;
        local = listenerLoop.verbs().localAddress(id);
        remote = listenerLoop.verbs().remoteAddress(id);
    }

    @Override
    public RdmaChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isOpen() {
        return state != State.CLOSED;
    }

    @Override
    public boolean isActive() {
        return state == State.ACTIVE;
    }

    @Override
    @Nullable
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    @Nullable
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    /**
     * The private data that came with the peer's connection request or reply; empty before it came, or if there was
     * none.
     */
    public byte[] peerPrivateData() {
        return peerPrivateData.clone();
    }

    /**
     * Allocates registered memory that the peer can be shown, or that RDMA Reads can go to.
     *
     * @param lengthBytes octets, 1 to 2<sup>31</sup>-1
     * @param access      what the peer may do with it
     * @return memory with one reference, zeroed, {@link RdmaMemory#content()} having reader and writer index 0
     * @throws IOException           if the provider refuses the registration
     * @throws IllegalStateException if the channel is not connected, or the caller is not on its event loop
     */
    public RdmaMemory allocateMemory(int lengthBytes, RdmaAccess access) throws IOException {
        if (lengthBytes <= 0) {
            throw new IllegalArgumentException("lengthBytes: " + lengthBytes + " (expected: > 0)");
        }
        if (!eventLoop().inEventLoop()) {
            throw new IllegalStateException("registered memory is allocated on the channel's event loop");
        }
        if (!hasQueuePair() || state == State.CLOSED) {
            throw new IllegalStateException("registered memory needs a connection: " + this);
        }
        return new RdmaMemory(connection.device().memory().allocateExposed(lengthBytes, access.flags()), lengthBytes);
    }

    boolean hasQueuePair() {
        return connection.queuePair() != null;
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop ioLoop && ioLoop.isCompatible(RdmaIoHandle.class);
    }

    @Override
    @Nullable
    protected SocketAddress localAddress0() {
        return local;
    }

    @Override
    @Nullable
    protected SocketAddress remoteAddress0() {
        return remote;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new RdmaUnsafe();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        if (hasQueuePair()) {
            promise.setFailure(new IllegalStateException(
                    "a connected RDMA channel cannot move to another event loop: its queue pair belongs to the first"));
            return;
        }
        ((IoEventLoop) eventLoop()).register(handle).addListener(future -> {
            if (!future.isSuccess()) {
                promise.setFailure(future.cause());
                return;
            }
            IoRegistration made = (IoRegistration) future.getNow();
            loopRegistration = made;
            try {
                connection.takeOver(made.attachment());
            } catch (IOException | RuntimeException e) {
                // First, as Netty does not deregister what it did not register.
                connection.endAtListener();
                doDeregister();
                promise.setFailure(e);
                return;
            }
            promise.setSuccess();
            if (state == State.REQUESTED) {
                // Later, so that handlers are in place and channelRegistered has passed.
                eventLoop().execute(this::accept);
            }
        });
    }

    @Override
    protected void doDeregister() {
        IoRegistration present = loopRegistration;
        if (present != null) {
            loopRegistration = null;
            present.cancel(); // takes effect when all completions are in
        }
    }

    @Override
    protected void doBind(SocketAddress localAddress) {
        if (!(localAddress instanceof InetSocketAddress inet)) {
            throw new IllegalArgumentException("RDMA binds to an InetSocketAddress, not to " + localAddress);
        }
        // The provider binds when the connection is made. The address is not known before, if the port is 0, and Netty
        // would remember what localAddress() says.
        bound = inet;
    }

    private void accept() {
        if (state != State.REQUESTED) {
            return;
        }
        pipeline().fireUserEventTriggered(new RdmaPrivateDataEvent(peerPrivateData));
        if (state != State.REQUESTED) {
            return; // a handler closed the channel, which rejected the connection
        }
        try {
            state = State.ACCEPTING;
            connection.accept();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            fail(e);
        }
    }

    private void onCmEvent(RdmaCmEvent event) throws IOException {
        if (state == State.CLOSED) {
            return;
        }
        switch (event.getEvent()) {
            case RdmaCmIoEvent.ADDR_RESOLVED -> connection.resolveRoute();
            case RdmaCmIoEvent.ROUTE_RESOLVED -> connection.connect();
            case RdmaCmIoEvent.ESTABLISHED -> established(event);
            case RdmaCmIoEvent.DISCONNECTED,
                    RdmaCmIoEvent.DEVICE_REMOVAL,
                    RdmaCmIoEvent.REJECTED,
                    RdmaCmIoEvent.UNREACHABLE,
                    RdmaCmIoEvent.CONNECT_ERROR,
                    RdmaCmIoEvent.ADDR_ERROR,
                    RdmaCmIoEvent.ROUTE_ERROR -> ended(event);
            default -> logger.debug("{} ignores CM event {}", this, event.getEvent());
        }
    }

    private void established(RdmaCmEvent event) {
        if (state != State.CONNECTING && state != State.ACCEPTING) {
            return;
        }
        local = connection.localAddress();
        remote = connection.remoteAddress();
        state = State.ACTIVE;
        ConnectAttempt attempt = connecting;
        boolean wanted = true;
        if (attempt != null) {
            connecting = null;
            peerPrivateData = privateData(event);
            wanted = attempt.succeed();
            pipeline().fireUserEventTriggered(new RdmaPrivateDataEvent(peerPrivateData));
        }
        // Also if a listener has closed the channel: as everywhere in Netty, inactive comes after active.
        pipeline().fireChannelActive();
        if (wanted) {
            deliver();
        } else {
            unsafe().close(voidPromise()); // cancelled in the meantime
        }
    }

    /** The connection is over, or will not come to be. */
    private void ended(RdmaCmEvent event) {
        String reason = connection.disconnectReason();
        ConnectAttempt attempt = connecting;
        if (attempt != null) {
            connectFailed(attempt.failure(event.getEvent(), event.getStatus(), privateData(event), reason));
            return;
        }
        if (reason != null && (failure == null || failure instanceof RdmaWorkRequestException)) {
            Throwable first = failure;
            failure = new RdmaConnectionException(reason);
            if (first != null) {
                failure.addSuppressed(first);
            }
        }
        peerGone = true;
        deliver();
    }

    private byte[] privateData(RdmaCmEvent event) {
        ConnectionParameters peer = connection.verbs().peerParameters(event);
        return peer != null ? peer.privateData() : NONE;
    }

    private void connectFailed(Throwable cause) {
        ConnectAttempt attempt = connecting;
        connecting = null;
        // First closed, then told: who hears of the failure finds the channel closed.
        unsafe().close(voidPromise());
        if (attempt != null) {
            attempt.fail(cause);
        }
    }

    /** What was received is delivered as far as somebody reads; after that a lost connection becomes visible. */
    void deliver() {
        if (state == State.ACTIVE) {
            inbound.deliver();
        }
        if (peerGone && (inbound.isEmpty() || state != State.ACTIVE)) {
            end();
        }
    }

    private void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        end();
    }

    /** Tells the pipeline why, if there is a reason, and closes. */
    private void end() {
        Throwable cause = failure;
        failure = null;
        if (cause != null && !closing && state != State.CLOSED) {
            pipeline().fireExceptionCaught(cause);
        }
        unsafe().close(voidPromise());
    }

    @Override
    protected void doBeginRead() {
        inbound.beginRead();
    }

    void clearRead() {
        if (!isRegistered() || eventLoop().inEventLoop()) {
            inbound.clearRead();
        } else {
            eventLoop().execute(inbound::clearRead);
        }
    }

    private void postReceives() {
        QueuePair pair = connection.queuePair();
        if (pair != null && state != State.CLOSED) {
            try {
                pair.postReceives();
            } catch (IOException | RuntimeException e) {
                fail(e);
            }
        }
    }

    @Override
    protected Object filterOutboundMessage(Object message) throws Exception {
        if (closing) {
            throw new ClosedChannelException();
        }
        if (message instanceof ByteBuf buffer) {
            checkLength(buffer);
        } else if (message instanceof RdmaSend send) {
            checkLength(send.content());
        } else if (!(message instanceof RdmaWrite || message instanceof RdmaRead)) {
            throw new UnsupportedOperationException("an RDMA channel cannot write "
                    + message.getClass().getName() + " (expected: ByteBuf, RdmaSend, RdmaWrite or RdmaRead)");
        }
        return message;
    }

    private void checkLength(ByteBuf content) {
        int max = config.getMaxSendSize();
        if (content.readableBytes() > max) {
            throw new RdmaMessageTooLongException(content.readableBytes(), max);
        }
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        OutboundPoster poster = connection.outbound();
        if (poster != null) {
            poster.write(in);
        }
    }

    private final class Handle implements RdmaIoHandle, QueuePairOwner {

        @Override
        public void handle(IoRegistration source, IoEvent event) {
            try {
                if (event instanceof RdmaCompletion completion) {
                    QueuePair pair = connection.queuePair();
                    if (pair != null) {
                        pair.completed(completion, config.getAllocator(), this);
                    }
                } else if (event instanceof RdmaBatchEnd) {
                    batchEnded();
                } else if (event instanceof RdmaCmIoEvent cmEvent) {
                    onCmEvent(cmEvent.event());
                }
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                if (connecting != null) {
                    connectFailed(e);
                } else {
                    fail(e);
                }
            }
        }

        @Override
        public void received(ByteBuf message) {
            if (state == State.CLOSED || closing) {
                message.release();
            } else {
                inbound.add(message);
            }
        }

        @Override
        public void sendCompleted(Object message, @Nullable Throwable cause) {
            OutboundPoster poster = connection.outbound();
            assert poster != null;
            boolean told = cause == null || !closing && !peerGone;
            poster.completed(unsafe().outboundBuffer(), message, told ? cause : new ClosedChannelException());
        }

        @Override
        public void failed(Throwable cause) {
            if (failure == null && state != State.CLOSED && !closing) {
                failure = cause;
            }
        }

        @Override
        public boolean hasOutstanding() {
            return connection.hasOutstanding();
        }

        @Override
        public void unregistered() {
            if (connection.exists()) {
                // deregister() of an open channel: without its connection it is closed.
                ((RdmaUnsafe) unsafe()).closeWithoutWaiting();
            }
            stopEndTimer();
            connection.destroy();
        }

        @Override
        public void close() {
            ((RdmaUnsafe) unsafe()).closeWithoutWaiting();
            flushNow();
        }

        @Override
        public String toString() {
            return RdmaChannel.this.toString();
        }
    }

    private void batchEnded() {
        deliver();
        OutboundPoster poster = connection.outbound();
        ChannelOutboundBuffer in = unsafe().outboundBuffer();
        RdmaUnsafe unsafe = (RdmaUnsafe) unsafe();
        if (poster != null && in != null) {
            poster.removeBarriers(in);
            if (state == State.ACTIVE && !closing && failure == null && poster.hasUnposted(in)) {
                unsafe.flushAgain();
            }
        }
        unsafe.closeIfFlushed();
        if (failure != null && !peerGone && state == State.ACTIVE) {
            end(); // a request failed, so the queue pair is in error
        }
    }

    @Override
    protected void doDisconnect() {
        unsafe().close(voidPromise());
    }

    /** Called when a write fails for another reason than I/O; there is no half of a queue pair to go on with. */
    @Override
    protected void doShutdownOutput() {
        unsafe().close(voidPromise());
    }

    @Override
    protected void doClose() {
        State before = state;
        if (before == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        ConnectAttempt attempt = connecting;
        connecting = null;
        if (attempt != null) {
            attempt.fail(new ClosedChannelException());
        }
        inbound.release();
        if (hasQueuePair()) {
            connection.disconnect();
            if (before != State.ACTIVE || eventLoop().isShuttingDown()) {
                flushNow(); // nothing was sent, or there may be no later
            } else if (connection.hasOutstanding()) {
                endTimer = eventLoop().schedule(this::flushNow, CLOSE_FLUSH_MILLIS, TimeUnit.MILLISECONDS);
            }
        } else if (before == State.REQUESTED || before == State.ACCEPTING) {
            connection.reject();
        }
        if (!connection.isRegistered()) {
            connection.destroy(); // no loop will do it
        }
    }

    private void flushNow() {
        stopEndTimer();
        if (connection.hasOutstanding()) {
            connection.flush();
            if (!eventLoop().isShuttingDown()) { // the end of a loop has a bound of its own
                endTimer = eventLoop().schedule(this::abandon, ABANDON_MILLIS, TimeUnit.MILLISECONDS);
            }
        }
    }

    private void stopEndTimer() {
        Future<?> timer = endTimer;
        endTimer = null;
        if (timer != null) {
            timer.cancel(false);
        }
    }

    private void abandon() {
        if (connection.hasOutstanding()) {
            logger.warn("{}: requests did not complete in time; destroying the queue pair without", this);
            connection.abandon();
        }
    }

    private final class RdmaUnsafe extends AbstractUnsafe {

        private final List<ChannelPromise> closePromises = new ArrayList<>(1);

        @Override
        public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
            // Stays cancellable, as cancelling is how a caller gives a connection attempt up.
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            ConnectAttempt attempt = null;
            try {
                if (connecting != null) {
                    throw new ConnectionPendingException();
                }
                if (state != State.OPEN) {
                    throw new AlreadyConnectedException();
                }
                if (!(remoteAddress instanceof InetSocketAddress inet)) {
                    throw new IllegalArgumentException(
                            "RDMA connects to an InetSocketAddress, not to " + remoteAddress);
                }
                if (inet.isUnresolved()) {
                    throw new UnknownHostException(inet.getHostString());
                }
                attempt = new ConnectAttempt(inet, promise);
                connecting = attempt;
                state = State.CONNECTING;
                attempt.limit(eventLoop(), config.getConnectTimeoutMillis(), RdmaChannel.this::connectFailed);
                promise.addListener(future -> {
                    if (future.isCancelled()) {
                        connectFailed(future.cause());
                    }
                });
                connection.resolve(localAddress != null ? localAddress : bound, inet);
            } catch (IOException | RuntimeException e) {
                Throwable cause = annotateConnectException(e, remoteAddress);
                if (attempt != null) {
                    connectFailed(cause);
                } else {
                    promise.tryFailure(cause);
                }
            }
        }

        /** Goes on with what was flushed, now that the send queue has room. */
        void flushAgain() {
            flush0();
        }

        /**
         * Lets what was posted complete before the channel closes, so that a message written before a close reaches the
         * peer and its promise tells the truth.
         */
        @Override
        public void close(ChannelPromise promise) {
            if (!promise.setUncancellable()) {
                return;
            }
            QueuePair pair = connection.queuePair();
            if (state != State.ACTIVE
                    || peerGone
                    || pair == null
                    || pair.sends().outstanding() == 0
                    || eventLoop().isShuttingDown()) {
                super.close(promise);
                return;
            }
            closePromises.add(promise);
            if (closing) {
                return;
            }
            closing = true;
            endTimer = eventLoop().schedule(this::closeNow, CLOSE_FLUSH_MILLIS, TimeUnit.MILLISECONDS);
        }

        /** Closes for a loop that ends and cannot wait for what was posted. */
        void closeWithoutWaiting() {
            super.close(voidPromise());
            closeNow();
        }

        void closeIfFlushed() {
            QueuePair pair = connection.queuePair();
            if (closing && (pair == null || pair.sends().outstanding() == 0)) {
                closeNow();
            }
        }

        private void closeNow() {
            if (closePromises.isEmpty()) {
                return;
            }
            stopEndTimer();
            List<ChannelPromise> promises = new ArrayList<>(closePromises);
            closePromises.clear();
            promises.forEach(super::close);
        }
    }
}
