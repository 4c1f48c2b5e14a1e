// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.PendingWriteQueue;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaSend;
import io.nettyrdma.error.RdmaMessageTooLongException;
import io.nettyrdma.flow.protocol.FlowExchange;
import io.nettyrdma.flow.protocol.FlowOffer;
import io.nettyrdma.flow.protocol.FlowTrailer;
import java.util.ArrayDeque;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What is written to a channel with flow control: messages go on with their trailers as long as there are credits, in
 * pieces if they are longer than the peer's receives. The others wait in the order in which they were written, and
 * count for {@code isWritable()}.
 *
 * <p>A message that waits may be cancelled until its first piece is written.
 *
 * <p>The trailer is appended in place if the buffer has room and no other reference; otherwise the message is copied.
 *
 * <p>A message that was counted has to be sent: without it, this side and the peer would count differently. All that
 * may fail is therefore done before. If a piece or a message without data fails nevertheless, the channel closes.
 *
 * <p>Threading: the loop's. Ownership: of what waits.
 */
final class FlowOutput {

    /** A message whose promise waits for the peer's handler. */
    private record Unconfirmed(int number, ChannelPromise promise) {}

    private final ChannelHandlerContext context;
    private final RdmaChannel channel;
    private final FlowExchange exchange;
    private final boolean confirms;
    /** Allocates registered copies, so that the channel makes no other copy. */
    private final IntFunction<ByteBuf> copies;

    private final int peerPieceBytes;
    private final int maxMessageBytes;
    private final PendingWriteQueue waiting;
    /** Promises of the messages that wait, in the same order: the queue shows one only with a removed message. */
    private final ArrayDeque<ChannelPromise> promises = new ArrayDeque<>(0);

    private final ArrayDeque<Unconfirmed> unconfirmed = new ArrayDeque<>(0);

    /** How many messages that wait were flushed. */
    private int flushed;
    /** Whether the oldest message that waits was sent in part. */
    private boolean begun;

    private long takenBytes;

    FlowOutput(
            ChannelHandlerContext context,
            RdmaChannel channel,
            FlowExchange exchange,
            FlowOffer peer,
            boolean confirms,
            IntFunction<ByteBuf> copies) {
        this.context = context;
        this.channel = channel;
        this.exchange = exchange;
        this.confirms = confirms;
        this.copies = copies;
        peerPieceBytes = peer.pieceBytes();
        maxMessageBytes = peer.maxMessageBytes();
        waiting = new PendingWriteQueue(context);
    }

    /** Writes a message, or lets it wait. */
    void write(Object message, ChannelPromise promise) {
        if (cannotBeSent(message)) {
            context.write(message, promise); // which fails it
            return;
        }
        ByteBuf content = content(message);
        if (content != null && content.readableBytes() > maxMessageBytes) {
            int bytes = content.readableBytes();
            ReferenceCountUtil.release(message);
            promise.tryFailure(RdmaMessageTooLongException.forPeer(bytes, maxMessageBytes));
        } else if (!waiting.isEmpty() || content != null && !mayGo(content)) {
            // First: the queue may tell handlers that the channel is not writable any more, and they may flush.
            promises.add(promise);
            waiting.add(message, promise);
        } else if (content == null) {
            context.write(message, promise);
        } else {
            last(message, content, promise);
        }
    }

    /** Whether the channel refuses the message for another reason than its length. It must not be counted then. */
    private boolean cannotBeSent(Object message) {
        return message instanceof RdmaSend send && send.invalidateKey() != 0 && !channel.canSendWithInvalidate();
    }

    /** Returns the data of a message that needs a receive of the peer, {@code null} for another message. */
    private static @Nullable ByteBuf content(Object message) {
        if (message instanceof ByteBuf buffer) {
            return buffer.isReadable() ? buffer : null;
        }
        return message instanceof RdmaSend send ? send.content() : null;
    }

    private boolean mayGo(ByteBuf content) {
        return content.readableBytes() <= pieceBytes() && exchange.credits() > 0;
    }

    /** The program may have set RDMA_MAX_SEND_SIZE to less than the peer's receives, or even than a trailer. */
    private int pieceBytes() {
        return Math.min(peerPieceBytes, channel.config().getMaxSendSize() - FlowTrailer.BYTES);
    }

    private IllegalStateException tooSmall() {
        return new IllegalStateException(
                "RDMA_MAX_SEND_SIZE=" + channel.config().getMaxSendSize() + " (expected: at least "
                        + (FlowTrailer.BYTES + 1) + " with flow control)");
    }

    void flush() {
        flushed = waiting.size();
        writeWaiting();
        exchange.onFlushed();
        context.flush();
    }

    /** Writes what has waited and was flushed, as far as there are credits. */
    private boolean writeWaiting() {
        boolean written = false;
        while (flushed > 0 && writeOldest()) {
            written = true;
        }
        return written;
    }

    private boolean writeOldest() {
        Object message = waiting.current();
        ByteBuf content = content(message);
        if (content == null) {
            flushed--;
            promises.remove();
            waiting.removeAndWrite();
            return true;
        }
        if (exchange.credits() <= 0) {
            return false;
        }
        int pieceBytes = pieceBytes();
        if (content.readableBytes() > pieceBytes) {
            writePiece(content, pieceBytes);
        } else if (begun) {
            // Before it is removed: a message whose rest cannot be sent stays, and the channel closes.
            ByteBuf rest = copy(content, content.readableBytes());
            Object whole = message instanceof RdmaSend send ? send.replace(rest) : rest;
            writeCounted(whole, rest, removeOldest());
        } else {
            ReferenceCountUtil.retain(message);
            last(message, content, removeOldest());
        }
        return true;
    }

