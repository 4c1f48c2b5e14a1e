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
package io.nettyrdma.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The client side: keeps messages on their way and notes when each comes back. On a byte stream a message is its size,
 * so that the stack is measured without the cost of framing.
 *
 * <p>Threading: all connections are on one event loop, which does everything but {@link #start} and {@link #percentile}.
 */
final class EchoLoad {

    private final Scenario scenario;
    private final boolean messages;
    private volatile CompletableFuture<Void> done = new CompletableFuture<>();
    private long[] latencies = {};
    private int answered;
    private int unsent;

    EchoLoad(Scenario scenario, boolean messages) {
        this.scenario = scenario;
        this.messages = messages;
    }

    /** Starts a round of {@code count} messages over all connections. */
    CompletableFuture<Void> start(List<Channel> channels, int count) {
        CompletableFuture<Void> future = new CompletableFuture<>();
        channels.get(0).eventLoop().execute(() -> {
            done = future;
            latencies = new long[count];
            answered = 0;
            unsent = count;
            for (Channel channel : channels) {
                channel.pipeline().get(Client.class).begin();
            }
        });
        return future;
    }

    double percentile(int percent) {
        long[] sorted = latencies.clone();
        Arrays.sort(sorted);
        return sorted[Math.min(sorted.length - 1, (int) ((long) sorted.length * percent / 100))];
    }

    /** Drops what was noted, so that it does not count as memory of the connections. */
    void forget() {
        latencies = new long[0];
    }

    ChannelHandler handler() {
        return new Client();
    }

    private final class Client extends ChannelInboundHandlerAdapter {
        // Answers come in order, so the times of what is unanswered form a ring.
        private final long[] sentAt = new long[scenario.inFlight()];
        private int oldest;
        private int unanswered;
        private int partial;
        private ChannelHandlerContext context;

        @Override
        public void handlerAdded(ChannelHandlerContext added) {
            context = added;
        }

        void begin() {
            for (int i = 0; i < scenario.inFlight() && unsent > 0; i++) {
                send();
            }
            context.flush();
        }

        private void send() {
            unsent--;
            sentAt[(oldest + unanswered++) % sentAt.length] = System.nanoTime();
            int size = scenario.sizeBytes();
            ByteBuf message = context.alloc().directBuffer(size);
            message.writeInt(size - Integer.BYTES).writerIndex(size);
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelRead(ChannelHandlerContext ignored, Object message) {
            ByteBuf received = (ByteBuf) message;
            int octets = received.readableBytes();
            received.release();
            if (messages) {
                answered();
                return;
            }
            partial += octets;
            while (partial >= scenario.sizeBytes()) {
                partial -= scenario.sizeBytes();
                answered();
            }
        }

        private void answered() {
            latencies[answered] = System.nanoTime() - sentAt[oldest];
            oldest = (oldest + 1) % sentAt.length;
            unanswered--;
            if (++answered == latencies.length) {
                done.complete(null);
            } else if (unsent > 0) {
                send();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext completed) {
            completed.flush();
        }

        @Override
        public void channelInactive(ChannelHandlerContext closed) {
            done.completeExceptionally(new IllegalStateException("connection closed in the middle of a round"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
            done.completeExceptionally(cause);
        }
    }
}
