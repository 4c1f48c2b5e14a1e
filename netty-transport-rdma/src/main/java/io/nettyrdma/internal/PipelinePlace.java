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
package io.nettyrdma.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks where a handler stands that takes the messages of its channel as they arrived. Handlers in front of it may
 * watch, as those for logging, idle time and metrics do, but must pass each message on as it is. Types do not tell the
 * two apart, so the check sends an empty buffer through the handlers in front. It does so once, when the channel is
 * active, and only if there are such handlers.
 *
 * <p>Threading: the event loop of the channel. One instance per handler.
 */
public final class PipelinePlace {

    /** Its identity tells it from the peer's messages. */
    private static final ByteBuf PROBE = Unpooled.unreleasableBuffer(Unpooled.EMPTY_BUFFER);

    private boolean probing;
    private boolean arrived;

    /** Takes what arrives during the check: the handler must call this first for each message. */
    public boolean takes(Object message) {
        if (!probing) {
            return false;
        }
        arrived |= message == PROBE;
        ReferenceCountUtil.release(message);
        return true;
    }

    /** Whether the check is going on. The handler must not pass on {@code channelReadComplete} meanwhile. */
    public boolean isProbing() {
        return probing;
    }

    /**
     * Checks the place of a handler.
     *
     * @return {@code null} if all handlers in front pass messages on, or run on another executor; else a sentence that
     *         names them
     */
    public @Nullable IllegalStateException defect(ChannelHandlerContext context) {
        List<ChannelHandlerContext> inFront = inFront(context);
        for (ChannelHandlerContext other : inFront) {
            if (other.executor() != context.executor()) {
                return null; // what it passes on arrives later
            }
        }
        if (inFront.isEmpty()) {
            return null;
        }
        Throwable cause = probe(inFront.get(0));
        if (arrived) {
            return null;
        }
        String own = context.handler().getClass().getSimpleName();
        String others = String.join(
                ", ",
                inFront.stream().map(c -> c.handler().getClass().getName()).toList());
        return new IllegalStateException(
                own + " does not get the messages of " + context.channel() + ", because of a handler in front of it: "
                        + others + "; add " + own + " to the pipeline before handlers that take or change messages",
                cause);
    }

    private @Nullable Throwable probe(ChannelHandlerContext first) {
        ChannelInboundHandler handler = (ChannelInboundHandler) first.handler();
        probing = true;
        try {
            handler.channelRead(first, PROBE);
            if (arrived) {
                handler.channelReadComplete(first); // as behind each batch, for handlers that measure how long it takes
            }
            return null;
        } catch (Exception e) {
            return e;
        } finally {
            probing = false;
        }
    }

    private static List<ChannelHandlerContext> inFront(ChannelHandlerContext context) {
        List<ChannelHandlerContext> found = new ArrayList<>();
        for (Map.Entry<String, ChannelHandler> entry : context.pipeline()) {
            if (entry.getValue() == context.handler()) {
                break;
            }
            ChannelHandlerContext other = context.pipeline().context(entry.getKey());
            if (entry.getValue() instanceof ChannelInboundHandler && other != null) {
                found.add(other);
            }
        }
        return found;
    }

    /** Returns whether a handler of this type is in front of another. */
    public static boolean isInFront(ChannelHandlerContext context, Class<? extends ChannelHandler> type) {
        return inFront(context).stream().anyMatch(other -> type.isInstance(other.handler()));
    }

    /**
     * Refuses a handler that is being added to a channel that it is not for: data must not pass without it. On a
     * channel that is to connect, takes the handler out, and the connect fails with the reason. A thrown exception
     * would let Netty close the channel first, and the connect would not know why.
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
