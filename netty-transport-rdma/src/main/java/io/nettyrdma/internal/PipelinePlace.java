// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.internal;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks of the channel that a handler is added to, and of the handlers in front of it.
 *
 * <p>Threading: the event loop of the channel.
 */
public final class PipelinePlace {

    private PipelinePlace() {}

    /**
     * Checks the handlers in front of one that is being added, when all of the initializer are there. They may watch
     * messages, as those for logging and idle time do. Ends the connection with the first message of each direction
     * that one of them takes, changes, or writes itself, and names them. One that runs on another executor passes
     * events on too late, and is refused as {@link #refuse} does.
     */
    public static void watch(ChannelHandlerContext context) {
        if (context.executor() == context.channel().eventLoop()) { // else what is passed on arrives later
            context.executor().execute(() -> watchNow(context));
        }
    }

    private static void watchNow(ChannelHandlerContext context) {
        List<ChannelHandler> inFront = inFront(context);
        for (ChannelHandler handler : inFront) {
            ChannelHandlerContext other = context.pipeline().context(handler);
            if (other != null && other.executor() != context.executor()) {
                refuseLater(
                        context,
                        handler.getClass().getName() + " in front of "
                                + context.handler().getClass().getSimpleName()
                                + " runs on another executor; add it without one, or behind");
                return;
            }
        }
        if (!inFront.isEmpty() && !context.isRemoved()) {
            MessageWatch.watch(context, inFront);
        }
    }

    private static void refuseLater(ChannelHandlerContext context, String reason) {
        try {
            refuse(context, reason);
        } catch (IllegalStateException e) {
            context.pipeline().fireExceptionCaught(e);
        }
    }

    /** Returns whether a handler of this type is in front of another. */
    public static boolean isInFront(ChannelHandlerContext context, Class<? extends ChannelHandler> type) {
        return inFront(context).stream().anyMatch(type::isInstance);
    }

    private static List<ChannelHandler> inFront(ChannelHandlerContext context) {
        List<ChannelHandler> inFront = new ArrayList<>();
        for (Map.Entry<String, ChannelHandler> entry : context.pipeline()) {
            if (entry.getValue() == context.handler()) {
                break;
            }
            inFront.add(entry.getValue());
        }
        return inFront;
    }

    /**
     * Refuses a handler that is being added to a channel that it is not for: data must not pass without it. On a
     * channel that is to connect, takes the handler out, and the connect fails with the reason. A thrown exception
     * would let Netty close the channel first, and the connect would not know why.
     *
     * <p>Closes a channel whose handler runs on another executor: its connect may have passed already.
     *
     * @throws IllegalStateException with the reason, on a channel that was accepted, which closes
     */
    public static void refuse(ChannelHandlerContext context, String reason) {
        IllegalStateException cause = new IllegalStateException(reason);
        Channel channel = context.channel();
        if (channel.parent() != null || channel.isActive()) {
            channel.close();
            throw cause;
        }
        if (!channel.eventLoop().inEventLoop()) {
            channel.pipeline().fireExceptionCaught(cause);
            channel.close();
            return;
        }
        channel.pipeline().addFirst(new FailedConnect(cause));
        channel.pipeline().remove(context.handler());
    }

    private static final class FailedConnect extends ChannelOutboundHandlerAdapter {

        private final Throwable cause;

        FailedConnect(Throwable cause) {
            this.cause = cause;
        }

        @Override
        public void connect(
                ChannelHandlerContext context,
                SocketAddress remote,
                @Nullable SocketAddress local,
                ChannelPromise promise) {
            context.close(); // first: listeners of the failure find the channel closed
            promise.tryFailure(cause);
        }
    }
}
