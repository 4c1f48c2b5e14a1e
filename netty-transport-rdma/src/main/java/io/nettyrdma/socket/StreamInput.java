// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.nettyrdma.engine.ChannelLifecycle;
import io.nettyrdma.stream.ReceiveWindow;
import java.io.IOException;

/**
 * The bytes of a stream on their way in: where the peer may write, what of it is unread, and the end. Buffers are
 * published as the pipeline reads, never as it releases, and unread and published buffers together have at most
 * SO_RCVBUF bytes.
 *
 * <p>Threading: the loop's. Ownership: of the published buffers.
 */
final class StreamInput {

    /** Fewest bytes of a published buffer, unless SO_RCVBUF is too small for some of them. */
    private static final int LEAST_BYTES = 16 * 1024;

    /** What the pipeline knows of the end. */
    private enum End {
        /** It has not come. */
        NONE,
        /** It has come, and is told when all is read. */
        COMES,
        /** Told once, to a handler that may go on writing. */
        TOLD,
        /** Told for the last time. */
        COMPLETE
    }

    private final Channel channel;
    private final ChannelLifecycle lifecycle;
    private final RdmaSocketChannelConfig config;
    private final PublishedBuffers buffers;
    private final ReceiveWindow window;
    private final Runnable closed;
    private End end = End.NONE;
    /** Whether the peer writes no more. */
    private boolean ended;

    /** Whether the program has ended the input. */
    private boolean dropping;

    private boolean readPending;
    private boolean delivering;
    /** Whether the peer has filled a buffer. One that sends less has two, as most connections are idle. */
    private boolean flowing;

    /**
     * @param buffers with the one that the peer knows from the beginning
     * @param closed  told when the end was read and nothing is left but to close
     */
    StreamInput(
            Channel channel,
            ChannelLifecycle lifecycle,
            RdmaSocketChannelConfig config,
            PublishedBuffers buffers,
            ReceiveWindow window,
            Runnable closed) {
        this.channel = channel;
        this.lifecycle = lifecycle;
        this.config = config;
        this.buffers = buffers;
        this.window = window;
        this.closed = closed;
    }

    /** Bytes of the next buffer, if so many can be published at once. */
    @SuppressWarnings("deprecation") // the handle is how Netty predicts
    static int bufferBytes(Channel channel, RdmaSocketChannelConfig config, int mostBuffers) {
        int guess = channel.unsafe().recvBufAllocHandle().guess();
        int wanted = Math.max(LEAST_BYTES, Integer.highestOneBit(Math.max(1, guess - 1)) << 1);
        return Math.max(1, Math.min(wanted, config.getReceiveBufferSize() / mostBuffers));
    }

    /** A read was asked for; returns whether there is something to deliver. */
    boolean beginRead() {
        readPending = true;
        return !delivering && isReadable();
    }

    /** Reading is off: what was asked for before does not count any more. */
    void clearRead() {
        readPending = false;
    }

    private boolean isReadable() {
        return hasUnread() || end == End.COMES || end == End.TOLD;
    }

    boolean hasUnread() {
        return buffers.unread() > 0;
    }

    /** The peer has announced bytes. */
    void onData(int bytes) throws IOException {
        flowing |= window.fill(bytes, buffers.placed());
        buffers.onWritten(bytes);
        if (dropping) {
            buffers.dropUnread();
        }
    }

    /** Drops what is unread. */
    void drop() throws IOException {
        buffers.dropUnread();
    }

    /** Nothing follows. */
    void end() {
        ended = true;
        if (end == End.NONE) {
            end = End.COMES;
        }
    }

    /** The memory is freed, and none is published any more. */
    void close() {
        ended = true;
    }

    /** The program wants no more, neither what is unread nor what follows; it knows of the end. */
    void endByProgram() throws IOException {
        dropping = true;
        buffers.dropUnread();
        if (end == End.NONE || end == End.COMES) {
            end = End.TOLD;
        }
    }

    /** Publishes buffers as far as SO_RCVBUF allows. */
    void publish() throws IOException {
        while (!ended && window.mayPublish() && (flowing || buffers.writable() < 2)) {
            int bytes = bufferBytes(channel, config, window.mostBuffers());
            if (buffers.held() > 0 && buffers.held() + bytes > config.getReceiveBufferSize()) {
                return;
            }
            buffers.add(bytes);
            window.publish(buffers.lastAddress(), buffers.lastKey(), bytes);
        }
    }

    /**
     * Brings what was received into the pipeline as far as the channel is read, and behind it the end. A handler that
     * may go on writing hears of the end also if it does not read, when nothing is unread: there is nothing it could
     * hold back.
     */
    void deliver() throws IOException {
        if (delivering) {
            return;
        }
        delivering = true;
        try {
            while (readPending && isReadable() && lifecycle.isActive() && lifecycle.mayTakeOn()) {
                readPending = false;
                read();
            }
            while (!hasUnread()
                    && lifecycle.mayTakeOn()
                    && config.isAllowHalfClosure()
                    && (end == End.COMES || end == End.TOLD)) {
                tellEnd(channel.pipeline());
            }
        } finally {
            delivering = false;
        }
    }

    @SuppressWarnings("deprecation") // the handle is how Netty counts reads
    private void read() throws IOException {
        ChannelPipeline pipeline = channel.pipeline();
        RecvByteBufAllocator.Handle handle = channel.unsafe().recvBufAllocHandle();
        handle.reset(config);
        boolean atEnd = false;
        do {
            if (!hasUnread()) {
                atEnd = end != End.NONE;
                handle.lastBytesRead(atEnd ? -1 : 0);
                break;
            }
            ByteBuf bytes = buffers.read(handle, config.getAllocator());
            handle.incMessagesRead(1);
            handle.lastBytesRead(bytes.readableBytes());
            readPending = false; // as Netty's own transports: a read that was asked for meanwhile is this one
            pipeline.fireChannelRead(bytes);
        } while (handle.continueReading());
        handle.readComplete();
        publish(); // before handlers flush, so that the entries go with what they send
        pipeline.fireChannelReadComplete();
        if (atEnd) {
            tellEnd(pipeline);
        }
    }

    private void tellEnd(ChannelPipeline pipeline) {
        if (end == End.COMES && config.isAllowHalfClosure()) {
            end = End.TOLD;
            pipeline.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        } else if (end == End.COMES) {
            end = End.COMPLETE;
            closed.run();
        } else if (end == End.TOLD) {
            end = End.COMPLETE;
            pipeline.fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        }
    }
}
