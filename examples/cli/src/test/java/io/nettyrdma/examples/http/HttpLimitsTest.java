// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What one client can make the server do and hold. */
class HttpLimitsTest {

    private static final byte[] NOTHING = {};
    private static final int BODY_BYTES = 100_000;

    /** Small and short, but for the waits that no test is about. */
    private static final HttpLimits SMALL = new HttpLimits(60, 60, 60, 4096, 8192, BODY_BYTES, 150_000, 100);

    @TempDir
    Path directory;

    private HttpServerFixture server(Transport transport, HttpLimits limits) throws Exception {
        return new HttpServerFixture(directory, transport, null, limits);
    }

    @ParameterizedTest
    @CsvSource({
        "'GET / HTTP/1.1\r\n\r\n', 400",
        "'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400",
        "'GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n', 400",
        "'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400",
        "'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400",
        "'POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400",
        "'nonsense\r\n\r\n', 400",
        "'GET / HTTP/2.7\r\nHost: a\r\n\r\n', 505",
        "'GET / HTTP/1.1\r\nHost: a\r\nExpect: the-impossible\r\n\r\n', 417",
        "'DELETE / HTTP/1.1\r\nHost: a\r\n\r\n', 405",
        "'POST /other HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc', 405",
        "'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n', 405",
        "'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100001\r\n\r\n', 413",
        "'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 100001\r\n\r\n', 413",
    })
    void requestsThatTheServerDoesNotTakeAreRefusedAndTheConnectionCloses(String request, int status) throws Exception {
        try (HttpServerFixture server = server(Transport.NIO, SMALL);
                Http1Client client = new Http1Client(Transport.NIO, server.address())) {
            client.sendText(request);
            Http1Client.Response response = client.response();
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.header(HttpHeaderNames.CONNECTION)).isEqualTo("close");
            client.awaitClosed();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void longLinesAndHeadersAreRefused(Transport transport) throws Exception {
        try (HttpServerFixture server = server(transport, SMALL)) {
            try (Http1Client client = new Http1Client(transport, server.address())) {
                client.sendText("GET /" + "x".repeat(4096) + " HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(client.response().status()).isEqualTo(414);
                client.awaitClosed();
            }
            try (Http1Client client = new Http1Client(transport, server.address())) {
                client.sendText("GET / HTTP/1.1\r\nHost: a\r\n" + "X: y\r\n".repeat(8192));
                assertThat(client.response().status()).isEqualTo(431);
                client.awaitClosed();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void bodyOfUnknownLengthBeyondTheLimitIsRefused(Transport transport) throws Exception {
        try (HttpServerFixture server = server(transport, SMALL);
                Http1Client client = new Http1Client(transport, server.address())) {
            DefaultHttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/echo");
            request.headers().set(HttpHeaderNames.HOST, "localhost");
            HttpUtil.setTransferEncodingChunked(request, true);
            client.send(request);
            client.channel
                    .writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[BODY_BYTES])))
                    .sync();
            assertThat(client.hasNoMoreResponses()).isTrue();
            client.channel.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[1])));
            assertThat(client.response().status()).isEqualTo(413);
            client.awaitClosed();
        }
    }

    /** Two bodies of two thirds of the budget: the second is refused, and taken when the first is answered. */
    @Test
    void bodiesOfAllConnectionsHaveALimit() throws Exception {
        HttpLimits limits = new HttpLimits(60, 60, 60, 4096, 8192, BODY_BYTES, BODY_BYTES, 100);
        try (HttpServerFixture server = server(Transport.NIO, limits);
                Http2Client client = new Http2Client(Transport.NIO, server.address(), false)) {
            CompletableFuture<Http1Client.Response> first = new CompletableFuture<>();
            Http2StreamChannel stream = client.stream(first);
            FullHttpRequest half = Http1Client.request(HttpMethod.POST, "/echo", new byte[60_000]);
            stream.write(new DefaultHttpRequest(half.protocolVersion(), half.method(), half.uri(), half.headers()));
            stream.writeAndFlush(new DefaultHttpContent(half.content())).sync();
            FullHttpRequest second = Http1Client.request(HttpMethod.POST, "/echo", new byte[60_000]);
            assertThat(Http2Client.await(client.send(second)).status()).isEqualTo(503);
            ChannelFuture reset = stream.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL));
            assertThat(reset.await().isSuccess()).isTrue();
            int status = 0;
            for (int i = 0; i < 1000 && status != 200; i++) { // the server sees the reset a little later
                FullHttpRequest third = Http1Client.request(HttpMethod.POST, "/echo", new byte[60_000]);
                status = Http2Client.await(client.send(third)).status();
            }
            assertThat(status).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void headersThatDoNotEndCloseTheConnection(Transport transport) throws Exception {
        HttpLimits limits = new HttpLimits(1, 60, 60, 4096, 8192, BODY_BYTES, BODY_BYTES, 100);
        try (HttpServerFixture server = server(transport, limits);
                Http1Client client = new Http1Client(transport, server.address());
                Http1Client second = new Http1Client(transport, server.address())) {
            client.sendText("GET / HTTP/1.1\r\nHost: a\r\n");
            server.awaitLine("sent incomplete headers for 1 s");
            client.awaitClosed();
            assertThat(second.get("/missing").status()).isEqualTo(404);
            second.sendText("PRI * HTTP/2");
            server.awaitLine("sent incomplete headers for 1 s");
            second.awaitClosed();
        }
    }

    @Test
    void prefaceThatDoesNotEndClosesTheConnection() throws Exception {
        HttpLimits limits = new HttpLimits(1, 60, 60, 4096, 8192, BODY_BYTES, BODY_BYTES, 100);
        try (HttpServerFixture server = server(Transport.NIO, limits);
                Http1Client client = new Http1Client(Transport.NIO, server.address())) {
            client.sendText("PRI * HTTP/2");
            client.awaitClosed();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void bodyThatDoesNotEndIsAnsweredByATimeout(Transport transport) throws Exception {
        HttpLimits limits = new HttpLimits(60, 1, 60, 4096, 8192, BODY_BYTES, BODY_BYTES, 100);
        try (HttpServerFixture server = server(transport, limits);
                Http1Client client = new Http1Client(transport, server.address())) {
            client.sendText("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na");
            assertThat(client.response().status()).isEqualTo(408);
            client.awaitClosed();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void clientThatReadsNothingLosesItsConnection(Transport transport) throws Exception {
        HttpLimits limits = new HttpLimits(60, 60, 1, 4096, 8192, BODY_BYTES, BODY_BYTES, 100);
        try (HttpServerFixture server = server(transport, limits);
                Http1Client client = new Http1Client(transport, server.address())) {
            server.file("file", 50_000_000);
            client.channel.config().setAutoRead(false);
            client.send(Http1Client.request(HttpMethod.GET, "/file", NOTHING));
            server.awaitLine("lags 1 s behind with taking its response");
        }
    }

    @Test
    void streamThatReadsNothingEndsAlone() throws Exception {
        HttpLimits limits = new HttpLimits(60, 60, 1, 4096, 8192, BODY_BYTES, BODY_BYTES, 100);
        try (HttpServerFixture server = server(Transport.NIO, limits);
                Http2Client client = new Http2Client(Transport.NIO, server.address(), false)) {
            server.file("file", 50_000_000);
            CompletableFuture<Http1Client.Response> first = new CompletableFuture<>();
            Http2StreamChannel stream = client.stream(first);
            stream.config().setAutoRead(false);
            stream.writeAndFlush(Http1Client.request(HttpMethod.GET, "/file", NOTHING))
                    .sync();
            server.awaitLine("lags 1 s behind with taking its response");
            assertThat(Http2Client.await(client.send(Http1Client.request(HttpMethod.GET, "/missing", NOTHING)))
                            .status())
                    .isEqualTo(404);
            stream.close().sync(); // frees what the client did not read
        }
    }

    @Test
    void settingsOfHttp2NameTheLimits() throws Exception {
        try (HttpServerFixture server = server(Transport.NIO, SMALL);
                Http2Client client = new Http2Client(Transport.NIO, server.address(), false)) {
            Http2Settings settings = Http2Client.await(client.settings);
            assertThat(settings.maxConcurrentStreams()).isEqualTo(100);
            assertThat(settings.maxHeaderListSize()).isEqualTo(8192);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void streamsThatAreResetAtOnceEndTheConnection(Transport transport) throws Exception {
        try (HttpServerFixture server = server(transport, SMALL);
                Http2Client client = new Http2Client(transport, server.address(), false)) {
            // A client that still writes when the server closes may miss the GOAWAY frame: so not one reset more, and
            // requests without an end, which have no responses that would have to be acknowledged.
            for (int i = 0; i <= HttpPipeline.MAX_RESETS; i++) {
                Http2StreamChannel stream = client.stream(new CompletableFuture<>());
                stream.write(new DefaultHttp2HeadersFrame(
                        new DefaultHttp2Headers()
                                .method("POST")
                                .path("/echo")
                                .scheme("http")
                                .authority("a"),
                        false));
                // until its reset is sent, the stream counts for the limit of those that may be open
                stream.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL))
                        .sync();
            }
            assertThat(Http2Client.await(client.goAway)).isEqualTo(Http2Error.ENHANCE_YOUR_CALM.code());
            server.awaitLine("Maximum number");
        }
    }
}
