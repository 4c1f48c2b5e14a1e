// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests of HTTP/1.1 in clear over RDMA, and over TCP beside it. */
class Http1Test {

    private static final byte[] NOTHING = {};

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void filesArriveWholeOnOneConnection(Transport transport) throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, transport);
                Http1Client client = new Http1Client(transport, server.address())) {
            for (int length : new int[] {0, 1, 70_000, 20_000_000}) {
                byte[] content = server.file("file " + length + ".png", length);
                Http1Client.Response response = client.get("/file%20" + length + ".png?query");
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.body()).isEqualTo(content);
                assertThat(response.header(HttpHeaderNames.CONTENT_LENGTH)).isEqualTo("" + length);
                assertThat(response.header(HttpHeaderNames.CONTENT_TYPE)).isEqualTo("image/png");
            }
            assertThat(client.channel.isActive()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void headHasTheLengthAndNoBody(Transport transport) throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, transport);
                Http1Client client = new Http1Client(transport, server.address())) {
            byte[] content = server.file("file", 70_000);
            client.send(Http1Client.request(HttpMethod.HEAD, "/file", NOTHING));
            Http1Client.Response response = client.response();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header(HttpHeaderNames.CONTENT_LENGTH)).isEqualTo("70000");
            assertThat(response.header(HttpHeaderNames.CONTENT_TYPE)).isEqualTo("application/octet-stream");
            assertThat(response.body()).isEmpty();
            assertThat(client.get("/file").body()).isEqualTo(content);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void bodyComesBackFromEcho(Transport transport) throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, transport);
                Http1Client client = new Http1Client(transport, server.address())) {
            byte[] body = HttpServerFixture.bytes(200_000);
            for (boolean expects : new boolean[] {false, true}) {
                HttpRequest request = Http1Client.request(HttpMethod.POST, "/echo/1", body);
                if (expects) {
                    request.headers().set(HttpHeaderNames.EXPECT, HttpHeaderValues.CONTINUE);
                }
                client.send(request);
                if (expects) {
                    assertThat(client.response().status()).isEqualTo(100);
                }
                Http1Client.Response response = client.response();
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.body()).isEqualTo(body);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void requestsThatDoNotWaitAreAnsweredInOrderUntilTheOneThatCloses(Transport transport) throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, transport);
                Http1Client client = new Http1Client(transport, server.address())) {
            int requests = 100;
            for (int i = 1; i <= requests; i++) {
                HttpRequest request = Http1Client.request(
                        HttpMethod.POST, "/echo", ("body " + i).getBytes(StandardCharsets.US_ASCII));
                if (i == requests) {
                    request.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
                }
                client.send(request);
            }
            for (int i = 1; i <= requests; i++) {
                assertThat(client.response().body()).asString().isEqualTo("body " + i);
            }
            client.awaitClosed();
            assertThat(client.hasNoMoreResponses()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void rootIsItsIndexAndOtherFoldersAreNotFound(Transport transport) throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, transport);
                Http1Client client = new Http1Client(transport, server.address())) {
            assertThat(client.get("/").status()).isEqualTo(404);
            Files.writeString(server.folder.resolve("index.html"), "start");
            Files.createDirectory(server.folder.resolve("inner"));
            server.file("inner/file", 3);
            Http1Client.Response index = client.get("/");
            assertThat(index.body()).asString().isEqualTo("start");
            assertThat(index.header(HttpHeaderNames.CONTENT_TYPE)).startsWith("text/html");
            assertThat(client.get("/inner").status()).isEqualTo(404);
            assertThat(client.get("/inner/").status()).isEqualTo(404);
            assertThat(client.get("/inner/file").status()).isEqualTo(200);
        }
    }
}
