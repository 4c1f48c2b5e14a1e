// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.internal;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Two handlers around those in front of a handler that must get all messages of a channel: the outer one is first in
 * the pipeline, the inner one directly in front of that handler. The first message that arrives must reach both before
 * the outer one has passed it on, and no message may be written that only the outer one sees. Both leave the pipeline
 * with the first message that arrives.
 *
 * <p>Threading: the event loop of the channel, on which all handlers between them run.
 */
final class MessageWatch {

    private final ChannelHandler protocol;
    private final List<ChannelHandler> inFront;
    private final ChannelHandler inner = new Inner();
    private @Nullable Object arrived;
    private boolean written;

    private MessageWatch(ChannelHandler protocol, List<ChannelHandler> inFront) {
        this.protocol = protocol;
        this.inFront = inFront;
    }

    static void watch(ChannelHandlerContext context, List<ChannelHandler> inFront) {
        MessageWatch watched = new MessageWatch(context.handler(), inFront);
        context.pipeline().addBefore(context.name(), null, watched.inner);
        context.pipeline().addFirst(watched.new Outer());
    }

    private IllegalStateException defect(String done) {
        String own = protocol.getClass().getSimpleName();
        return new IllegalStateException("a handler in front of " + own + " " + done + ": "
                + inFront.stream().map(handler -> handler.getClass().getName()).collect(Collectors.joining(", "))
                + "; add " + own + " to the pipeline before handlers that take, change or write messages");
    }

    private final class Outer extends ChannelDuplexHandler {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.fireChannelRead(message);
            boolean passed = arrived == message;
            arrived = null;
            leave(context);
            if (!passed && context.channel().isOpen()) {
                fail(context, defect("took or changed a message"));
            }
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            if (written || !(message instanceof ByteBuf)) {
                context.write(message, promise);
                return;
            }
            ReferenceCountUtil.release(message);
            IllegalStateException cause = defect("wrote a message");
            promise.tryFailure(cause);
            fail(context, cause);
        }

        private void leave(ChannelHandlerContext context) {
            context.pipeline().remove(this);
            if (context.pipeline().context(inner) != null) {
                context.pipeline().remove(inner);
            }
        }

        private void fail(ChannelHandlerContext context, IllegalStateException cause) {
            context.pipeline().fireExceptionCaught(cause);
            context.close(); // at once: no handler can send what waits
        }
    }

    private final class Inner extends ChannelDuplexHandler {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            arrived = message;
            context.fireChannelRead(message);
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            written = true;
            context.write(message, promise);
        }
    }
}
