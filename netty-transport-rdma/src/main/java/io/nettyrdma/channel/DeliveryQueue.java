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
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Received messages on their way into the pipeline: kept while nobody reads, counted as Netty's read limits ask. Never
 * more than the receive count, because a message that waits here holds its slot.
 *
 * <p>Threading: the loop's. Ownership: of the messages until they are fired.
 */
final class DeliveryQueue {

    private final Channel channel;
    private final ChannelLifecycle lifecycle;
    private final VerbsConnection connection;
    private final OrderlyClose orderlyClose;
    private final ArrayDeque<RegisteredByteBuf> messages = new ArrayDeque<>();
    private boolean readPending;
    private boolean delivering;

    DeliveryQueue(Channel channel, ChannelLifecycle lifecycle, VerbsConnection connection, OrderlyClose orderlyClose) {
        this.channel = channel;
        this.lifecycle = lifecycle;
        this.connection = connection;
        this.orderlyClose = orderlyClose;
    }

    void add(RegisteredByteBuf message) {
        messages.add(message);
    }

    /** A read was asked for. */
    void beginRead() {
        readPending = true;
        if (!messages.isEmpty() && !delivering) {
            channel.eventLoop().execute(this::deliver);
        }
    }

    /** Reading is off: what was asked for before does not count any more. */
    void clearRead() {
        readPending = false;
    }

    /** What was received is delivered as far as somebody reads; after that a lost connection becomes visible. */
    void deliver() {
        if (lifecycle.mayDeliver() && !delivering) {
            delivering = true;
            try {
                fireMessages();
            } finally {
                delivering = false;
            }
        }
        if (lifecycle.isPeerGone() && messages.isEmpty()) {
            orderlyClose.close();
        }
    }

    /** Fires messages as long as there are some and somebody reads. */
    @SuppressWarnings("deprecation") // the handle is how Netty counts reads
    private void fireMessages() {
        ChannelPipeline pipeline = channel.pipeline();
        // Strictly as asked: a handler that holds back read() holds back messages, auto-read or not.
        while (!messages.isEmpty() && readPending) {
            readPending = false;
            RecvByteBufAllocator.Handle counter = channel.unsafe().recvBufAllocHandle();
            counter.reset(channel.config());
            do {
                RegisteredByteBuf received = messages.remove();
                @Nullable RdmaKeyInvalidatedEvent invalidated = received.invalidation();
                @Nullable ByteBuf message = handOut(received);
                if (message == null) {
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
            } while (!messages.isEmpty() && counter.continueReading());
            counter.readComplete();
            pipeline.fireChannelReadComplete();
        }
    }

    /** A message as the pipeline gets it; {@code null} if there is no memory for it, which ends the channel. */
    private @Nullable ByteBuf handOut(RegisteredByteBuf message) {
        try {
            return queuePair().handOut(message, channel.config().getAllocator());
        } catch (Throwable e) {
            orderlyClose.fail(e);
            return null;
        }
    }

    /** That which the messages came from. */
    private QueuePair queuePair() {
        return Objects.requireNonNull(connection.queuePair());
    }

    /** Lets go of a received message that the pipeline does not get. */
    void discard(RegisteredByteBuf message) {
        queuePair().discard(message);
    }

    /** Lets go of all messages, because the channel has closed. */
    void release() {
        RegisteredByteBuf message;
        while ((message = messages.poll()) != null) {
            discard(message);
        }
    }
}
