// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.stream.ChunkedStream;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.nettyrdma.deadline.Deadline;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server and a client of Netty's HTTP/1.1 codec, which differ in nothing but their {@link StreamStack}. */
class HttpOverStreamTest {

    private static final int BODY_BYTES = 1024 * 1024;
    private static final int REQUESTS = 100;
    private static final int CONNECTIONS = 4;
    private static final int REQUESTS_EACH = 3;

    private final List<EventLoopGroup> groups = new ArrayList<>();
    private InetSocketAddress address;

    /** Sends the body of each request back while it arrives, in chunks, from the buffers that it came in. */
    private static final class Echo extends SimpleChannelInboundHandler<HttpObject> {
        private boolean keepAlive;

        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
            if (part instanceof HttpRequest request) {
                keepAlive = HttpUtil.isKeepAlive(request);
                DefaultHttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
                response.headers().set("path", request.uri());
                HttpUtil.setTransferEncodingChunked(response, true);
                HttpUtil.setKeepAlive(response, keepAlive);
                context.write(response);
            }
            if (part instanceof HttpContent content && content.content().isReadable()) {
                context.write(new DefaultHttpContent(content.content().retain()));
            }
            if (part instanceof LastHttpContent) {
                context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(sent -> {
                    if (!keepAlive) {
                        context.close();
                    }
                });
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    /** A connection of the client, and what comes back on it: responses with their whole bodies, and failures. */
    private final class Connection {
        private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();
        private final Channel channel;

        Connection(StreamStack stack, EventLoopGroup group) throws InterruptedException {
            channel = new Bootstrap()
                    .group(group)
                    .channel(stack.client())
                    .handler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel made) {
                            made.pipeline()
                                    .addLast(new HttpClientCodec())
                                    .addLast(new HttpObjectAggregator(BODY_BYTES))
                                    .addLast(new ChunkedWriteHandler())
                                    .addLast(new Collector());
                        }
                    })
                    .connect(address)
                    .sync()
                    .channel();
        }

        private final class Collector extends SimpleChannelInboundHandler<FullHttpResponse> {
            @Override
            protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
                received.add(response.retain());
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                received.add(cause);
            }
        }

        /** A body of known length, in one buffer. */
        void post(String path, byte[] body, boolean keepAlive) {
            FullHttpRequest request = new DefaultFullHttpRequest(
                    HttpVersion.HTTP_1_1, HttpMethod.POST, path, Unpooled.wrappedBuffer(body));
            HttpUtil.setContentLength(request, body.length);
            HttpUtil.setKeepAlive(request, keepAlive);
            channel.writeAndFlush(request);
        }

        /** A body in chunks, which are made when the channel takes them. */
        void postChunked(String path, byte[] body) {
            HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, path);
            request.headers().set(HttpHeaderNames.HOST, "localhost");
            HttpUtil.setTransferEncodingChunked(request, true);
            channel.write(request);
            channel.writeAndFlush(new HttpChunkedInput(new ChunkedStream(new ByteArrayInputStream(body))));
        }

        void expect(String path, byte[] body) throws InterruptedException {
            Object next = received.poll(Deadline.SECONDS, TimeUnit.SECONDS);
            assertThat(next).as("response to " + path).isInstanceOf(FullHttpResponse.class);
            FullHttpResponse response = (FullHttpResponse) next;
            try {
                assertThat(response.status()).isEqualTo(HttpResponseStatus.OK);
                assertThat(response.headers().get("path")).isEqualTo(path);
                assertThat(ByteBufUtil.getBytes(response.content())).isEqualTo(body);
            } finally {
                response.release();
            }
        }
    }

    private static byte[] body(int seed, int length) {
        byte[] body = new byte[length];
        new Random(seed).nextBytes(body);
        return body;
    }

    private EventLoopGroup group(StreamStack stack) {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, stack.io());
        groups.add(group);
        return group;
    }

    private void listen(StreamStack stack) throws InterruptedException {
        Channel listener = new ServerBootstrap()
                .group(group(stack))
                .channel(stack.server())
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new HttpServerCodec()).addLast(new Echo());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        address = (InetSocketAddress) listener.localAddress();
    }

    @AfterEach
    void end() throws Exception {
        for (EventLoopGroup group : groups) {
            group.shutdownGracefully(0, Deadline.SECONDS, TimeUnit.SECONDS).sync();
        }
    }

    @ParameterizedTest
    @EnumSource
    void bodyOfAMebibyteIsAnsweredByOne(StreamStack stack) throws Exception {
        listen(stack);
        Connection connection = new Connection(stack, group(stack));
        byte[] body = body(1, BODY_BYTES);
        connection.post("/whole", body, true);
        connection.expect("/whole", body);
        connection.postChunked("/chunked", body);
        connection.expect("/chunked", body);
    }

    @ParameterizedTest
    @EnumSource
    void connectionIsKeptForAHundredRequestsAndClosedAfterTheLast(StreamStack stack) throws Exception {
        listen(stack);
        Connection connection = new Connection(stack, group(stack));
        for (int i = 1; i <= REQUESTS; i++) {
            byte[] body = body(i, i * 37);
            connection.post("/" + i, body, i < REQUESTS);
            connection.expect("/" + i, body);
        }
        assertThat(connection.channel.closeFuture().await(Deadline.SECONDS, TimeUnit.SECONDS))
                .as("closed by the server")
                .isTrue();
        assertThat(connection.received).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void requestsThatDoNotWaitForResponsesAreAnsweredInOrder(StreamStack stack) throws Exception {
        listen(stack);
        Connection connection = new Connection(stack, group(stack));
        for (int i = 1; i <= REQUESTS; i++) {
            connection.post("/" + i, body(i, i * 37), true);
        }
        for (int i = 1; i <= REQUESTS; i++) {
            connection.expect("/" + i, body(i, i * 37));
        }
    }

    @ParameterizedTest
    @EnumSource
    void connectionsDoNotDisturbEachOther(StreamStack stack) throws Exception {
        listen(stack);
        EventLoopGroup group = group(stack);
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            connections.add(new Connection(stack, group));
        }
        for (int round = 0; round < REQUESTS_EACH; round++) {
            for (int i = 0; i < CONNECTIONS; i++) {
                connections.get(i).postChunked("/" + i + "/" + round, body(10 * i + round, BODY_BYTES));
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                connections.get(i).expect("/" + i + "/" + round, body(10 * i + round, BODY_BYTES));
            }
        }
    }
}
