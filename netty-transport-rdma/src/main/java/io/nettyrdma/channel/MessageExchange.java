// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import io.nettyrdma.engine.AbstractRdmaChannel;
import io.nettyrdma.engine.Exchange;
import io.nettyrdma.engine.QueuePair;
import io.nettyrdma.engine.ReceivePoster;
import io.nettyrdma.engine.Receives;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.error.RdmaProgressTimeoutException;
import io.nettyrdma.error.RdmaResourceLimitException;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Moves the messages of one channel between its pipeline and its queue pair. Posts and completes flushed messages in
 * order, and delivers received ones.
 *
 * <p>Threading: the loop's.
 */
final class MessageExchange extends Exchange {

    /** What a Terminate says if a Send finds no receive (RFC 5041, section 7.2). */
    private static final String NO_RECEIVE = "untagged buffer/no buffer";

    private static final String TOO_FEW_RECEIVES = "the peer had too few receives posted (its RDMA_RECEIVE_COUNT) for"
            + " too long; RdmaFlowControlHandler on both sides prevents that";

    private final RdmaChannelConfig config;
    private final OutboundPoster outbound = new OutboundPoster();
    private final SendProgress progress = new SendProgress(this::outstanding, this::moved, this::onStuck);
    /** Those of the queue pair, if there is one. */
    private @Nullable ReceiveQueue receives;

    private boolean readPending;
    private boolean readsAlways;
    private boolean delivering;

    MessageExchange(AbstractRdmaChannel channel, RdmaChannelConfig config) {
        super(channel);
        this.config = config;
    }

    /** Throws the exception that the write of {@code message} must fail with, if any. */
    void check(Object message) throws ClosedChannelException {
        if (!lifecycle.mayTakeOn()) {
            throw new ClosedChannelException();
        }
        OutboundMessages.check(message, config, connection);
    }

    @Override
    protected void write(ChannelOutboundBuffer in, QueuePair pair) throws Exception {
        if (outbound.hasFailed()) {
            return;
        }
        try {
            outbound.write(pair, in);
        } catch (Throwable e) {
            if (!pair.mayPost() || pair.sends().outstanding() == 0) {
                throw e;
            }
            orderlyClose.failBehindPosted(e); // Netty would fail what is posted, too
        }
        progress.onPosted(channel.eventLoop(), config.getProgressTimeoutMillis());
    }

    /** Handles a read request. */
    void beginRead() {
        readPending = true;
        if (hasUnread() && !delivering) {
            channel.eventLoop().execute(this::deliver);
        }
    }

    @Override
    protected void clearRead() {
        readPending = false;
    }

    /** From now on, messages are read whether that was asked for or not: a handler holds back what is not. */
    void readAlways() {
        readsAlways = true;
    }

    private boolean hasUnread() {
        return receives != null && receives.hasUnread();
    }

    @Override
    public void onClosed() {
        progress.stop();
        if (receives != null) {
            receives.discardUnread();
        }
    }

    @Override
    public Receives receives(ReceivePoster poster, RegisteredMemoryPool memory, Runnable postLater)
            throws RdmaResourceLimitException {
        ReceiveQueue made = new ReceiveQueue(
                poster,
                memory,
                config.getReceiveCount(),
                waitsForReceives() ? ReceiveQueue.FIRST_POSTED : config.getReceiveCount(),
                config.getReceiveSize(),
                lifecycle,
                postLater,
                ReceiveQueue.MAX_ALLOCATION_NANOS);
        receives = made;
        return made;
    }

    private boolean waitsForReceives() {
        int millis = config.getReceiverNotReadyTimeoutMillis();
        RdmaCapabilities capabilities = connection.capabilities();
        return millis == ConnectionParameters.PROVIDERS_TIMEOUT
                ? capabilities.receiverNotReadyTimeoutMillis() > 0
                : capabilities.waitsForReceives() && millis > 0;
    }

    @Override
    public void onEstablished() {
        // There is nothing to say before the application does.
    }

    @Override
    public @Nullable Throwable endOfConnection(@Nullable String reason) {
        if (reason == null) {
            return null;
        }
        boolean overrun = reason.contains(NO_RECEIVE);
        return new RdmaConnectionException(overrun ? reason + ": " + TOO_FEW_RECEIVES : reason);
    }

