// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.guard.ConnectionLimit;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Versions of HTTP that TLS and its absence lead to; the client of the JDK is the one that others wrote. */
class TlsTest {

    private static final byte[] NOTHING = {};
    private static SslContext selfSigned;

    @TempDir
    Path directory;

    @BeforeAll
    static void makeCertificate() throws Exception {
        selfSigned = Tls.selfSigned("127.0.0.1");
    }

    private static HttpClient jdkClient(HttpClient.Version version) throws Exception {
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), new SecureRandom());
        return HttpClient.newBuilder()
                .version(version)
                .sslContext(trusting)
                .connectTimeout(Deadline.DURATION)
                .build();
    }

    private HttpServerFixture server(Transport transport, boolean isEncrypted) throws Exception {
        return new HttpServerFixture(
                directory, transport, isEncrypted ? selfSigned : null, ConnectionLimit.Settings.DEFAULT);
    }

    /** Gets a file twice and posts a body; returns the versions of the answers. */
    private static List<HttpClient.Version> talk(HttpServerFixture server, String scheme, HttpClient.Version version)
            throws Exception {
        byte[] content = server.file("file", 2_000_000);
        String root = scheme + "://127.0.0.1:" + server.address().getPort();
        HttpClient client = jdkClient(version);
        List<HttpClient.Version> versions = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            HttpResponse<byte[]> response = client.send(
                    HttpRequest.newBuilder(URI.create(root + "/file")).build(),
                    HttpResponse.BodyHandlers.ofByteArray());
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEqualTo(content);
            versions.add(response.version());
        }
        byte[] body = HttpServerFixture.bytes(200_000);
        HttpResponse<byte[]> echo = client.send(
                HttpRequest.newBuilder(URI.create(root + "/echo"))
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .expectContinue(true)
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
        assertThat(echo.statusCode()).isEqualTo(200);
        assertThat(echo.body()).isEqualTo(body);
        versions.add(echo.version());
        return versions;
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void jdkClientGetsTheVersionThatItAsksForByAlpn(HttpClient.Version version) throws Exception {
        try (HttpServerFixture server = server(Transport.NIO, true)) {
            assertThat(talk(server, "https", version)).containsOnly(version);
        }
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void jdkClientGetsTheVersionThatItAsksForByUpgradeInClear(HttpClient.Version version) throws Exception {
        try (HttpServerFixture server = server(Transport.NIO, false)) {
            assertThat(talk(server, "http", version)).containsOnly(version);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void http2OverTlsWorksOnAnyTransport(Transport transport) throws Exception {
        try (HttpServerFixture server = server(transport, true);
                Http2Client client = new Http2Client(transport, server.address(), true)) {
            byte[] content = server.file("file", 2_000_000);
            assertThat(Http2Client.await(client.send(Http1Client.request(HttpMethod.GET, "/file", NOTHING)))
                            .body())
                    .isEqualTo(content);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA", "NIO"})
    void http1OverTlsWorksOnAnyTransportWithAndWithoutAlpn(Transport transport) throws Exception {
        try (HttpServerFixture server = server(transport, true)) {
            byte[] content = server.file("file", 2_000_000);
            for (String[] protocols : new String[][] {{"http/1.1"}, {"unknown"}}) {
                try (Http1Client client = new Http1Client(transport, server.address(), Http2Client.tls(protocols))) {
                    assertThat(client.get("/file").body()).isEqualTo(content);
                }
            }
        }
    }

    @Test
    void clearTextToATlsServerClosesTheConnectionWithALine() throws Exception {
        try (HttpServerFixture server = server(Transport.NIO, true);
                Http1Client client = new Http1Client(Transport.NIO, server.address())) {
            client.send(Http1Client.request(HttpMethod.GET, "/file", NOTHING));
            client.awaitClosed();
            server.awaitLine("not an SSL/TLS record");
        }
    }

    /** Each would cost the server a signature. TLS 1.3 has none. */
    @Test
    void clientCannotRenegotiate() throws Exception {
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), new SecureRandom());
        try (HttpServerFixture server = server(Transport.NIO, true);
                SSLSocket socket = (SSLSocket) trusting.getSocketFactory()
                        .createSocket(
                                server.address().getAddress(), server.address().getPort())) {
            socket.setSoTimeout(Deadline.MILLIS);
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            socket.startHandshake();
            assertThatThrownBy(() -> {
                        socket.startHandshake();
                        socket.getInputStream().read();
                    })
                    .isInstanceOf(SSLException.class);
            server.awaitLine("renegotiation");
        }
    }

    @Test
    void filesThatAreNoCertificateAreNamed() throws Exception {
        Path certificate = directory.resolve("cert.pem");
        Path key = directory.resolve("key.pem");
        assertThatThrownBy(() -> Tls.of(certificate, key))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot read " + certificate);
        Files.writeString(certificate, "nothing");
        Files.writeString(key, "nothing");
        assertThatThrownBy(() -> Tls.of(certificate, key))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("PEM");
    }
}
