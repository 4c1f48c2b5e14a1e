// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;

/** HTTP/2 with a fixed number of streams at a time on a connection: each GET has a stream of its own. */
final class Http2Load extends Workload {

    private final Scenario scenario;
    private final ByteBuf body;

    Http2Load(Scenario scenario) {
        this.scenario = scenario;
        body = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(scenario.sizeBytes())));
    }

    @Override
    void initServer(Channel channel) {
        Http2Settings settings = Http2Settings.defaultSettings().maxConcurrentStreams(2L * scenario.inFlight());
        channel.pipeline()
                .addLast(
                        Http2FrameCodecBuilder.forServer()
                                .initialSettings(settings)
                                .build(),
                        new Http2MultiplexHandler(initializer(Answer::new)));
    }

    @Override
    void initClient(Channel channel) {
        channel.pipeline()
                .addLast(
                        Http2FrameCodecBuilder.forClient().build(),
                        new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()),
                        new Failures());
    }

    @Override
    void begin(Channel channel) {
        for (int i = 0; i < scenario.inFlight(); i++) {
            next(new Http2StreamChannelBootstrap(channel));
        }
    }

    private void next(Http2StreamChannelBootstrap streams) {
        if (trips.takeOne()) {
            streams.handler(initializer(() -> new Client(streams))).open();
        }
    }

    /** Makes handlers. */
    private interface Handlers {
        ChannelHandler make();
    }

    private static ChannelHandler initializer(Handlers handlers) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel stream) {
                stream.pipeline().addLast(handlers.make());
            }
        };
    }

    private final class Answer extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object frame) {
            boolean whole = frame instanceof Http2HeadersFrame headers && headers.isEndStream();
            ReferenceCountUtil.release(frame);
            if (whole) {
                Http2Headers headers = new DefaultHttp2Headers().status("200");
                context.write(new DefaultHttp2HeadersFrame(headers));
                context.write(new DefaultHttp2DataFrame(body.duplicate(), true));
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    private final class Client extends ChannelInboundHandlerAdapter {
        private final Http2StreamChannelBootstrap streams;
        private final long sentAt = System.nanoTime();

        Client(Http2StreamChannelBootstrap streams) {
            this.streams = streams;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            Http2Headers headers = new DefaultHttp2Headers()
                    .method("GET")
                    .scheme("http")
                    .path("/")
                    .authority("localhost");
            context.writeAndFlush(new DefaultHttp2HeadersFrame(headers, true));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object frame) {
            boolean whole = frame instanceof Http2DataFrame data && data.isEndStream();
            ReferenceCountUtil.release(frame);
            if (whole) {
                trips.answered(sentAt);
                next(streams);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
            trips.fail(cause);
        }
    }

    private final class Failures extends ChannelInboundHandlerAdapter {

        @Override
        public void channelInactive(ChannelHandlerContext closed) {
            trips.fail(new IllegalStateException("connection closed in the middle of a round"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
            trips.fail(cause);
        }
    }
}
