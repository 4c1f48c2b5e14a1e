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

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
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
 * replacement for a byte stream. Where nobody counts, {@code autoRead=false} is no back-pressure but a deadline: when
 * the posted receives are used up, the peer's next message waits for {@link
 * RdmaChannelConfig#getReceiverNotReadyTimeoutMillis()}, a second with the software provider unless set and not at all
 * with others, and then the connection ends.
 *
 * <p>A write's promise succeeds when the request has completed: for a Send or Write the local buffer may be reused, for
 * a Read the data is there. That a Send or Write has completed does not mean that it was delivered: with iWARP the
 * octets are on their way, with InfiniBand they have reached the peer's device, and whether the peer's application ever
 * sees them only its answer tells. Messages whose promises have succeeded are lost with the connection. An empty {@code
 * ByteBuf} sends nothing and succeeds when all before it has completed. A message longer than {@link
 * RdmaChannelConfig#getMaxSendSize()} fails with {@link RdmaMessageTooLongException}, one that the provider has no
 * request for with {@link RdmaUnsupportedException}, before anything is posted.
 *
 * <p>A connection that ends other than in an orderly way fires {@link RdmaConnectionException}, {@link
 * RdmaWorkRequestException}, {@link RdmaProgressTimeoutException} or {@link RdmaDeviceException} through the pipeline
 * before it becomes inactive.
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
    private final ChannelLifecycle lifecycle;
    private final VerbsConnection connection;
    private final OrderlyClose orderlyClose;
    private final MessageExchange messages;
    private final Establishment establishment;
    private final ChannelHandle handle;

    /** Where to connect from, if bind was called. */
    private @Nullable InetSocketAddress bound;

    private @Nullable IoRegistration loopRegistration;

    /** Used by {@code Bootstrap.channel(RdmaChannel.class)}. */
    public RdmaChannel() {
        this(null, null);
    }

    /**
     * A channel of either side.
     *
     * @param request what a peer asks for, or {@code null} for a channel that is to connect
     */
    RdmaChannel(@Nullable Channel parent, @Nullable ConnectionRequest request) {
        super(parent);
        RdmaUnsafe unsafe = (RdmaUnsafe) unsafe();
        lifecycle = request == null ? ChannelLifecycle.open() : ChannelLifecycle.requested();
        connection = new VerbsConnection(this::fail, request);
        orderlyClose = new OrderlyClose(this, unsafe, lifecycle, connection);
        messages = new MessageExchange(this, unsafe, config, lifecycle, connection, orderlyClose);
        establishment = new Establishment(
                this, lifecycle, connection, orderlyClose, config.terms(), messages::deliver, request);
        handle = new ChannelHandle(this, lifecycle, connection, establishment, orderlyClose, messages);
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
        return lifecycle.isOpen();
    }

    @Override
    public boolean isActive() {
        return lifecycle.isActive();
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
        RegisteredMemoryPool pool = memoryToExpose();
        MemoryWindows windows = windowsFor(access);
        RegisteredByteBuf memory = windows == null
                ? pool.allocateExposed(lengthBytes, access.flags())
                : bound(pool.allocateExposed(lengthBytes, RegisteredMemoryPool.WINDOW_ACCESS), windows, access);
        return new RdmaMemory(memory, lengthBytes);
    }

    /**
     * Registers the readable octets of a buffer under a key of their own, so that the peer can be shown them without a
     * copy. The key ends with {@link RdmaMemory#invalidate()} or the last release of the returned memory.
     *
     * @param buffer direct, of one component, with at least one readable octet, and not read-only; its reference is
     *               taken over, whatever happens. Its indices do not matter any more afterwards
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
        MemoryWindows windows = windowsFor(access);
        RegisteredByteBuf exposed = windows == null
                ? memory.expose(buffer, access.flags())
                : bound(memory.exposeForWindow(buffer), windows, access);
        return new RdmaMemory(exposed, lengthBytes);
    }

    /** What such an exposure needs to be of, if a key of its own is not what the peer is shown. */
    private @Nullable MemoryWindows windowsFor(RdmaAccess access) {
        QueuePair pair = connection.queuePair();
        return pair == null || !MemoryWindows.isExposed(access.flags()) ? null : pair.windows();
    }

    /** Binds a window to all of it, by a request in front of whatever is written from now on. */
    private static RegisteredByteBuf bound(RegisteredByteBuf memory, MemoryWindows windows, RdmaAccess access)
            throws IOException {
        try {
            memory.slab().bind(windows, access.flags());
            return memory;
        } catch (Throwable e) {
            memory.release();
            throw e;
        }
    }

    /**
     * Whether {@link RdmaSend#invalidating} can be sent. Known with {@link RdmaDeviceEvent}; before, what holds for all
     * devices of the provider, and {@code false} before the channel is registered.
     */
    public boolean canSendWithInvalidate() {
        return connection.isRegistered() && connection.capabilities().sendInvalidate();
    }

    /**
     * Whether the peer may name memory of this channel in a Send with Invalidate, after which {@link
     * RdmaKeyInvalidatedEvent} is fired. Where it may not, the connection ends if it does. Known as {@link
     * #canSendWithInvalidate} is.
     */
    public boolean canBeInvalidatedByPeer() {
        return connection.isRegistered() && connection.capabilities().remoteInvalidation();
    }

    private RegisteredMemoryPool memoryToExpose() throws IOException {
        if (!eventLoop().inEventLoop()) {
            throw new IllegalStateException("memory is registered on the channel's event loop");
        }
        if (!hasQueuePair() || !lifecycle.isOpen()) {
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
        return establishment.localAddress();
    }

    @Override
    @Nullable
    protected SocketAddress remoteAddress0() {
        return establishment.remoteAddress();
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
            if (lifecycle.mayAccept()) {
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
            if (lifecycle.isConnecting()) {
                eventLoop().execute(handle::close); // nothing completes before the peer answers
            }
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

    private void fail(Throwable cause) {
        orderlyClose.fail(cause);
    }

    @Override
    protected void doBeginRead() {
        messages.beginRead();
    }

    void clearRead() {
        if (!isRegistered() || eventLoop().inEventLoop()) {
            messages.clearRead();
        } else {
            eventLoop().execute(messages::clearRead);
        }
    }

    @Override
    protected Object filterOutboundMessage(Object message) throws Exception {
        messages.check(message);
        return message;
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        messages.write(in);
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
        boolean wasActive = lifecycle.isActive();
        boolean unanswered = lifecycle.mayAccept();
        if (lifecycle.close()) {
            // Netty closes a channel that cannot be registered on another loop, on that loop.
            connection.runOnItsLoop(() -> end(wasActive, unanswered));
        }
    }

    private void end(boolean wasActive, boolean unanswered) {
        establishment.onClosed();
        messages.onClosed();
        if (unanswered) {
            connection.reject(config.getPrivateData());
        }
        orderlyClose.onClosed(wasActive);
        if (!connection.isRegistered()) {
            connection.destroy(); // no loop will do it
        }
    }

    private final class RdmaUnsafe extends AbstractUnsafe implements ConnectionUnsafe {

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
                    establishment.onFailure(cause);
                } else {
                    promise.tryFailure(cause);
                }
            }
        }

        @Override
        public void flushAgain() {
            flush0();
        }

        /** Lets what was posted complete before the channel closes. */
        @Override
        public void close(ChannelPromise promise) {
            orderlyClose.close(promise);
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
