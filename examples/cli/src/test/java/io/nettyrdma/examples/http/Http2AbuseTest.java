// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Frames of HTTP/2 that no client library sends. */
class Http2AbuseTest {

    private static final int BODY_BYTES = 100_000;
    private static final int END_STREAM = 1;

    /** The budget of all bodies has room for one. */
    private static final HttpLimits LIMITS = new HttpLimits(60, 60, 60, 4096, 8192, BODY_BYTES, BODY_BYTES, 100);

    @TempDir
    Path directory;

    private HttpServerFixture server() throws Exception {
        return new HttpServerFixture(directory, Transport.NIO, null, LIMITS);
    }

    @Test
    void clientThatNeverAcknowledgesTheSettingsHasNoMoreStreams() throws Exception {
        try (HttpServerFixture server = server();
                Http2Frames client = new Http2Frames(server.address())) {
            for (int i = 0; i <= LIMITS.streams(); i++) {
                client.sendHeaders(2 * i + 1, 0, "POST", "/echo");
            }
            Http2Frames.Frame reset = client.await(Http2FrameTypes.RST_STREAM);
            assertThat(reset.stream()).isEqualTo(2 * LIMITS.streams() + 1);
            assertThat(reset.number()).isEqualTo(Http2Error.REFUSED_STREAM.code());
        }
    }

    /** The budget counts the body until the stream ends, and not for ever. */
    @Test
    void secondRequestOnAStreamFreesTheBodyOfTheFirst() throws Exception {
        try (HttpServerFixture server = server()) {
            try (Http2Frames client = new Http2Frames(server.address())) {
                client.sendHeaders(1, 0, "POST", "/echo");
                for (int i = 0; i < 4; i++) {
                    client.send(Http2FrameTypes.DATA, 0, 1, new byte[15_000]);
                }
                client.sendHeaders(1, END_STREAM, "GET", "/missing");
                client.awaitEndOf(1);
            }
            try (Http2Client client = new Http2Client(Transport.NIO, server.address(), false)) {
                int status = 0;
                for (int i = 0; i < 1000 && status != 200; i++) { // the server sees the end a little later
                    status = Http2Client.await(
                                    client.send(Http1Client.request(HttpMethod.POST, "/echo", new byte[60_000])))
                            .status();
                }
                assertThat(status).isEqualTo(200);
            }
        }
    }

    @Test
    void refusalOfHeadHasNoBody() throws Exception {
        try (HttpServerFixture server = server();
                Http2Frames client = new Http2Frames(server.address())) {
            client.sendHeaders(1, END_STREAM, "HEAD", "/", "expect", "the-impossible");
            List<Http2Frames.Frame> answer = client.awaitEndOf(1);
            assertThat(answer)
                    .filteredOn(frame -> frame.type() == Http2FrameTypes.DATA)
                    .allSatisfy(frame -> assertThat(frame.length()).isZero());
        }
    }
}
