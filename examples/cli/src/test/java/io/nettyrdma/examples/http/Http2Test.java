// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests of HTTP/2 in clear with prior knowledge over RDMA, and over TCP beside it. */
class Http2Test {

    private static final byte[] NOTHING = {};

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void filesArriveWholeOnConcurrentStreams(Transport transport) throws Exception {
        int[] lengths = {20_000_000, 0, 1, 70_000};
        try (HttpServerFixture server = new HttpServerFixture(directory, transport);
                Http2Client client = new Http2Client(transport, server.address(), false)) {
            for (int length : lengths) {
                server.file("file " + length + ".png", length);
            }
            List<CompletableFuture<Http1Client.Response>> responses = new ArrayList<>();
            for (int length : lengths) {
                responses.add(
                        client.send(Http1Client.request(HttpMethod.GET, "/file%20" + length + ".png?query", NOTHING)));
            }
            for (int i = 0; i < lengths.length; i++) {
                Http1Client.Response response = Http2Client.await(responses.get(i));
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.body()).isEqualTo(HttpServerFixture.bytes(lengths[i]));
                assertThat(response.header(HttpHeaderNames.CONTENT_LENGTH)).isEqualTo("" + lengths[i]);
                assertThat(response.header(HttpHeaderNames.CONTENT_TYPE)).isEqualTo("image/png");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void headHasTheLengthAndBodyComesBackFromEcho(Transport transport) throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, transport);
                Http2Client client = new Http2Client(transport, server.address(), false)) {
            server.file("file", 70_000);
            Http1Client.Response head =
                    Http2Client.await(client.send(Http1Client.request(HttpMethod.HEAD, "/file", NOTHING)));
            assertThat(head.header(HttpHeaderNames.CONTENT_LENGTH)).isEqualTo("70000");
            assertThat(head.body()).isEmpty();
            byte[] body = HttpServerFixture.bytes(200_000);
            Http1Client.Response echo =
                    Http2Client.await(client.send(Http1Client.request(HttpMethod.POST, "/echo", body)));
            assertThat(echo.status()).isEqualTo(200);
            assertThat(echo.body()).isEqualTo(body);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void refusalsEndTheStreamAndNotTheConnection(Transport transport) throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, transport);
                Http2Client client = new Http2Client(transport, server.address(), false)) {
            server.file("file", 3);
            assertThat(status(client, HttpMethod.GET, "/missing")).isEqualTo(404);
            assertThat(status(client, HttpMethod.GET, "/a/%2e%2e/file")).isEqualTo(404);
            assertThat(status(client, HttpMethod.DELETE, "/file")).isEqualTo(405);
            assertThat(status(client, HttpMethod.POST, "/file")).isEqualTo(405);
            assertThat(status(client, HttpMethod.GET, "/file")).isEqualTo(200);
        }
    }

    private static int status(Http2Client client, HttpMethod method, String target) throws Exception {
        return Http2Client.await(client.send(Http1Client.request(method, target, NOTHING)))
                .status();
    }
}
