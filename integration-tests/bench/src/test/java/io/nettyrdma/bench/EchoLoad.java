// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.flow.RdmaFlowControlHandler;

/**
 * The client side: keeps messages on their way and notes when each comes back. On a byte stream a message is its size,
 * so that the stack is measured without the cost of framing.
 *
 * <p>Threading: all connections are on one event loop.
 */
class EchoLoad extends Workload {

    private static final int LENGTH_BYTES = 4;

    private final Stack stack;
    private final Scenario scenario;
    private final boolean messages;
    private final EchoBack server = new EchoBack();

    EchoLoad(Stack stack, Scenario scenario) {
        this.stack = stack;
        this.scenario = scenario;
        messages = stack.isFramed() || stack.keepsMessages();
    }

    @Override
    void initServer(Channel channel) {
        init(channel, server);
    }

    @Override
    void initClient(Channel channel) {
        init(channel, new Client());
    }

    private void init(Channel channel, ChannelHandler handler) {
        if (channel instanceof RdmaChannel rdma) {
            // As a protocol with credits would have it: room for what may be unanswered.
            rdma.config().setReceiveSize(Math.max(4096, scenario.sizeBytes()));
            rdma.config().setReceiveCount(Math.max(64, 2 * scenario.inFlight()));
        }
        if (stack.hasFlowControl()) {
            channel.pipeline().addLast(new RdmaFlowControlHandler());
        }
        if (stack.isFramed()) {
            channel.pipeline().addLast(new LengthFieldBasedFrameDecoder(1 << 24, 0, LENGTH_BYTES, 0, 0));
        }
        channel.pipeline().addLast(handler);
    }

    @Override
    final void begin(Channel channel) {
        channel.pipeline().get(Client.class).begin();
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
            for (int i = 0; i < scenario.inFlight() && trips.takeOne(); i++) {
                send();
            }
            context.flush();
        }

        private void send() {
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
            trips.answered(sentAt[oldest]);
            oldest = (oldest + 1) % sentAt.length;
            unanswered--;
            if (trips.takeOne()) {
                send();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext completed) {
            completed.flush();
        }

        @Override
        public void channelInactive(ChannelHandlerContext closed) {
            trips.fail(new IllegalStateException("connection closed in the middle of a round"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
            trips.fail(cause);
        }
    }
}
