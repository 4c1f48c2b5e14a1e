// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * Tells the {@link AcceptLimit} of a listener which of its connections are in use, where bytes are no calls: a call is
 * in flight from the first bytes of the client until bytes for the client are written, and as long as those wait to
 * leave. It stands on an accepted channel instead of a {@link CallCounter}.
 *
 * <p>Threading: confined to the event loop of its channel.
 */
public final class TrafficCounter extends ChannelDuplexHandler {

    private @Nullable Place place;
    private boolean asked;

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        place = context.channel().attr(Place.KEY).get();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (place == null || asked || place.tryBeginCall()) {
            asked = place != null;
            context.fireChannelRead(message);
        } else {
            ReferenceCountUtil.release(message); // the place was taken away, and the channel closes
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        Place present = place;
        int bytes =
                context.channel().config().getMessageSizeEstimator().newHandle().size(message);
        if (present == null || bytes == 0 || !present.tryBeginCall()) {
            context.write(message, promise);
            return;
        }
        endQuestion();
        promise.unvoid().addListener(left -> present.onReplied());
        context.write(message, present.replies().follow(context, promise, bytes));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        endQuestion();
        context.fireChannelInactive();
    }

    private void endQuestion() {
        if (asked && place != null) {
            asked = false;
            place.onReplied();
        }
    }
}
