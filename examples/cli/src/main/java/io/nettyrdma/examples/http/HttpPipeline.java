// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ServerUpgradeCodec;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.nettyrdma.examples.guard.CallCounter;
import io.nettyrdma.examples.guard.FailureLog;
import io.nettyrdma.examples.guard.PeerLog;
import org.jspecify.annotations.Nullable;

/**
 * The handlers of a connection. The first bytes choose between HTTP/1.1 and HTTP/2: the preface in clear, ALPN with
 * TLS. Each stream of HTTP/2 is a channel whose codec makes it look like a connection of HTTP/1.1 with one request.
 */
final class HttpPipeline extends ChannelInitializer<Channel> {

    /** More resets than this in so many seconds end a connection of HTTP/2: each costs a request that was begun. */
    static final int MAX_RESETS = 200;

    private static final int RESETS_SECONDS = 30;

    private final HttpLimits limits;
    private final BodyBudget budget;
    private final @Nullable SslContext tls;
    private final FileHandler files;
    private final PeerLog log;
    private final FailureLog failures;
    private final Http2FailureLog http2Failures;

    /** @param tls null for clear text */
    HttpPipeline(HttpLimits limits, @Nullable SslContext tls, FileHandler files, PeerLog log) {
        this.limits = limits;
        this.tls = tls;
        this.files = files;
        this.log = log;
        budget = new BodyBudget(limits.allBodiesBytes());
        failures = new FailureLog(log);
        http2Failures = new Http2FailureLog(log, failures);
    }

    @Override
    protected void initChannel(Channel channel) {
        HeadDeadline heads = new HeadDeadline(limits.headSeconds(), log);
        if (tls == null) {
            channel.pipeline()
                    .addLast(
                            heads,
                            new ProtocolChoice(
                                    pipeline -> addHttp1(pipeline, heads, true), pipeline -> addHttp2(pipeline, heads)),
                            failures);
        } else {
            channel.pipeline().addLast(tls.newHandler(channel.alloc()), heads, negotiation(heads), failures);
        }
    }

    private ChannelHandler negotiation(HeadDeadline heads) {
        return new ApplicationProtocolNegotiationHandler(ApplicationProtocolNames.HTTP_1_1) {
            @Override
            protected void configurePipeline(ChannelHandlerContext context, String protocol) {
                if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                    addHttp2(context.pipeline(), heads);
                } else {
                    addHttp1(context.pipeline(), heads, false);
                }
            }

            @Override
            protected void handshakeFailure(ChannelHandlerContext context, Throwable cause) {
                failures.exceptionCaught(context, cause);
            }
        };
    }

    private void addHttp1(ChannelPipeline pipeline, HeadDeadline heads, boolean isClear) {
        HttpServerCodec codec = new HttpServerCodec(new HttpDecoderConfig()
                .setMaxInitialLineLength(limits.lineBytes())
                .setMaxHeaderSize(limits.headerBytes()));
        ChannelHandler[] handlers = {
            new FlowControlHandler(),
            new ChunkedWriteHandler(),
            HttpExchange.ofConnection(limits, budget, log, heads, isClear),
            new CallCounter(),
            files
        };
        pipeline.remove(failures);
        pipeline.addLast(codec);
        if (isClear) {
            pipeline.addLast(new UpgradeHandler(codec, () -> new Http2ServerUpgradeCodec(http2(), streams()), () -> {
                heads.onHead();
                for (ChannelHandler handler : handlers) {
                    pipeline.remove(handler);
                }
                pipeline.replace(failures, null, http2Failures);
            }));
        }
        pipeline.addLast(handlers).addLast(failures);
    }

    private void addHttp2(ChannelPipeline pipeline, HeadDeadline heads) {
        heads.onHead(); // the time of a stream begins with its headers
        pipeline.remove(failures);
        pipeline.addLast(http2(), streams(), http2Failures);
    }

    private Http2FrameCodec http2() {
        return Http2FrameCodecBuilder.forServer()
                .initialSettings(new Http2Settings()
                        .maxConcurrentStreams(limits.streams())
                        .maxHeaderListSize(limits.headerBytes()))
                .decoderEnforceMaxRstFramesPerWindow(MAX_RESETS, RESETS_SECONDS)
                .build();
    }

    private Http2MultiplexHandler streams() {
        return new Http2MultiplexHandler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel stream) {
                stream.pipeline()
                        .addLast(
                                new Http2StreamFrameToHttpObjectCodec(true),
                                new ChunkedWriteHandler(),
                                HttpExchange.ofStream(limits, budget, log),
                                new CallCounter(),
                                files,
                                failures);
            }
        });
    }
}
