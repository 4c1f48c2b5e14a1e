// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpMethod;
import io.nettyrdma.examples.guard.ConnectionLimit;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What a server answers to requests that it does not take, and to clients that do not take its answers. */
class HttpAbuseTest {

    private static final byte[] NOTHING = {};

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "'GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n', 400",
        "'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400",
        "'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400",
        "'nonsense\r\n\r\n', 400",
        "'GET /a%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400",
        "'GET /inner/../../secret HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404",
        "'GET /inner/%2e%2e/%2e%2e/secret HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404",
        "'GET /..%2fsecret HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404",
        "'GET /%00 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404",
        "'DELETE / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 405",
        "'POST /other HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc', 405",
        "'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400",
    })
    void requestsThatTheServerDoesNotTakeAreRefused(String request, int status) throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, Transport.NIO);
                Http1Client client = new Http1Client(Transport.NIO, server.address())) {
            server.file("../secret", 3);
            client.sendText(request);
            assertThat(client.response().status()).isEqualTo(status);
            client.awaitClosed();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void longLinesAndHeadersAreRefused(Transport transport) throws Exception {
        for (String request : new String[] {
            "GET /" + "x".repeat(4096) + " HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n" + "X: y\r\n".repeat(8192)
        }) {
            try (HttpServerFixture server = new HttpServerFixture(directory, transport);
                    Http1Client client = new Http1Client(transport, server.address())) {
                client.sendText(request);
                assertThat(client.response().status()).isEqualTo(400);
                client.awaitClosed();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void clientThatReadsNothingLosesItsConnection(Transport transport) throws Exception {
        try (HttpServerFixture server =
                        new HttpServerFixture(directory, transport, null, new ConnectionLimit.Settings(10, 1));
                Http1Client client = new Http1Client(transport, server.address())) {
            server.file("file", 50_000_000);
            client.channel.config().setAutoRead(false);
            client.send(Http1Client.request(HttpMethod.GET, "/file", NOTHING));
            server.awaitLine("closed: no byte for 1 s (--idle-timeout)");
        }
    }

    /** The echo of what the client does not read is not held either. */
    @Test
    void clientThatSendsAndReadsNothingIsReadNoFurther() throws Exception {
        try (HttpServerFixture server =
                        new HttpServerFixture(directory, Transport.NIO, null, new ConnectionLimit.Settings(10, 1));
                Http1Client client = new Http1Client(Transport.NIO, server.address())) {
            client.channel.config().setAutoRead(false);
            client.send(Http1Client.request(HttpMethod.POST, "/echo", new byte[200_000_000]));
            server.awaitLine("closed: no byte for 1 s (--idle-timeout)");
        }
    }
}
