// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Vert.x's HTTP server and client. The client posts bodies of up to 1 MiB, several at a time, to a server that it knows
 * by name, and the server sends them back.
 */
@Tag("dropin")
class VertxHttpTest {

    private static final String HOST = "localhost";
    private static final int REQUESTS = 8;
    private static final int BODY_BYTES = 1 << 20;

    @Test
    void http11() throws Exception {
        echoes(new HttpServerOptions(), new HttpClientOptions(), HttpVersion.HTTP_1_1);
    }

    @Test
    void http11OverTls() throws Exception {
        X509Bundle certificate = certificate();
        echoes(overTls(certificate), trusting(certificate), HttpVersion.HTTP_1_1);
    }

    @Test
    void http2() throws Exception {
        echoes(
                new HttpServerOptions(),
                new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false),
                HttpVersion.HTTP_2);
    }

    @Test
    void http2OverTls() throws Exception {
        X509Bundle certificate = certificate();
        echoes(
                overTls(certificate).setUseAlpn(true),
                trusting(certificate).setUseAlpn(true).setProtocolVersion(HttpVersion.HTTP_2),
                HttpVersion.HTTP_2);
    }

    private static X509Bundle certificate() throws Exception {
        return new CertificateBuilder()
                .subject("CN=" + HOST)
                .setIsCertificateAuthority(true)
                .addSanDnsName(HOST)
                .buildSelfSigned();
    }

    private static HttpServerOptions overTls(X509Bundle certificate) {
        return new HttpServerOptions()
                .setSsl(true)
                .setKeyCertOptions(new PemKeyCertOptions()
                        .setKeyValue(Buffer.buffer(certificate.getPrivateKeyPEM()))
                        .setCertValue(Buffer.buffer(certificate.getCertificatePathPEM())));
    }

    private static HttpClientOptions trusting(X509Bundle certificate) {
        return new HttpClientOptions()
                .setSsl(true)
                .setTrustOptions(
                        new PemTrustOptions().addCertValue(Buffer.buffer(certificate.getCertificatePathPEM())));
    }

    private static void echoes(HttpServerOptions ofServer, HttpClientOptions ofClient, HttpVersion version)
            throws Exception {
        byte[] bytes = new byte[BODY_BYTES];
        new Random(7).nextBytes(bytes);
        Vertx vertx = VertxTransport.open();
        try {
            HttpServer server = VertxTransport.await(vertx.createHttpServer(ofServer)
                    .requestHandler(request -> request.body()
                            .onSuccess(body -> request.response().end(body))
                            .onFailure(thrown -> request.response().reset()))
                    .listen(0, "127.0.0.1"));
            HttpClient client = vertx.createHttpClient(ofClient);
            List<Buffer> bodies = IntStream.rangeClosed(1, REQUESTS)
                    .mapToObj(i -> Buffer.buffer(bytes).slice(0, i * BODY_BYTES / REQUESTS))
                    .toList();
            List<Future<Buffer>> echoes = bodies.stream()
                    .map(body -> post(client, server.actualPort(), body, version))
                    .toList();
            for (int i = 0; i < REQUESTS; i++) {
                assertThat(VertxTransport.await(echoes.get(i))).isEqualTo(bodies.get(i));
            }
        } finally {
            VertxTransport.await(vertx.close());
        }
    }

    private static Future<Buffer> post(HttpClient client, int port, Buffer body, HttpVersion version) {
        return client.request(HttpMethod.POST, port, HOST, "/")
                .compose(request -> request.send(body))
                .expecting(response -> response.statusCode() == 200 && response.version() == version)
                .compose(HttpClientResponse::body);
    }
}
