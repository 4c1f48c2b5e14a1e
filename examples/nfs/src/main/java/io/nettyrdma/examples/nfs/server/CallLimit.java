// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one TCP connection may have of the server; over RDMA the credits say how many calls there are. The handler stops
 * reading while as many calls as allowed have no reply that has left, or while replies wait because the peer does not
 * take them. It closes the connection when the peer has taken no byte of them for a while, and twice as long at most.
 * Below it stands a {@code FlowControlHandler}, which keeps the calls that were read already.
 *
 * <p>Threading: confined to the event loop of its channel.
 */
final class CallLimit extends IdleStateHandler {

    private final int maxCalls;
    private final long restMillis;
    private final long unreadSeconds;
    private final Consumer<String> log;
    private int calls;

    private CallLimit(int maxCalls, long restMillis, long unreadSeconds, Consumer<String> log) {
        super(true, 0, unreadSeconds, 0, TimeUnit.SECONDS);
        this.maxCalls = maxCalls;
        this.restMillis = restMillis;
        this.unreadSeconds = unreadSeconds;
        this.log = log;
    }

    /** One call at a time and 20 ms of rest: a flood of MOUNT costs NFS 50 calls a second and connection. */
    static CallLimit ofMount(Consumer<String> log) {
        return new CallLimit(1, 20, 5, log);
    }

    /** Twice the default number of workers, so that each finds its next call waiting; 17 MiB of replies at most. */
    static CallLimit ofNfs(Consumer<String> log) {
        return new CallLimit(16, 0, 30, log);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        calls++;
        update(context);
        super.channelRead(context, message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
        ChannelPromise left = promise.unvoid();
        left.addListener(done -> {
            if (restMillis == 0 || !context.channel().isActive()) {
                onAnswered(context);
            } else {
                context.executor().schedule(() -> onAnswered(context), restMillis, TimeUnit.MILLISECONDS);
            }
        });
        super.write(context, message, left);
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

    @Override
    protected void channelIdle(ChannelHandlerContext context, IdleStateEvent event) {
        @Nullable ChannelOutboundBuffer waiting = context.channel().unsafe().outboundBuffer();
        if (!event.isFirst() && waiting != null && !waiting.isEmpty()) {
            // The first event takes note of what waits; another one comes only if that has not changed.
            log.accept(context.channel().remoteAddress() + " closed: read none of its replies for " + unreadSeconds
                    + " s");
            context.close();
        }
    }
}
