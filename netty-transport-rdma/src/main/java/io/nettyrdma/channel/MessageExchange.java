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

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.nettyrdma.verbs.VerbsConstants;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one channel between its pipeline and its queue pair: what is flushed is posted and completed in
 * order, what is received is delivered.
 *
 * <p>Threading: the loop's.
 */
final class MessageExchange implements QueuePairOwner {

    private final Channel channel;
    private final ConnectionUnsafe unsafe;
    private final RdmaChannelConfig config;
    private final ChannelLifecycle lifecycle;
    private final VerbsConnection connection;
    private final OrderlyClose orderlyClose;
    private final DeliveryQueue inbound;
    private final OutboundPoster outbound = new OutboundPoster();
    private final SendProgress progress = new SendProgress(new PostedRequests());

    MessageExchange(
            Channel channel,
            ConnectionUnsafe unsafe,
            RdmaChannelConfig config,
            ChannelLifecycle lifecycle,
            VerbsConnection connection,
            OrderlyClose orderlyClose) {
        this.channel = channel;
        this.unsafe = unsafe;
        this.config = config;
        this.lifecycle = lifecycle;
        this.connection = connection;
        this.orderlyClose = orderlyClose;
        inbound = new DeliveryQueue(channel, lifecycle, connection, orderlyClose);
    }

    /** Throws what the write of {@code message} is to fail with. */
    void check(Object message) throws ClosedChannelException {
        if (!lifecycle.mayTakeOn()) {
            throw new ClosedChannelException();
        }
        OutboundMessages.check(message, config, connection);
    }

    /** Posts what was flushed, as far as there is room. */
    void write(ChannelOutboundBuffer in) throws Exception {
        QueuePair pair = connection.queuePair();
        if (pair != null) {
            outbound.write(pair, in);
            progress.onPosted(channel.eventLoop(), config.getProgressTimeoutMillis());
        }
    }

    /** A read was asked for. */
    void beginRead() {
        inbound.beginRead();
    }

    /** Reading is off. */
    void clearRead() {
        inbound.clearRead();
    }

    /** What was received is delivered as far as somebody reads; after that a lost connection becomes visible. */
    void deliver() {
        inbound.deliver();
    }

    /** The channel has closed. */
    void onClosed() {
        progress.stop();
        inbound.release();
    }

    @Override
    public void onReceived(RegisteredByteBuf message) {
        if (lifecycle.mayTakeOn()) {
            inbound.add(message);
        } else {
            inbound.discard(message);
        }
    }

    @Override
    public void onSendCompleted(Object tag, @Nullable Throwable cause) {
        if (cause instanceof RdmaWorkRequestException failed && failed.isFlushed()) {
            lifecycle.onFlushed();
        }
        // What an end of either side flushes has not failed by itself.
        Throwable told = cause != null && lifecycle.isEnding() ? new ClosedChannelException() : cause;
        outbound.onCompletion(unsafe.outboundBuffer(), tag, told);
    }

    @Override
    public void onFailure(Throwable cause) {
        lifecycle.onFailure(cause);
    }

    @Override
    public void onBatchEnd() {
        inbound.deliver();
        ChannelOutboundBuffer in = unsafe.outboundBuffer();
        if (in != null && connection.queuePair() != null) {
            outbound.removeBarriers(in);
            if (lifecycle.mayPost() && outbound.hasUnposted(in)) {
                unsafe.flushAgain();
            }
        }
        orderlyClose.closeIfFlushed();
        orderlyClose.closeIfFailing();
    }

    @Override
    public @Nullable String explain(boolean receive, int status) {
        // The second of both is what rxe says.
        if (receive && (status == VerbsConstants.WC_LOC_LEN_ERR || status == VerbsConstants.WC_LOC_QP_OP_ERR)) {
            return "the peer's message is longer than RDMA_RECEIVE_SIZE=" + config.getReceiveSize();
        }
        if (!receive && (status == VerbsConstants.WC_REM_INV_REQ_ERR || status == VerbsConstants.WC_REM_OP_ERR)) {
            return "if it is a Send, it is longer than the peer's RDMA_RECEIVE_SIZE; RDMA_MAX_SEND_SIZE="
                    + config.getMaxSendSize() + " has to fit that";
        }
        if (!receive && status == VerbsConstants.WC_RNR_RETRY_EXC_ERR) {
            return "the peer had too few receives posted (its RDMA_RECEIVE_COUNT) for too long";
        }
        return null;
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
        public void onStuck(int timeoutMillis) {
            orderlyClose.failNow(new RdmaProgressTimeoutException("no octet of the requests for "
                    + channel.remoteAddress() + " has moved for "
                    + timeoutMillis + " ms; the peer does not read or answer"
                    + " (RDMA_PROGRESS_TIMEOUT_MILLIS=" + config.getProgressTimeoutMillis() + ')'));
        }
    }
}
