// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.TimeUnit;

/**
 * Stops reading a TCP connection while as many of its calls as allowed have no reply that has left, or while replies
 * wait in it because its peer does not take them. Below it stands a {@code FlowControlHandler}, which keeps the calls
 * that were read already.
 *
 * <p>Threading: confined to the event loop of its channel.
 */
final class CallLimit extends ChannelDuplexHandler {

    private final int maxCalls;
    private final long restMillis;
    private int calls;

    /**
     * A limit for one connection.
     *
     * @param maxCalls   calls at a time, positive
     * @param restMillis time from a reply to the call that takes its place; 0 for none
     */
    CallLimit(int maxCalls, long restMillis) {
        this.maxCalls = maxCalls;
        this.restMillis = restMillis;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        calls++;
        update(context);
        context.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        ChannelPromise left = promise.unvoid();
        left.addListener(done -> {
            if (restMillis == 0 || !context.channel().isActive()) {
                onAnswered(context);
            } else {
                context.executor().schedule(() -> onAnswered(context), restMillis, TimeUnit.MILLISECONDS);
            }
        });
        context.write(message, left);
    }

    private void onAnswered(ChannelHandlerContext context) {
        calls--;
        update(context);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        update(context);
        context.fireChannelWritabilityChanged();
    }

    private void update(ChannelHandlerContext context) {
        context.channel()
                .config()
                .setAutoRead(calls < maxCalls && context.channel().isWritable());
    }
}