    /** Writes a piece of the oldest message that is not the last one, unless the message was cancelled before. */
    private void writePiece(ByteBuf content, int bytes) {
        if (bytes < 1) {
            throw tooSmall();
        }
        if (!begun && !promises.element().setUncancellable()) {
            removeOldest();
            return;
        }
        ByteBuf piece = copy(content, bytes);
        begun = true;
        content.skipBytes(bytes);
        context.write(setTrailer(piece, exchange.data(true, false)))
                .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }

    /** Releases the oldest message. */
    private ChannelPromise removeOldest() {
        flushed--;
        begun = false;
        promises.remove();
        return waiting.remove();
    }

    /** Sends a message of one piece. */
    private void last(Object message, ByteBuf content, ChannelPromise promise) {
        if (!promise.setUncancellable()) {
            ReferenceCountUtil.release(message);
            return;
        }
        Object out = message;
        ByteBuf withTrailer = content;
        try {
            if (hasRoom(content)) {
                content.writeLong(0);
            } else {
                withTrailer = copy(content, content.readableBytes());
                out = message instanceof RdmaSend send ? send.replace(withTrailer) : withTrailer;
                ReferenceCountUtil.release(message);
            }
        } catch (Throwable e) {
            ReferenceCountUtil.release(message);
            promise.tryFailure(e);
            return;
        }
        writeCounted(out, withTrailer, promise);
    }

    private void writeCounted(Object message, ByteBuf withTrailer, ChannelPromise promise) {
        boolean confirmed = confirms && !promise.isVoid();
        setTrailer(withTrailer, exchange.data(false, confirmed));
        context.write(message, confirmed ? confirmation(promise) : promise);
    }

    /**
     * Whether a trailer may be appended in place: no other reference sees the octets behind the data. A heap buffer may
     * be around an array of the program, and a composite around buffers of others.
     */
    private static boolean hasRoom(ByteBuf content) {
        return content.isDirect()
                && content.refCnt() == 1
                && content.unwrap() == null
                && !content.isReadOnly()
                && !(content instanceof CompositeByteBuf)
                && content.maxFastWritableBytes() >= FlowTrailer.BYTES;
    }

    /** Returns a copy with room for the trailer behind it, in registered memory, so that the channel makes no other. */
    private ByteBuf copy(ByteBuf content, int bytes) {
        ByteBuf copy = copies.apply(bytes + FlowTrailer.BYTES);
        try {
            // By way of the cached NIO view: writeBytes would make views of the source for each message.
            content.getBytes(content.readerIndex(), copy.internalNioBuffer(0, bytes));
            return copy.writerIndex(bytes).writeLong(0);
        } catch (Throwable e) {
            copy.release();
            throw e;
        }
    }

    private ByteBuf setTrailer(ByteBuf message, long trailer) {
        takenBytes += message.readableBytes() - FlowTrailer.BYTES;
        return message.setLong(message.writerIndex() - FlowTrailer.BYTES, trailer);
    }

    private ChannelPromise confirmation(ChannelPromise promise) {
        unconfirmed.add(new Unconfirmed(exchange.sent(), promise));
        ChannelPromise sent = context.newPromise();
        sent.addListener(future -> {
            if (!future.isSuccess()) {
                promise.tryFailure(future.cause());
            }
        });
        return sent;
    }

    /** Sends what has waited for credits, tells the peer what it has to know, and completes what it has confirmed. */
    void settle() {
        boolean written = writeWaiting() || exchange.isEmptyDue() && exchange.hasUnflushed();
        if (written) {
            exchange.onFlushed(); // below
        }
        if (exchange.isEmptyDue()) {
            if (pieceBytes() < 0) {
                throw tooSmall();
            }
            written = true;
            ByteBuf empty = copies.apply(FlowTrailer.BYTES);
            context.write(empty.writeLong(exchange.empty())).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        }
        if (written) {
            exchange.onFlushed();
            context.flush();
        }
        confirm();
    }

    private void confirm() {
        Unconfirmed oldest;
        while ((oldest = unconfirmed.peek()) != null && exchange.isConsumedByPeer(oldest.number())) {
            unconfirmed.remove();
            oldest.promise().trySuccess();
        }
    }

    /**
     * Whether all that was flushed has been sent and, where promises wait for it, confirmed. What is written and not
     * flushed is never confirmed.
     */
    boolean isDone() {
        return flushed == 0 && (unconfirmed.isEmpty() || exchange.hasUnflushed());
    }

    /** Returns how many bytes of messages the peer had a receive for. */
    long takenBytes() {
        return takenBytes;
    }

    /** Nothing more will be sent or confirmed; the peer hears it if it does not get all that was flushed. */
    void fail(Throwable cause) {
        confirm();
        if (flushed > 0 && context.channel().isActive()) {
            context.writeAndFlush(Unpooled.copyLong(exchange.cut()));
        }
        flushed = 0;
        // One by one: the queue's own method warns of each promise that the program has cancelled.
        ChannelPromise promise;
        while ((promise = waiting.remove()) != null) {
            promises.poll();
            if (!promise.isVoid()) {
                promise.tryFailure(cause);
            }
        }
        Unconfirmed oldest;
        while ((oldest = unconfirmed.poll()) != null) {
            oldest.promise().tryFailure(cause);
        }
    }
}
