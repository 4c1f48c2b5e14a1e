// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where one request of a connection of HTTP/1.1 ends and the next begins: a proxy before the server has to agree. */
class HttpSequenceTest {

    @TempDir
    Path directory;

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
