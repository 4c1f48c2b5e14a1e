// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.netty4.NettyAllocatorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.NetUtil;
import io.nettyrdma.metrics.RdmaMetrics;
import io.nettyrdma.rpc.metrics.RpcRdmaMetrics;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * The meters of this process for Prometheus: those of RDMA event loops, of RPC-over-RDMA, of Netty's pooled buffers
 * and of the JVM's memory.
 *
 * <p>Threading: any. Ownership: of a thread that answers one request after the other.
 */
final class MetricsPage implements AutoCloseable {

    private static final String PATH = "/metrics";
    private static final String MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private static final int BACKLOG = 16;
    private static final String MOST_SECONDS = "5";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final RdmaMetrics loops = new RdmaMetrics();
    private final RpcRdmaMetrics calls = new RpcRdmaMetrics();
    private final HttpServer server;

    private MetricsPage(HttpServer server) {
        this.server = server;
    }

    /** Opens the page. */
    static MetricsPage open(InetSocketAddress address) throws IOException {
        // The server's only bounds for a peer that sends its request, or takes its answer, too slowly.
        System.setProperty("sun.net.httpserver.maxReqTime", MOST_SECONDS);
        System.setProperty("sun.net.httpserver.maxRspTime", MOST_SECONDS);
        final HttpServer server;
        try {
            server = HttpServer.create(address, BACKLOG);
        } catch (IOException e) {
            throw new IOException("--metrics: " + address + ": " + e.getMessage(), e);
        }
        MetricsPage page = new MetricsPage(server);
        page.loops.bindTo(page.registry);
        page.calls.bindTo(page.registry);
        new JvmMemoryMetrics().bindTo(page.registry);
        new NettyAllocatorMetrics(PooledByteBufAllocator.DEFAULT).bindTo(page.registry);
        server.createContext(PATH, page::answer);
        server.start();
        return page;
    }

    /** Returns what measures the connections of RPC-over-RDMA. */
    RpcRdmaListener listener() {
        return calls;
    }

    /** Returns where the page is. */
    String location() {
        return "http://" + NetUtil.toSocketAddressString(server.getAddress()) + PATH;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", MEDIA_TYPE);
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        loops.close();
        registry.close();
    }
}
