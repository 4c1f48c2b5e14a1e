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

import com.ibm.disni.verbs.RdmaCmId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.nettyrdma.verbs.ConnectionParameters;
import io.nettyrdma.verbs.RequestGoneException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * An RDMA connection that keeps message boundaries: one written {@link ByteBuf} is one RDMA Send, one received Send is
 * one inbound {@code ByteBuf}. RDMA Writes and Reads are written into the pipeline as {@link RdmaWrite} and {@link
 * RdmaRead}; everything written before a flush is posted as one batch, in order.
 *
 * <p>There is no flow control but the peer's posted receives. A protocol above, such as RPC-over-RDMA with its credits,
 * has to keep the number of unanswered messages below the peer's receive count. This channel is therefore no
 * replacement for a byte stream. Where nobody counts, {@code autoRead=false} is no back-pressure but a deadline: when the
 * posted receives are used up, the peer's next message waits for {@link
 * RdmaChannelConfig#getReceiverNotReadyTimeoutMillis()}, a second with the software provider unless set and not at all
 * with others, and then the connection ends.
 *
 * <p>A write's promise succeeds when the request has completed: for a Send or Write the local buffer may be reused, for
 * a Read the data is there. That a Send or Write has completed does not mean that it was delivered: with iWARP the octets
 * are on their way, with InfiniBand they have reached the peer's device, and whether the peer's application ever sees
 * them only its answer tells. Messages whose promises have succeeded are lost with the connection. An empty {@code ByteBuf} sends nothing and succeeds when all before it has completed. A
 * message longer than {@link RdmaChannelConfig#getMaxSendSize()} fails with {@link RdmaMessageTooLongException}, one that
 * the provider has no request for with {@link RdmaUnsupportedException}, before anything is posted.
 *
 * <p>A connection that ends other than in an orderly way fires {@link RdmaConnectionException}, {@link
 * RdmaWorkRequestException}, {@link RdmaProgressTimeoutException} or {@link RdmaDeviceException} through the pipeline before it becomes inactive.
 *
 * <p>Threading: as any Netty channel. Ownership: the channel owns its queue pair and its connection id until all
 * completions are in, which may be after {@code closeFuture()}; received buffers belong to the pipeline, also after the
 * channel is closed.
 */
public final class RdmaChannel extends AbstractChannel {

    // 32 messages per read: each batch costs its handlers a flush, and a flush a system call; but the peer can answer
    // the first batch while the second is handled.
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 32);

    private final RdmaChannelConfig config = new RdmaChannelConfig(this);
    private final DeliveryQueue inbound = new DeliveryQueue(this);
    private final VerbsConnection connection;
    private final Establishment establishment;
    private final OrderlyClose orderlyClose;
    private final ChannelHandle handle;
    private final SendProgress progress = new SendProgress(new PostedRequests());

    private volatile ChannelState state;
    /** Where to connect from, if bind was called. */
    private @Nullable InetSocketAddress bound;

    private volatile @Nullable InetSocketAddress local;
    private volatile @Nullable InetSocketAddress remote;

    private @Nullable IoRegistration loopRegistration;
    /** Why the connection fails, until the pipeline was told. */
    private @Nullable Throwable failure;

    /** Whether requests were flushed for a reason that the pipeline was not told; also a close that follows waits for it. */
    private boolean unexplained;

    private boolean peerGone;

    /** Used by {@code Bootstrap.channel(RdmaChannel.class)}. */
    public RdmaChannel() {
        super(null);
        state = ChannelState.OPEN;
        connection = new VerbsConnection(config, this::postReceives);
        establishment = new Establishment(this, connection, null);
        orderlyClose = new OrderlyClose(this, connection);
        handle = new ChannelHandle(this, connection, establishment, orderlyClose, inbound);
    }

    /** A connection that a peer asked for. */
    RdmaChannel(Channel parent, RdmaIoHandler listenerLoop, RdmaCmId id, @Nullable ConnectionParameters peer) {
        super(parent);
        state = ChannelState.REQUESTED;
        connection = new VerbsConnection(config, this::postReceives, listenerLoop, id);
        establishment = new Establishment(this, connection, peer);
        orderlyClose = new OrderlyClose(this, connection);
        handle = new ChannelHandle(this, connection, establishment, orderlyClose, inbound);
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
        return state != ChannelState.CLOSED;
    }

    @Override
    public boolean isActive() {
        return state == ChannelState.ACTIVE;
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
        return establishment.peerPrivateData();
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
        return new RdmaMemory(memoryToExpose().allocateExposed(lengthBytes, access.flags()), lengthBytes);
    }

    /**
     * Registers the readable octets of a buffer under a key of their own, so that the peer can be shown them without a
     * copy. The key ends with {@link RdmaMemory#invalidate()} or the last release of the returned memory.
     *
     * @param buffer direct, of one component, with at least one readable octet, and not read-only; its reference is taken
     *               over, whatever happens. Its indices do not matter any more afterwards
     * @param access what the peer may do with it
     * @return memory with one reference, whose {@link RdmaMemory#content()} has exactly these octets, readable
     * @throws IOException              if the provider refuses the registration
     * @throws IllegalArgumentException if the buffer is none of that kind
     * @throws IllegalStateException    if the channel is not connected, or the caller is not on its event loop
     */
    public RdmaMemory registerMemory(ByteBuf buffer, RdmaAccess access) throws IOException {
        final RegisteredMemoryPool memory;
        try {
            if (!buffer.isDirect() || buffer.nioBufferCount() != 1 || !buffer.isReadable() || buffer.isReadOnly()) {
                throw new IllegalArgumentException("only readable octets of one writable direct buffer: " + buffer);
            }
            memory = memoryToExpose();
        } catch (Throwable e) {
            buffer.release();
            throw e;
        }
        int lengthBytes = buffer.readableBytes();
        return new RdmaMemory(memory.expose(buffer, access.flags()), lengthBytes);
    }

    /**
     * Whether {@link RdmaSend#invalidating} can be sent: the provider understands Send with Invalidate. Known once the
     * channel is registered, {@code false} before.
     */
    public boolean canSendWithInvalidate() {
        return connection.isRegistered() && connection.verbs().capabilities().sendInvalidate();
    }

    /**
     * Whether the peer may name memory of this channel in a Send with Invalidate, after which {@link
     * RdmaKeyInvalidatedEvent} is fired. Where it may not, the connection ends if it does. Known once the channel is
     * registered, {@code false} before.
     */
    public boolean canBeInvalidatedByPeer() {
        return connection.isRegistered() && connection.verbs().capabilities().remoteInvalidation();
    }

    private RegisteredMemoryPool memoryToExpose() throws IOException {
        if (!eventLoop().inEventLoop()) {
            throw new IllegalStateException("memory is registered on the channel's event loop");
        }
        if (!hasQueuePair() || state == ChannelState.CLOSED) {
            throw new IllegalStateException("registered memory needs a connection: " + this);
        }
        return connection.device().memory();
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
            } catch (RequestGoneException e) {
                // Not a registration that fails: Netty would write a stack trace for whoever connects and hangs up.
                connection.endAtListener();
                promise.setSuccess();
                eventLoop()
                        .execute(() -> fail(new RdmaConnectionException(
                                "the peer hung up before its connection could be accepted")));
                return;
            } catch (Throwable e) {
                // First, as Netty does not deregister what it did not register.
                connection.endAtListener();
                doDeregister();
                promise.setFailure(e);
                return;
            }
            promise.setSuccess();
            if (state == ChannelState.REQUESTED) {
                // Later, so that handlers are in place and channelRegistered has passed.
                eventLoop().execute(establishment::accept);
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

    ChannelState state() {
        return state;
    }

    void state(ChannelState next) {
        state = next;
    }

    void addresses(@Nullable InetSocketAddress localAddress, @Nullable InetSocketAddress remoteAddress) {
        local = localAddress;
        remote = remoteAddress;
    }

    /** Whether requests can still complete: there is a connection, as far as this side knows. */
    boolean isUsable() {
        return state == ChannelState.ACTIVE && !peerGone;
    }

    boolean isPeerGone() {
        return peerGone;
    }

    /** Whether what is flushed may be posted. */
    boolean canPost() {
        return state == ChannelState.ACTIVE && !orderlyClose.hasBegun() && failure == null;
    }

    /** Goes on with what was flushed, now that the send queue has room. */
    void flushAgain() {
        ((RdmaUnsafe) unsafe()).flushAgain();
    }

    /** The connection is over, for {@code reason} if it was not in an orderly way. */
    void peerGone(@Nullable String reason) {
        if (reason != null && (failure == null || failure instanceof RdmaWorkRequestException)) {
            Throwable first = failure;
            failure = new RdmaConnectionException(reason);
            if (first != null) {
                failure.addSuppressed(first);
            }
        }
        peerGone = true;
        deliver();
        orderlyClose.closeIfFlushed(); // which may have waited for the reason
    }

    /** What was received is delivered as far as somebody reads; after that a lost connection becomes visible. */
    void deliver() {
        if (state == ChannelState.ACTIVE) {
            inbound.deliver();
        }
        if (peerGone && (inbound.isEmpty() || state != ChannelState.ACTIVE)) {
            end();
        }
    }

    /** A received message as the pipeline gets it; {@code null} if there is no memory for it, which ends the channel. */
    @Nullable
    ByteBuf delivering(RegisteredByteBuf message) {
        QueuePair pair = connection.queuePair();
        if (pair == null) {
            return RdmaByteBufAllocator.leakAware(message);
        }
        try {
            return pair.delivering(message, config.getAllocator());
        } catch (Throwable e) {
            fail(e);
            return null;
        }
    }

    /** A received message that the pipeline does not get. */
    void discard(RegisteredByteBuf message) {
        QueuePair pair = connection.queuePair();
        if (pair == null) {
            message.release();
        } else {
            pair.discard(message);
        }
    }

    void fail(Throwable cause) {
        failLater(cause);
        end();
    }

    /** Closes at once, because nothing completes any more; what was not yet done fails with the same cause. */
    void failNow(Throwable cause) {
        if (state == ChannelState.CLOSED) {
            return;
        }
        failure = cause;
        tellFailure();
        ((RdmaUnsafe) unsafe()).closeNow(cause);
    }

    /** Remembers why the channel fails, until the batch of completions at hand has been handled. */
    void failLater(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    /** A request failed, so the queue pair is in error; if the peer has gone, its messages are delivered first. */
    void endIfFailed() {
        if (failure != null && isUsable()) {
            end();
        }
    }

    /** Closes, which tells the pipeline why, if there is a reason. */
    private void end() {
        unsafe().close(voidPromise());
    }

    /** A request was flushed, and neither side has begun to close: if the reason is not known, it is still to come. */
    void flushed() {
        unexplained = failure == null;
    }

    /** Whether requests were flushed and a reason for it will be known soon. */
    boolean awaitsReason() {
        return unexplained && failure == null && !peerGone;
    }

    /** Whether a failure is the pipeline's business: not that of a channel which is being closed for no failure. */
    boolean mayTellFailure() {
        return state != ChannelState.CLOSED && (unexplained || !orderlyClose.hasBegun());
    }

    /** Tells the pipeline why the channel fails, if that is known and was not told. */
    void tellFailure() {
        Throwable cause = failure;
        failure = null;
        if (cause != null && mayTellFailure()) {
            unexplained = false;
            pipeline().fireExceptionCaught(cause);
        }
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
        if (pair != null && state != ChannelState.CLOSED) {
            try {
                pair.postReceives();
            } catch (Throwable e) {
                fail(e);
            }
        }
    }

    @Override
    protected Object filterOutboundMessage(Object message) throws Exception {
        if (orderlyClose.hasBegun()) {
            throw new ClosedChannelException();
        }
        OutboundMessages.check(message, config, connection);
        return message;
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        OutboundPoster poster = connection.outbound();
        if (poster != null) {
            poster.write(in);
            progress.posted(eventLoop(), config.getProgressTimeoutMillis());
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
        ChannelState before = state;
        if (before == ChannelState.CLOSED) {
            return;
        }
        state = ChannelState.CLOSED;
        progress.stop();
        establishment.closed();
        inbound.release();
        if (!hasQueuePair() && (before == ChannelState.REQUESTED || before == ChannelState.ACCEPTING)) {
            connection.reject();
        }
        orderlyClose.closed(before == ChannelState.ACTIVE);
        if (!connection.isRegistered()) {
            connection.destroy(); // no loop will do it
        }
    }

    /** Closes as Netty knows it, whatever is posted. */
    void closeNow(ChannelPromise promise) {
        tellFailure();
        ((RdmaUnsafe) unsafe()).closeNow(promise);
    }

    /** The requests of the queue pair, for whoever watches over their progress. */
    private final class PostedRequests implements SendProgress.Requests {

        @Override
        public boolean areOutstanding() {
            QueuePair pair = connection.queuePair();
            return pair != null && pair.sends().outstanding() > 0;
        }

        @Override
        public long moved() {
            QueuePair pair = connection.queuePair();
            return pair == null ? 0 : pair.moved();
        }

        @Override
        public void areStuck(int timeoutMillis) {
            failNow(new RdmaProgressTimeoutException("no octet of the requests for " + remote + " has moved for "
                    + timeoutMillis + " ms; the peer does not read or answer"
                    + " (RDMA_PROGRESS_TIMEOUT_MILLIS=" + config.getProgressTimeoutMillis() + ')'));
        }
    }

    private final class RdmaUnsafe extends AbstractUnsafe {

        @Override
        public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
            // Stays cancellable, as cancelling is how a caller gives a connection attempt up.
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                establishment.connect(remoteAddress, localAddress != null ? localAddress : bound, promise);
            } catch (Throwable e) {
                Throwable cause = annotateConnectException(e, remoteAddress);
                if (establishment.isFor(promise)) {
                    establishment.failed(cause);
                } else {
                    promise.tryFailure(cause);
                }
            }
        }

        void flushAgain() {
            flush0();
        }

        /** Lets what was posted complete before the channel closes. */
        @Override
        public void close(ChannelPromise promise) {
            orderlyClose.close(promise);
        }

        void closeNow(ChannelPromise promise) {
            super.close(promise);
        }

        void closeNow(Throwable cause) {
            ClosedChannelException closed = new ClosedChannelException();
            closed.initCause(cause);
            super.close(voidPromise(), cause, closed);
        }
    }
}
