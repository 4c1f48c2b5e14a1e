// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * Tells the {@link AcceptLimit} of a listener which of its connections have calls in flight. It stands above the codec,
 * where each inbound message is a whole call and each outbound message is the reply of one: a call is in flight until
 * its reply has left, and the limit learns of bytes that leave before. On connections without such a limit it does
 * nothing. A child channel, such as a stream of HTTP/2, has its calls counted for the connection; those still in flight
 * when it closes are over.
 *
 * <p>Threading: confined to the event loop of its channel.
 */
public final class CallCounter extends ChannelDuplexHandler {

    private @Nullable Place place;
    private int callsInFlight;
    private final ChannelFutureListener onReplied = left -> endCall();

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        place = placeOf(context.channel());
    }

    private static @Nullable Place placeOf(Channel channel) {
        @Nullable Place own = channel.attr(Place.KEY).get();
        return own != null || channel.parent() == null
                ? own
                : channel.parent().attr(Place.KEY).get();
    }

    private void endCall() {
        if (place != null && callsInFlight > 0) {
            callsInFlight--;
            place.onReplied();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (place == null) {
            context.fireChannelRead(message);
        } else if (place.tryBeginCall()) {
            callsInFlight++;
            context.fireChannelRead(message);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        while (callsInFlight > 0) { // of a place
            endCall();
        }
        context.fireChannelInactive();
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (place == null) {
            context.write(message, promise);
            return;
        }
        int bytes =
                context.channel().config().getMessageSizeEstimator().newHandle().size(message);
        context.write(message, place.replies().follow(context, promise.unvoid().addListener(onReplied), bytes));
    }
}
