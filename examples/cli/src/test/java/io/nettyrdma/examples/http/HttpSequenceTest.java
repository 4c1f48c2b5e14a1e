// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpHeaderNames;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where one request of a connection of HTTP/1.1 ends and the next begins: a proxy before the server has to agree. */
class HttpSequenceTest {

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 3\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nContent-Length: 3",
                "Transfer-Encoding: gzip",
                "Transfer-Encoding: identity\r\nContent-Length: 3",
                "Transfer-Encoding: chunked, gzip",
                "Transfer-Encoding: gzip, chunked",
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding : chunked",
                "Content-Length: 3\r\nContent-Length: 3\r\nContent-Length: 4",
                "Content-Length: +3",
                "Content-Length: -3",
                "Content-Length: 0x3"
            })
    void bodyWhoseLengthIsInDoubtIsRefusedAndTheConnectionCloses(String headers) throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, Transport.NIO);
                Http1Client client = new Http1Client(Transport.NIO, server.address())) {
            server.file("file", 3);
            client.sendText("POST /echo HTTP/1.1\r\nHost: a\r\n" + headers
                    + "\r\n\r\n0\r\n\r\nGET /file HTTP/1.1\r\nHost: a\r\n\r\n");
            Http1Client.Response response = client.response();
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.header(HttpHeaderNames.CONNECTION)).isEqualTo("close");
            client.awaitClosed();
            assertThat(client.hasNoMoreResponses()).isTrue();
        }
    }

    @Test
    void transferEncodingOfHttp10IsRefused() throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, Transport.NIO);
                Http1Client client = new Http1Client(Transport.NIO, server.address())) {
            client.sendText("POST /echo HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "0\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(400);
            client.awaitClosed();
        }
    }

    /** The client may send the body at once (RFC 9110, section 10.1.1), and the next request. */
    @Test
    void requestBehindABodyThatNeedNotWaitGetsItsOwnAnswer() throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, Transport.NIO);
                Http1Client client = new Http1Client(Transport.NIO, server.address())) {
            byte[] content = server.file("file", 3);
            client.sendText("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc"
                    + "GET /file HTTP/1.1\r\nHost: a\r\n\r\n"
                    + "GET /missing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(100);
            assertThat(client.response().body()).asString().isEqualTo("abc");
            assertThat(client.response().body()).isEqualTo(content);
            assertThat(client.response().status()).isEqualTo(404);
            client.awaitClosed();
        }
    }

    /** Changing the protocol would cut the first response off, and leak its body. */
    @Test
    void upgradeOfALaterRequestIsIgnored() throws Exception {
        try (HttpServerFixture server = new HttpServerFixture(directory, Transport.NIO);
                Http1Client client = new Http1Client(Transport.NIO, server.address())) {
            byte[] content = server.file("file", 3);
            String body = "x".repeat(200_000);
            client.sendText("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.length() + "\r\n\r\n" + body
                    + "GET /file HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                    + "HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n");
            assertThat(client.response().body()).asString().isEqualTo(body);
            Http1Client.Response second = client.response();
            assertThat(second.status()).isEqualTo(200);
            assertThat(second.body()).isEqualTo(content);
        }
    }
}
