// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.nettyrdma.deadline.Deadline;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A connection of HTTP/2 over the same transport as the server's: with prior knowledge in clear, or with TLS. */
final class Http2Client implements AutoCloseable {

    private final ClientLoop loop;
    final Channel channel;
    final CompletableFuture<Http2Settings> settings = new CompletableFuture<>();
    final CompletableFuture<Long> goAway = new CompletableFuture<>();

    Http2Client(Transport transport, InetSocketAddress server, boolean isEncrypted) throws Exception {
        loop = new ClientLoop(transport);
        @Nullable SslContext tls = isEncrypted ? tls(ApplicationProtocolNames.HTTP_2) : null;
        channel = loop.connect(
                server,
                tls,
                Http2FrameCodecBuilder.forClient().build(),
                new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()),
                new ConnectionFrames());
        if (tls != null) {
            SslHandler handler = channel.pipeline().get(SslHandler.class);
            handler.handshakeFuture().sync();
            assertThat(handler.applicationProtocol()).isEqualTo(ApplicationProtocolNames.HTTP_2);
        }
    }

    static SslContext tls(String... protocols) throws Exception {
        return SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        protocols))
                .build();
    }

    private final class ConnectionFrames extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
            if (message instanceof Http2SettingsFrame frame) {
                settings.complete(frame.settings());
            } else if (message instanceof Http2GoAwayFrame frame) {
                goAway.complete(frame.errorCode());
            }
            super.channelRead(context, message);
        }
    }

    private static final class Collector extends SimpleChannelInboundHandler<HttpObject> {
        private final CompletableFuture<Http1Client.Response> response;
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private @Nullable HttpResponse head;

        Collector(CompletableFuture<Http1Client.Response> response) {
            this.response = response;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpObject part) throws Exception {
            if (part instanceof HttpResponse begin && begin.status().code() != 100) {
                head = begin;
            }
            if (part instanceof HttpContent content) {
                content.content().readBytes(body, content.content().readableBytes());
            }
            if (part instanceof LastHttpContent && head != null) {
                response.complete(new Http1Client.Response(head.status().code(), head.headers(), body.toByteArray()));
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            response.completeExceptionally(new IllegalStateException("the stream ended without a response"));
        }
    }

    Http2StreamChannel stream(CompletableFuture<Http1Client.Response> response) {
        return new Http2StreamChannelBootstrap(channel)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel stream) {
                        stream.pipeline()
                                .addLast(new Http2StreamFrameToHttpObjectCodec(false))
                                .addLast(new Collector(response));
                    }
                })
                .open()
                .syncUninterruptibly()
                .getNow();
    }

    CompletableFuture<Http1Client.Response> send(FullHttpRequest request) {
        CompletableFuture<Http1Client.Response> response = new CompletableFuture<>();
        stream(response).writeAndFlush(request);
        return response;
    }

    static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        loop.close();
    }
}
