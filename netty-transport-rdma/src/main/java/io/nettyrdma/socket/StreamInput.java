// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.SocketChannel;
import io.nettyrdma.engine.ChannelLifecycle;
import io.nettyrdma.stream.ReceiveWindow;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

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

    private final Channel channel;
    private final ChannelLifecycle lifecycle;
    private final RdmaSocketChannelConfig config;
    private final PublishedBuffers buffers;
    private final ReceiveWindow window;
    private final StreamEnd end;
    /** Whether the peer writes no more. */
    private boolean ended;
    /** Whether the pipeline has seen the last event of the input. */
    private boolean complete;

    private boolean readPending;
    private boolean delivering;
    /** Buffers that the peer may write at once: all when it has filled one, as most connections are idle. */
    private int mostPublished;

    /**
     * @param buffers with the one that the peer knows from the beginning
     * @param first   whether another is published at once; else when the peer has sent something
     */
    StreamInput(
            Channel channel,
            ChannelLifecycle lifecycle,
            RdmaSocketChannelConfig config,
            PublishedBuffers buffers,
            ReceiveWindow window,
            StreamEnd end,
            boolean first) {
        this.channel = channel;
        this.lifecycle = lifecycle;
        this.config = config;
        this.buffers = buffers;
        this.window = window;
        this.end = end;
        mostPublished = first ? 2 : 1;
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
        return !delivering && isReadable(true);
    }

    /** Reading is off: what was asked for before does not count any more. */
    void clearRead() {
        readPending = false;
    }

    private boolean isReadable(boolean withEnd) {
        return hasUnread() || withEnd && (ended || end.isInputShutdown() || end.isReset());
    }

    boolean hasUnread() {
        return buffers.unread() > 0;
    }

    /** The peer has announced bytes. */
    void onData(int bytes) throws IOException {
        mostPublished = window.fill(bytes, buffers.placed()) ? window.mostBuffers() : Math.max(2, mostPublished);
        buffers.onWritten(bytes);
        if (end.isInputShutdown()) {
            buffers.dropUnread();
        }
    }

    /** Nothing follows, or the memory is freed; none is published any more. */
    void end() {
        ended = true;
    }

    /** The program wants no more, neither what is unread nor what follows. */
    void endByProgram() throws IOException {
        buffers.dropUnread();
    }

    /** Publishes buffers as far as SO_RCVBUF allows. */
    void publish() throws IOException {
        while (!ended && window.mayPublish() && buffers.writable() < mostPublished) {
            int bytes = bufferBytes(channel, config, window.mostBuffers());
            if (buffers.held() > 0 && buffers.held() + bytes > config.getReceiveBufferSize()) {
                return;
            }
            try {
                buffers.add(bytes);
            } catch (OutOfMemoryError e) {
                throw StreamSetup.outOfMemory(channel, config, e);
            }
            window.publish(buffers.lastAddress(), buffers.lastKey(), bytes);
        }
    }

    /**
     * Brings what was received into the pipeline as far as the channel is read, and behind it the end, as Netty's
     * channels over TCP do.
     *
     * @param withEnd whether also the end
     */
    void deliver(boolean withEnd) {
        if (delivering) {
            return;
        }
        delivering = true;
        try {
            while (readPending && isReadable(withEnd) && lifecycle.isActive()) {
                if (end.isInputShutdown() && (complete || !config.isAllowHalfClosure())) {
                    readPending = false; // there is nothing more to say
                } else {
                    read(withEnd);
                }
            }
        } finally {
            delivering = false;
        }
    }

    @SuppressWarnings("deprecation") // the handle is how Netty counts reads
    private void read(boolean withEnd) {
        ChannelPipeline pipeline = channel.pipeline();
        RecvByteBufAllocator.Handle handle = channel.unsafe().recvBufAllocHandle();
        handle.reset(config);
        boolean atEnd = false;
        Throwable failed = null;
        try {
            do {
                ByteBuf bytes = next(handle, withEnd);
                if (bytes == null) {
                    atEnd = handle.lastBytesRead() < 0;
                    readPending &= !atEnd;
                    break;
                }
                handle.incMessagesRead(1);
                handle.lastBytesRead(bytes.readableBytes());
                readPending = false; // as Netty's own transports: a read that was asked for meanwhile is this one
                pipeline.fireChannelRead(bytes);
            } while (handle.continueReading());
            publish(); // before handlers flush, so that the entries go with what they send
        } catch (Throwable e) {
            failed = e;
        }
        handle.readComplete();
        pipeline.fireChannelReadComplete();
        if (failed != null) {
            pipeline.fireExceptionCaught(failed);
        }
        if (atEnd || failed != null) {
            tellEnd(pipeline);
        }
    }

    /** Returns the next bytes, or {@code null} behind the last ones; the handle knows whether it is the end. */
    @SuppressWarnings("deprecation") // the handle is how Netty counts reads
    private @Nullable ByteBuf next(RecvByteBufAllocator.Handle handle, boolean withEnd) throws IOException {
        if (hasUnread()) {
            return buffers.read(handle, config.getAllocator());
        }
        if (withEnd && !ended && !end.isInputShutdown()) {
            end.throwReset();
        }
        handle.lastBytesRead(withEnd && (ended || end.isInputShutdown()) ? -1 : 0);
        return null;
    }

    private void tellEnd(ChannelPipeline pipeline) {
        if (!end.isInputShutdown()) {
            if (config.isAllowHalfClosure()) {
                ((SocketChannel) channel).shutdownInput();
                pipeline.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            } else {
                channel.unsafe().close(channel.unsafe().voidPromise());
            }
        } else if (!complete) {
            complete = true;
            pipeline.fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        }
    }
}
