// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.nettyrdma.deadline.Deadline;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A connection of HTTP/1.1 over the same transport as the server's. */
final class Http1Client implements AutoCloseable {

    private static final int MAX_BODY_BYTES = 64 * 1024 * 1024;

    /** A response with its whole body. */
    record Response(int status, HttpHeaders headers, byte[] body) {

        String header(CharSequence name) {
            return String.valueOf(headers.get(name));
        }
    }

    private final ClientLoop loop;
    private final LinkedBlockingQueue<Response> responses = new LinkedBlockingQueue<>();
    final Channel channel;

    Http1Client(Transport transport, InetSocketAddress server) throws InterruptedException {
        this(transport, server, null);
    }

    /** With TLS if there is a context for it. */
    Http1Client(Transport transport, InetSocketAddress server, @Nullable SslContext tls) throws InterruptedException {
        loop = new ClientLoop(transport);
        channel = loop.connect(
                server, tls, new HttpClientCodec(), new HttpObjectAggregator(MAX_BODY_BYTES), new Collector());
    }

    private final class Collector extends SimpleChannelInboundHandler<FullHttpResponse> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
            responses.add(new Response(
                    response.status().code(), response.headers(), ByteBufUtil.getBytes(response.content())));
        }
    }

    static DefaultFullHttpRequest request(HttpMethod method, String target, byte[] body) {
        DefaultFullHttpRequest request =
                new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, method, target, Unpooled.wrappedBuffer(body));
        request.headers().set(HttpHeaderNames.HOST, "localhost");
        HttpUtil.setContentLength(request, body.length);
        return request;
    }

    void send(HttpRequest request) {
        channel.writeAndFlush(request);
    }

    /** Sends text as it is, beside the codec, so its answer cannot be to HEAD. */
    void sendText(String text) {
        channel.pipeline().firstContext().writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
    }

    Response get(String target) throws InterruptedException {
        send(request(HttpMethod.GET, target, new byte[0]));
        return response();
    }

    Response response() throws InterruptedException {
        Response response = responses.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(response).as("response").isNotNull();
        return response;
    }

    boolean hasNoMoreResponses() {
        return responses.isEmpty();
    }

    void awaitClosed() throws InterruptedException {
        assertThat(channel.closeFuture().await(Deadline.SECONDS, TimeUnit.SECONDS))
                .as("closed by the server")
                .isTrue();
    }

    @Override
    public void close() {
        loop.close();
    }
}
