// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.stream.ChunkedNioFile;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.guard.PeerText;
import java.io.IOException;
import java.net.URLConnection;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers GET and HEAD with a file, and POST to {@code /echo} with the body as it comes. It reads the next request when
 * the response has left, and a body no faster than the client takes the echo, so nothing is held for a client. It opens
 * and reads files on the event loop, which is right for local discs with their page cache and wrong for slow ones.
 *
 * <p>Threading: the event loop of its channel.
 */
final class FileHandler extends SimpleChannelInboundHandler<HttpObject> {

    private static final String ECHO = "/echo";
    private static final String INDEX = "index.html";
    private static final int CHUNK_BYTES = 64 * 1024;

    private final ServedFolder folder;
    private final PeerLog log;
    private final @Nullable Consumer<String> access;
    private boolean echoing;
    private boolean requestEnded;
    private boolean responseLeft;

    /** @param access gets a line per request, or null */
    FileHandler(ServedFolder folder, PeerLog log, @Nullable Consumer<String> access) {
        this.folder = folder;
        this.log = log;
        this.access = access;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject part) throws IOException {
        if (part.decoderResult().isFailure()) {
            answer(context, HttpResponseStatus.BAD_REQUEST, true).addListener(ChannelFutureListener.CLOSE);
            return;
        }
        if (part instanceof HttpRequest request) {
            requestEnded = false;
            responseLeft = false;
            begin(context, request);
        }
        if (part instanceof LastHttpContent) {
            requestEnded = true;
        }
        if (echoing && part instanceof HttpContent content) {
            ChannelFuture left = context.writeAndFlush(content.retain());
            if (requestEnded) {
                echoing = false;
                left.addListener(end -> onLeft(context));
            }
        }
        updateRead(context);
    }

    private void begin(ChannelHandlerContext context, HttpRequest request) throws IOException {
        HttpMethod method = request.method();
        String path = path(request);
        HttpResponseStatus status = HttpResponseStatus.OK;
        if (!path.startsWith("/")) {
            status = HttpResponseStatus.BAD_REQUEST;
        } else if (method.equals(HttpMethod.POST) && path.startsWith(ECHO)) {
            echo(context, request);
        } else if (!method.equals(HttpMethod.GET) && !method.equals(HttpMethod.HEAD)) {
            status = HttpResponseStatus.METHOD_NOT_ALLOWED;
        } else {
            status = send(context, path.equals("/") ? INDEX : path.substring(1), method.equals(HttpMethod.HEAD));
        }
        if (access != null) {
            access.accept(context.channel().remoteAddress() + " " + method + " " + request.uri() + " " + status.code());
        }
        if (!status.equals(HttpResponseStatus.OK)) {
            answer(context, status, !method.equals(HttpMethod.HEAD));
        }
    }

    /** Returns the path of a request, or what is none. */
    private static String path(HttpRequest request) {
        try {
            return new QueryStringDecoder(request.uri()).path();
        } catch (IllegalArgumentException e) {
            return ""; // an escape that is none
        }
    }

    private void echo(ChannelHandlerContext context, HttpRequest request) {
        HttpResponse head = head(HttpResponseStatus.OK, "application/octet-stream");
        if (HttpUtil.isContentLengthSet(request)) {
            HttpUtil.setContentLength(head, HttpUtil.getContentLength(request, 0L));
        } else {
            HttpUtil.setTransferEncodingChunked(head, true);
        }
        echoing = true;
        context.write(head);
    }

    /** Sends a file, or returns why there is none. */
    private HttpResponseStatus send(ChannelHandlerContext context, String path, boolean headOnly) throws IOException {
        FileChannel file;
        try {
            file = folder.find(List.of(path.split("/", -1)));
        } catch (IOException e) {
            log.fault("cannot read the file " + path + ": " + PeerText.reason(e));
            return HttpResponseStatus.INTERNAL_SERVER_ERROR;
        }
        if (file == null) {
            return HttpResponseStatus.NOT_FOUND;
        }
        String type = URLConnection.guessContentTypeFromName(path);
        HttpResponse head = head(HttpResponseStatus.OK, type == null ? "application/octet-stream" : type);
        long length = file.size();
        HttpUtil.setContentLength(head, length);
        context.write(head);
        ChannelFuture left;
        if (headOnly) {
            file.close();
            left = context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        } else if (takesRegions(context.channel())) {
            context.write(new DefaultFileRegion(file, 0, length));
            left = context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        } else {
            left = context.writeAndFlush(new HttpChunkedInput(new ChunkedNioFile(file, 0, length, CHUNK_BYTES)));
        }
        left.addListener(end -> onLeft(context));
        return HttpResponseStatus.OK;
    }

    /** TLS has to encrypt what goes, and a stream of HTTP/2 to frame it. */
    private static boolean takesRegions(Channel channel) {
        return channel.pipeline().get(SslHandler.class) == null && !(channel instanceof Http2StreamChannel);
    }

    /** A status and its name, and nothing about the server. */
    private ChannelFuture answer(ChannelHandlerContext context, HttpResponseStatus status, boolean withBody) {
        byte[] text = (status + "\n").getBytes(StandardCharsets.US_ASCII);
        HttpResponse head = head(status, "text/plain");
        HttpUtil.setContentLength(head, text.length);
        if (status.equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
            head.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
        }
        context.write(head);
        ChannelFuture left = context.writeAndFlush(
                withBody
                        ? new DefaultLastHttpContent(Unpooled.wrappedBuffer(text))
                        : LastHttpContent.EMPTY_LAST_CONTENT);
        return left.addListener(end -> onLeft(context));
    }

    private static HttpResponse head(HttpResponseStatus status, String type) {
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
        head.headers()
                .set(HttpHeaderNames.DATE, DateFormatter.format(new Date()))
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .set("x-content-type-options", "nosniff");
        return head;
    }

    private void onLeft(ChannelHandlerContext context) {
        responseLeft = true;
        updateRead(context);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        updateRead(context);
        context.fireChannelWritabilityChanged();
    }

    private void updateRead(ChannelHandlerContext context) {
        boolean mayRead =
                requestEnded ? responseLeft : !echoing || context.channel().isWritable();
        context.channel().config().setAutoRead(mayRead);
    }
}
