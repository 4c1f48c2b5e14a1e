// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelProgressiveFuture;
import io.netty.channel.ChannelProgressiveFutureListener;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.guard.ReplyProgress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Joins the parts of a request into a {@link DefaultFullHttpRequest}, refuses requests that exceed a limit, and writes
 * a {@link Reply} in parts, without its body if the request is a HEAD. On a connection of HTTP/1.1 it reads the next
 * request when the response has left, so a client that sends many requests at once makes the server hold one; on a
 * stream of HTTP/2 there is one request.
 *
 * <p>Threading: confined to the event loop of its channel. Ownership: of the body of the request until it is passed on.
 */
final class HttpExchange extends ChannelDuplexHandler {

    /** Time that a client has to read a refusal while it still sends the request. */
    private static final long LINGER_SECONDS = 2;

    private final HttpLimits limits;
    private final BodyBudget budget;
    private final PeerLog log;
    private final @Nullable HeadDeadline heads;
    private final boolean sendsRegions;

    private @Nullable ReplyProgress progress;
    private @Nullable HttpRequest head;
    private @Nullable RequestBody body;
    private boolean keepAlive;
    private boolean refused;
    private boolean ended;
    private boolean replied;
    private long droppedBytes;
    private @Nullable ScheduledFuture<?> timer;

    private HttpExchange(
            HttpLimits limits, BodyBudget budget, PeerLog log, @Nullable HeadDeadline heads, boolean sendsRegions) {
        this.limits = limits;
        this.budget = budget;
        this.log = log;
        this.heads = heads;
        this.sendsRegions = sendsRegions;
    }

    /**
     * For a connection of HTTP/1.1.
     *
     * @param heads        learns when headers are complete
     * @param sendsRegions whether files go as {@link FileRegion}, which TLS cannot encrypt
     */
    static HttpExchange ofConnection(
            HttpLimits limits, BodyBudget budget, PeerLog log, HeadDeadline heads, boolean sendsRegions) {
        return new HttpExchange(limits, budget, log, heads, sendsRegions);
    }

