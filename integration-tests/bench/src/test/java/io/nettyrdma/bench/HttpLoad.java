// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;

/** HTTP/1.1 with connections that stay: a GET, the whole answer, the next GET. */
final class HttpLoad extends Workload {

    private final Server server;

    HttpLoad(Scenario scenario) {
        server = new Server(scenario.sizeBytes());
    }

    @Override
    void initServer(Channel channel) {
        channel.pipeline().addLast(new HttpServerCodec(), server);
    }

    @Override
    void initClient(Channel channel) {
        channel.pipeline().addLast(new HttpClientCodec(), new Client());
    }

    @Override
    void begin(Channel channel) {
        channel.pipeline().get(Client.class).begin();
    }

    @Sharable
    private static final class Server extends ChannelInboundHandlerAdapter {
        private final ByteBuf body;

        Server(int bodyBytes) {
            body = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(bodyBytes)));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            boolean whole = message instanceof LastHttpContent;
            ReferenceCountUtil.release(message);
            if (whole) {
                DefaultFullHttpResponse response =
                        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body.duplicate());
                response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
                context.write(response, context.voidPromise());
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    private final class Client extends ChannelInboundHandlerAdapter {
        private ChannelHandlerContext context;
        private long sentAt;

        @Override
        public void handlerAdded(ChannelHandlerContext added) {
            context = added;
        }

        void begin() {
            if (trips.takeOne()) {
                sentAt = System.nanoTime();
                DefaultFullHttpRequest request =
                        new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/", Unpooled.EMPTY_BUFFER);
                request.headers().set(HttpHeaderNames.HOST, "localhost");
                context.writeAndFlush(request, context.voidPromise());
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ignored, Object message) {
            boolean whole = message instanceof LastHttpContent;
            ReferenceCountUtil.release(message);
            if (whole) {
                trips.answered(sentAt);
                begin();
            }
        }

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
