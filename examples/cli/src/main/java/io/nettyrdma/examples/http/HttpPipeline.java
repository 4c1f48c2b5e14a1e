// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerExpectContinueHandler;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.codec.http.HttpServerUpgradeHandler;
import io.netty.handler.codec.http2.CleartextHttp2ServerUpgradeHandler;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ServerUpgradeCodec;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.util.AsciiString;
import io.nettyrdma.examples.guard.PeerLog;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The handlers of a connection, Netty's but for the last. The first bytes choose between HTTP/1.1 and HTTP/2: the
 * preface or an upgrade in clear, ALPN with TLS. Each stream of HTTP/2 is a channel whose codec makes it look like a
 * connection of HTTP/1.1 with one request.
 */
final class HttpPipeline extends ChannelInitializer<Channel> {

    private static final String LOG = "log";

    private final @Nullable SslContext tls;
    private final Supplier<FileHandler> files;
    private final PeerLog log;

    /** @param tls null for clear text */
    HttpPipeline(@Nullable SslContext tls, Supplier<FileHandler> files, PeerLog log) {
        this.tls = tls;
        this.files = files;
        this.log = log;
    }

    @Override
    protected void initChannel(Channel channel) {
        ChannelPipeline pipeline = channel.pipeline().addLast(LOG, log);
        if (tls == null) {
            addClear(pipeline);
        } else {
            add(pipeline, tls.newHandler(channel.alloc()), negotiation());
        }
    }

    private static void add(ChannelPipeline pipeline, ChannelHandler... handlers) {
        for (ChannelHandler handler : handlers) {
            pipeline.addBefore(LOG, null, handler);
        }
    }

    private void addClear(ChannelPipeline pipeline) {
        HttpServerCodec codec = new HttpServerCodec();
        HttpServerUpgradeHandler upgrade = new HttpServerUpgradeHandler(
                codec,
                protocol -> AsciiString.contentEquals(Http2CodecUtil.HTTP_UPGRADE_PROTOCOL_NAME, protocol)
                        ? new Http2ServerUpgradeCodec(http2(), streams())
                        : null,
                0,
                DefaultHttpHeadersFactory.headersFactory(),
                DefaultHttpHeadersFactory.trailersFactory(),
                true); // of the first request only: later, it would cut a response off
        ChannelHandler preface = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                add(channel.pipeline(), http2(), streams());
            }
        };
        ChannelHandler noUpgrade = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                if (message instanceof HttpMessage) {
                    addHttp1(context.pipeline());
                    context.pipeline().remove(this); // now, so that it still knows what is next
                }
                context.fireChannelRead(message);
            }
        };
        add(pipeline, new CleartextHttp2ServerUpgradeHandler(codec, upgrade, preface), noUpgrade);
    }

    private ChannelHandler negotiation() {
        return new ApplicationProtocolNegotiationHandler(ApplicationProtocolNames.HTTP_1_1) {
            @Override
            protected void configurePipeline(ChannelHandlerContext context, String protocol) {
                if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                    add(context.pipeline(), http2(), streams());
                } else {
                    add(context.pipeline(), new HttpServerCodec());
                    addHttp1(context.pipeline());
                }
            }

            @Override
            protected void handshakeFailure(ChannelHandlerContext context, Throwable cause) {
                log.exceptionCaught(context, cause);
            }
        };
    }

    /** Adds what stands behind the codec. */
    private void addHttp1(ChannelPipeline pipeline) {
        add(
                pipeline,
                new HttpServerKeepAliveHandler(),
                new HttpServerExpectContinueHandler(),
                new FlowControlHandler(),
                new ChunkedWriteHandler(),
                files.get());
    }

    private static Http2FrameCodec http2() {
        return Http2FrameCodecBuilder.forServer().build();
    }

    private Http2MultiplexHandler streams() {
        return new Http2MultiplexHandler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel stream) {
                stream.pipeline()
                        .addLast(
                                new Http2StreamFrameToHttpObjectCodec(true),
                                new HttpServerExpectContinueHandler(),
                                new ChunkedWriteHandler(),
                                files.get(),
                                log);
            }
        });
    }
}