    /** For a stream of HTTP/2. */
    static HttpExchange ofStream(HttpLimits limits, BodyBudget budget, PeerLog log) {
        return new HttpExchange(limits, budget, log, null, false);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof HttpObject part)) {
            context.fireChannelRead(message);
            return;
        }
        try {
            if (part instanceof HttpRequest request && !refused) {
                onHead(context, request);
            }
            if (part instanceof HttpContent content && !ended) {
                onContent(context, content);
            }
            if (part instanceof LastHttpContent && !ended) {
                onEnd(context);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void onHead(ChannelHandlerContext context, HttpRequest request) {
        if (heads != null) {
            heads.onHead();
        }
        head = request;
        keepAlive = HttpUtil.isKeepAlive(request);
        ended = false;
        replied = false;
        body = new RequestBody(RequestCheck.isEcho(request), limits.bodyBytes(), budget);
        startTimer(
                context,
                limits.bodySeconds(),
                TimeUnit.SECONDS,
                () -> refuse(context, HttpResponseStatus.REQUEST_TIMEOUT));
        @Nullable HttpResponseStatus refusal = RequestCheck.refusal(request, limits.bodyBytes(), heads != null);
        if (refusal != null) {
            refuse(context, refusal);
        } else if (HttpUtil.is100ContinueExpected(request) && !(request instanceof LastHttpContent)) {
            context.writeAndFlush(new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
        }
    }

    private void onContent(ChannelHandlerContext context, HttpContent content) {
        if (refused) {
            droppedBytes += content.content().readableBytes();
            if (droppedBytes > limits.bodyBytes()) {
                context.close();
            }
        } else if (body != null) {
            @Nullable
            HttpResponseStatus refusal = content.decoderResult().isFailure()
                    ? HttpResponseStatus.BAD_REQUEST
                    : body.add(content.content(), context.alloc());
            if (refusal != null) {
                refuse(context, refusal);
            }
        }
    }

    private void onEnd(ChannelHandlerContext context) {
        if (head == null || body == null) {
            return;
        }
        if (refused) {
            // The codec reads nothing behind a malformed request, but the client may still send.
            ended = head.decoderResult().isSuccess();
            if (ended && replied) {
                context.close();
            }
            return;
        }
        ended = true;
        cancelTimer();
        if (heads != null) {
            context.channel().config().setAutoRead(false);
        }
        context.fireChannelRead(new DefaultFullHttpRequest(
                head.protocolVersion(),
                head.method(),
                head.uri(),
                body.take(),
                head.headers(),
                EmptyHttpHeaders.INSTANCE));
    }

    private void refuse(ChannelHandlerContext context, HttpResponseStatus status) {
        refused = true;
        keepAlive = false;
        send(context, Reply.ofStatus(status), context.newPromise());
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof Reply reply) {
            send(context, reply, promise);
        } else {
            context.write(message, promise);
        }
    }

    private void send(ChannelHandlerContext context, Reply whole, ChannelPromise promise) {
        Reply reply = head != null && head.method().equals(HttpMethod.HEAD) ? whole.withoutBody() : whole;
        promise.addListener(sent -> onReplied(context, sent.isSuccess()));
        // Only a client of HTTP/1.0 that keeps the connection reads the header in another way.
        HttpVersion version = head == null || !keepAlive ? HttpVersion.HTTP_1_1 : head.protocolVersion();
        HttpUtil.setKeepAlive(reply.head().headers(), version, keepAlive);
        context.write(reply.head());
        @Nullable FileRegion region = sendsRegions ? reply.body().toRegion() : null;
        ReplyProgress measure = progressOf(context);
        ChannelProgressivePromise left =
                measure.follow(context, promise, reply.body().length());
        checkProgressAfter(context, measure, stallNanos());
        if (region == null) {
            context.writeAndFlush(new HttpChunkedInput(reply.body()), left);
        } else {
            context.write(region, progressOfRegion(context, left));
            context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT, left);
        }
    }

    private ReplyProgress progressOf(ChannelHandlerContext context) {
        if (progress == null) {
            progress = new ReplyProgress(context.executor().ticker()::nanoTime);
        }
        return progress;
    }

    private static ChannelPromise progressOfRegion(ChannelHandlerContext context, ChannelProgressivePromise reply) {
        return context.newProgressivePromise().addListener(new ChannelProgressiveFutureListener() {
            @Override
            public void operationProgressed(ChannelProgressiveFuture region, long bytes, long total) {
                reply.tryProgress(bytes, total);
            }

            @Override
            public void operationComplete(ChannelProgressiveFuture region) {
                if (!region.isSuccess()) {
                    context.close();
                }
            }
        });
    }

    private void onReplied(ChannelHandlerContext context, boolean success) {
        cancelTimer();
        replied = true;
        if (body != null) {
            body.release();
        }
        if (!success) {
            context.close();
        } else if (keepAlive) {
            // Not at once: the next request may be in the queue below, and its response would nest in this one.
            context.executor().execute(() -> readNext(context));
        } else if (ended) {
            context.close();
        } else {
            // Closing now would reset the connection, and the client might lose the refusal.
            startTimer(context, LINGER_SECONDS, TimeUnit.SECONDS, context::close);
        }
    }

    private void readNext(ChannelHandlerContext context) {
        if (heads != null && !context.isRemoved()) {
            heads.onReplied();
            context.channel().config().setAutoRead(true);
        }
    }

    private long stallNanos() {
        return TimeUnit.SECONDS.toNanos(limits.stallSeconds());
    }

    private void checkProgressAfter(ChannelHandlerContext context, ReplyProgress measure, long nanos) {
        startTimer(context, nanos, TimeUnit.NANOSECONDS, () -> {
            long left = stallNanos() - measure.lagNanos();
            if (left > 0) {
                checkProgressAfter(context, measure, left);
            } else {
                log.accept(context.channel() + " closed: lags " + limits.stallSeconds()
                        + " s behind with taking its response");
                context.close();
            }
        });
    }

    private void startTimer(ChannelHandlerContext context, long time, TimeUnit unit, Runnable task) {
        cancelTimer();
        if (context.channel().isActive()) {
            timer = context.executor().schedule(task, time, unit);
        }
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        handlerRemoved(context);
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        cancelTimer();
        if (body != null) {
            body.release();
        }
    }
}
