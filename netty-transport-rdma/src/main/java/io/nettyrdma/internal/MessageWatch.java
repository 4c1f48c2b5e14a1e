// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.internal;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Two handlers around those in front of a handler that must get all messages of a channel: the outer one is first in
 * the pipeline, the inner one directly in front of that handler. The first message of each direction must reach both,
 * the same and with as many bytes, while the first of them passes it on. Both leave the pipeline when that was seen, or
 * when the handler has left. Later messages are not watched: it would cost each of them.
 *
 * <p>Threading: the event loop of the channel, on which all handlers between them run.
 */
final class MessageWatch {

    private final ChannelHandler protocol;
    private final List<ChannelHandler> inFront;
    private final Inner inner = new Inner();
    private final Outer outer = new Outer();
    private final Passage read = new Passage();
    private final Passage written = new Passage();

    private MessageWatch(ChannelHandler protocol, List<ChannelHandler> inFront) {
        this.protocol = protocol;
        this.inFront = inFront;
    }

    static void watch(ChannelHandlerContext context, List<ChannelHandler> inFront) {
        MessageWatch watched = new MessageWatch(context.handler(), inFront);
        context.pipeline().addBefore(context.name(), null, watched.inner).addFirst(watched.outer);
    }

    /** The first message of one direction. */
    private static final class Passage {

        private @Nullable Object entered;
        private int bytes;
        boolean done;

        void enter(Object message) {
            entered = message;
            bytes = bytes(message);
        }

        boolean isEntered() {
            return entered != null;
        }

        /** Returns whether the message is the one that entered. */
        boolean leave(Object message) {
            boolean same = entered == message && bytes == bytes(message);
            entered = null;
            done |= same;
            return same;
        }

        private static int bytes(Object message) {
            return message instanceof ByteBuf buffer ? buffer.readableBytes() : 0;
        }
    }

    private void removeIfDone(ChannelPipeline pipeline) {
        if (read.done && written.done || pipeline.context(protocol) == null) {
            for (ChannelHandler handler : List.of(outer, inner)) {
                if (pipeline.context(handler) != null) {
                    pipeline.remove(handler);
                }
            }
        }
    }

    private void fail(ChannelHandlerContext context, IllegalStateException cause) {
        read.done = true;
        written.done = true;
        removeIfDone(context.pipeline());
        context.pipeline().fireExceptionCaught(cause);
        context.channel().unsafe().close(context.voidPromise()); // at once: no handler can send what waits
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
            removeIfDone(context.pipeline());
            boolean first = !read.done && !context.isRemoved();
            if (first) {
                read.enter(message);
            }
            context.fireChannelRead(message);
            if (first && !read.done && context.channel().isOpen()) {
                fail(context, defect("took, changed or held back a message"));
            }
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            removeIfDone(context.pipeline());
            boolean foreign = written.isEntered() ? !written.leave(message) : !written.done;
            if (!foreign || context.isRemoved() || !(message instanceof ByteBuf)) {
                context.write(message, promise);
                return;
            }
            ReferenceCountUtil.release(message);
            IllegalStateException cause = defect("wrote or changed a message");
            promise.tryFailure(cause);
            fail(context, cause);
        }
    }

    private final class Inner extends ChannelDuplexHandler {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (read.isEntered() && !read.leave(message)) {
                ReferenceCountUtil.release(message);
                return; // the outer handler says so
            }
            removeIfDone(context.pipeline());
            context.fireChannelRead(message);
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            if (!written.done) {
                written.enter(message);
            }
            context.write(message, promise);
            if (written.isEntered()) { // a handler in front sends it later
                written.leave(message);
                written.done = true;
            }
        }
    }
}
