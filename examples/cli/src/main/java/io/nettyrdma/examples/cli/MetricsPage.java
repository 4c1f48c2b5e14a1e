// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.netty4.NettyAllocatorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.CharsetUtil;
import io.netty.util.NetUtil;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.EventLoops;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.metrics.RdmaMetrics;
import io.nettyrdma.rpc.metrics.RpcRdmaMetrics;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * The meters of this process for Prometheus: those of RDMA event loops, of RPC-over-RDMA, of Netty's pooled buffers
 * and of the JVM's memory.
 *
 * <p>Threading: opened and closed by one thread. Ownership: of an event loop.
 */
final class MetricsPage implements AutoCloseable {

    private static final String PATH = "/metrics";
    private static final String MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private static final ConnectionLimit.Settings LIMITS = new ConnectionLimit.Settings(16, 60);
    private static final int SHUTDOWN_SECONDS = 1;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final RdmaMetrics loops = new RdmaMetrics();
    private final RpcRdmaMetrics calls = new RpcRdmaMetrics();
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Channel listener;

    /** Opens the page. */
    MetricsPage(InetSocketAddress address, PeerLog log) throws IOException, InterruptedException {
        loops.bindTo(registry);
        calls.bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new NettyAllocatorMetrics(PooledByteBufAllocator.DEFAULT).bindTo(registry);
        ServerBootstrap server = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .handler(new ConnectionLimit(LIMITS, log))
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        new HttpServerCodec(),
                                        new HttpServerKeepAliveHandler(),
                                        new HttpObjectAggregator(0),
                                        new Answer(),
                                        log);
                    }
                });
        boolean open = false;
        try {
            listener = Addresses.awaitBound(server.bind(address), address);
            open = true;
        } finally {
            if (!open) {
                close();
            }
        }
    }

    /** Returns what measures the connections of RPC-over-RDMA. */
    RpcRdmaListener listener() {
        return calls;
    }

    /** Returns where the page is. */
    String location() {
        return "http://" + NetUtil.toSocketAddressString((InetSocketAddress) listener.localAddress()) + PATH;
    }

    private final class Answer extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            boolean known =
                    request.uri().equals(PATH) && request.decoderResult().isSuccess();
            ByteBuf text = known ? Unpooled.copiedBuffer(registry.scrape(), CharsetUtil.UTF_8) : Unpooled.EMPTY_BUFFER;
            FullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, known ? HttpResponseStatus.OK : HttpResponseStatus.NOT_FOUND, text);
            response.headers().set(HttpHeaderNames.CONTENT_TYPE, MEDIA_TYPE);
            HttpUtil.setContentLength(response, text.readableBytes());
            context.writeAndFlush(response);
        }
    }

    @Override
    public void close() {
        EventLoops.shutDown(group, SHUTDOWN_SECONDS);
        loops.close();
        registry.close();
    }
}