    @Override
    public void deliver() {
        ReceiveQueue from = receives;
        if (from != null && lifecycle.mayDeliver() && !delivering) {
            delivering = true;
            try {
                fireMessages(from);
            } finally {
                delivering = false;
            }
        }
        if (lifecycle.isPeerGone() && !hasUnread()) {
            orderlyClose.close();
        }
    }

    /** Fires unread messages as long as the pipeline reads. */
    @SuppressWarnings("deprecation") // the handle is how Netty counts reads
    private void fireMessages(ReceiveQueue from) {
        ChannelPipeline pipeline = channel.pipeline();
        // Strictly as asked: a handler that holds back read() holds back messages, auto-read or not.
        while (from.hasUnread() && (readPending || readsAlways)) {
            readPending = false;
            RecvByteBufAllocator.Handle counter = channel.unsafe().recvBufAllocHandle();
            counter.reset(config);
            do {
                @Nullable RdmaKeyInvalidatedEvent invalidated = from.invalidation();
                final ByteBuf message;
                try {
                    message = from.read(config.getAllocator());
                } catch (Throwable e) {
                    orderlyClose.fail(e); // there is no memory for a copy
                    return;
                }
                if (invalidated != null) {
                    pipeline.fireUserEventTriggered(invalidated);
                }
                int length = Math.max(1, message.readableBytes()); // an empty message is a message
                counter.incMessagesRead(1);
                counter.attemptedBytesRead(length);
                counter.lastBytesRead(length);
                pipeline.fireChannelRead(message);
            } while (from.hasUnread() && counter.continueReading());
            counter.readComplete();
            pipeline.fireChannelReadComplete();
        }
    }

    @Override
    public void onSendCompleted(Object tag, @Nullable Throwable cause) {
        super.onSendCompleted(tag, cause);
        // What an end of either side flushes has not failed by itself.
        Throwable told = cause != null && lifecycle.isEnding() ? new ClosedChannelException() : cause;
        outbound.onCompletion(outboundBuffer(), tag, told);
    }

    @Override
    public void onBatchEnd() {
        deliver();
        ChannelOutboundBuffer in = outboundBuffer();
        if (in != null && connection.queuePair() != null) {
            outbound.removeBarriers(in);
            if (lifecycle.mayPost() && outbound.hasUnposted(in)) {
                flushAgain();
            }
        }
        super.onBatchEnd();
    }

    @Override
    public @Nullable String explain(boolean receive, int status) {
        // The second of both is what rxe says.
        if (receive && (status == VerbsConstants.WC_LOC_LEN_ERR || status == VerbsConstants.WC_LOC_QP_OP_ERR)) {
            return "the peer's message is longer than RDMA_RECEIVE_SIZE=" + config.getReceiveSize();
        }
        if (!receive && (status == VerbsConstants.WC_REM_INV_REQ_ERR || status == VerbsConstants.WC_REM_OP_ERR)) {
            return "if it is a Send, it is longer than the peer's RDMA_RECEIVE_SIZE; RDMA_MAX_SEND_SIZE="
                    + config.getMaxSendSize() + " must not exceed that";
        }
        if (!receive && status == VerbsConstants.WC_RNR_RETRY_EXC_ERR) {
            return TOO_FEW_RECEIVES;
        }
        return null;
    }

    private int outstanding() {
        QueuePair pair = connection.queuePair();
        return pair == null ? 0 : pair.sends().outstanding();
    }

    private long moved() {
        QueuePair pair = connection.queuePair();
        return pair == null ? 0 : pair.moved();
    }

    private void onStuck(int timeoutMillis) {
        orderlyClose.failNow(new RdmaProgressTimeoutException(
                "no byte of the requests for " + channel.remoteAddress() + " has moved for " + timeoutMillis
                        + " ms; the peer does not read or answer (RDMA_PROGRESS_TIMEOUT_MILLIS="
                        + config.getProgressTimeoutMillis() + ')',
                Duration.ofMillis(timeoutMillis)));
    }
}
