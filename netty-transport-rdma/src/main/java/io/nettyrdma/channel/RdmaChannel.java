// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.nettyrdma.engine.AbstractRdmaChannel;
import io.nettyrdma.engine.ConnectionRequest;
import io.nettyrdma.engine.ConnectionTerms;
import io.nettyrdma.engine.Exchange;
import io.nettyrdma.engine.MemoryWindows;
import io.nettyrdma.engine.QueuePair;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.error.RdmaDeviceException;
import io.nettyrdma.error.RdmaMessageTooLongException;
import io.nettyrdma.error.RdmaProgressTimeoutException;
import io.nettyrdma.error.RdmaUnsupportedException;
import io.nettyrdma.error.RdmaWorkRequestException;
import io.nettyrdma.internal.FlowControlled;
import io.nettyrdma.memory.RegisteredByteBuf;
import io.nettyrdma.memory.RegisteredMemoryPool;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An RDMA connection that keeps message boundaries: one written {@link ByteBuf} is one RDMA Send, one received Send is
 * one inbound {@code ByteBuf}. RDMA Writes and Reads are written into the pipeline as {@link RdmaWrite} and {@link
 * RdmaRead}; everything written before a flush is posted as one batch, in order.
 *
 * <p>The peer's posted receives are the only flow control. The protocol above must keep the number of unanswered
 * messages below the peer's receive count, as RPC-over-RDMA does with its credits. This channel is therefore no
 * replacement for a byte stream. Without such a protocol, {@code autoRead=false} does not slow the peer down. It gives
 * this side a time limit: once the posted receives are used up, the peer's next message waits for {@link
 * RdmaChannelConfig#getReceiverNotReadyTimeoutMillis()} (default: one second with the software provider, no wait with
 * others). Then the connection ends.
 *
 * <p>A write's promise succeeds when the request has completed: for a Send or Write the local buffer may be reused, for
 * a Read the data has arrived. A completed Send or Write is not necessarily delivered: with iWARP its bytes are on
 * their way, with InfiniBand they have reached the peer's device. Only an answer proves that the peer's application has
 * seen them. A connection that ends may lose messages whose promises have succeeded. An empty {@code ByteBuf} sends
 * nothing and succeeds when all writes before it have completed. A message longer than {@link
 * RdmaChannelConfig#getMaxSendSize()} fails with {@link RdmaMessageTooLongException}, one that the provider does not
 * support with {@link RdmaUnsupportedException}, before anything is posted.
 *
 * <p>An accepted channel may be written to from {@code channelRegistered} and {@code initChannel} on: what is flushed
 * leaves when the channel is active, before what is written then. A channel that connects keeps what is written before,
 * but a flush fails it with {@link java.nio.channels.NotYetConnectedException}. Both is as with TCP.
 *
 * <p>A connection that does not end in an orderly way fires {@link RdmaConnectionException}, {@link
 * RdmaWorkRequestException}, {@link RdmaProgressTimeoutException} or {@link RdmaDeviceException} through the pipeline
 * before it becomes inactive.
 *
 * <p>Threading: as any Netty channel. Ownership: the channel owns its queue pair and its connection id until all
 * completions have arrived, possibly after {@code closeFuture()}. Received buffers belong to the pipeline, even after
 * the channel is closed.
 */
@SuppressWarnings("exports") // what it extends is not for programs
public final class RdmaChannel extends AbstractRdmaChannel {

    // 32 messages per read: each batch costs its handlers a flush, and a flush a system call; but the peer can answer
    // the first batch while the second is handled.
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 32);

    private final RdmaChannelConfig config = new RdmaChannelConfig(this);
    private final MessageExchange messages;

    /** Used by {@code Bootstrap.channel(RdmaChannel.class)}. */
    public RdmaChannel() {
        this(null, null);
    }

    /**
     * A channel of either side.
     *
     * @param request the peer's request, or {@code null} for a channel that will connect
     */
    RdmaChannel(@Nullable Channel parent, @Nullable ConnectionRequest request) {
        super(parent, request);
        messages = new MessageExchange(this, config);
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
    protected Exchange exchange() {
        return messages;
    }

    @Override
    protected ConnectionTerms terms() {
        return config.terms();
    }

    /**
     * Returns the private data of the peer's connection request or reply; empty if the peer sent none, or before it
     * arrives.
     */
    public byte[] peerPrivateData() {
        return establishment.peerPrivateData();
    }

    /**
     * Allocates registered memory to advertise to the peer, or to use as the target of RDMA Reads.
     *
     * @param lengthBytes bytes, 1 to 2<sup>31</sup>-1
     * @param access      the peer's rights to the memory
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
        return new RdmaMemory(memory, lengthBytes, connection.verbs());
    }

    /**
     * Registers the readable bytes of a buffer under a key of their own, to advertise them to the peer without a copy.
     * The key ends with {@link RdmaMemory#invalidate()} or the last release of the returned memory.
     *
     * @param buffer direct, of one component, with at least one readable byte, and not read-only. This method always
     *               takes over its reference, even if it fails. Later changes of its indices have no effect
     * @param access the peer's rights to the memory
     * @return memory with one reference, whose {@link RdmaMemory#content()} has exactly these bytes, readable
     * @throws IOException              if the provider refuses the registration
     * @throws IllegalArgumentException if the buffer is of another kind
     * @throws IllegalStateException    if the channel is not connected, or the caller is not on its event loop
     */
    public RdmaMemory registerMemory(ByteBuf buffer, RdmaAccess access) throws IOException {
        final RegisteredMemoryPool memory;
        try {
            if (!buffer.isDirect() || buffer.nioBufferCount() != 1 || !buffer.isReadable() || buffer.isReadOnly()) {
                throw new IllegalArgumentException(
                        "buffer: " + buffer + " (expected: one direct, writable buffer with readable bytes)");
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
        return new RdmaMemory(exposed, lengthBytes, connection.verbs());
    }

    /** Returns the windows to expose memory by, or {@code null} if it keeps its own key. */
    private @Nullable MemoryWindows windowsFor(RdmaAccess access) {
        QueuePair pair = connection.queuePair();
        return pair == null || !MemoryWindows.isExposed(access.flags()) ? null : pair.windows();
    }

    /** Binds a window to all of the memory, by a request before all later writes. */
    private static RegisteredByteBuf bound(RegisteredByteBuf memory, MemoryWindows windows, RdmaAccess access)
            throws IOException {
        try {
            memory.exposeBy(windows.bind(memory.region(), memory.address(0), memory.capacity(), access.flags()));
            return memory;
        } catch (Throwable e) {
            memory.release();
            throw e;
        }
    }

    /**
     * Returns whether {@link RdmaSend#invalidating} can be sent. The answer is final with {@link RdmaDeviceEvent}.
     * Before, it holds for all devices of the provider, and is {@code false} before the channel is registered.
     */
    public boolean canSendWithInvalidate() {
        return connection.isRegistered() && connection.capabilities().sendInvalidate();
    }

    /**
     * Returns whether the peer may invalidate memory of this channel by a Send with Invalidate, which fires {@link
     * RdmaKeyInvalidatedEvent}. If not, such a Send ends the connection. The answer is final when that of {@link
     * #canSendWithInvalidate} is.
     */
    public boolean canBeInvalidatedByPeer() {
        return connection.isRegistered() && connection.capabilities().remoteInvalidation();
    }

    private RegisteredMemoryPool memoryToExpose() throws IOException {
        if (!eventLoop().inEventLoop()) {
            throw new IllegalStateException("not on the channel's event loop; register memory there");
        }
        if (!hasQueuePair() || !lifecycle.isOpen()) {
            throw new IllegalStateException("not connected: " + this + "; register memory on an open connection");
        }
        return connection.device().memory();
    }

    boolean hasQueuePair() {
        return connection.queuePair() != null;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new MessageUnsafe();
    }

    @Override
    protected void doBeginRead() {
        messages.beginRead();
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

    /**
     * Called when a write fails for another reason than I/O. A queue pair has no half close, so this closes the
     * channel.
     */
    @Override
    protected void doShutdownOutput() {
        unsafe().close(voidPromise());
    }

    @Override
    protected void doClose() {
        closeConnection(config.getPrivateData());
    }

    private final class MessageUnsafe extends ConnectionUnsafe implements FlowControlled {

        @Override
        public void readAlways() {
            messages.readAlways();
        }
    }
}
