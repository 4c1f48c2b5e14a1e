// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.resolver.DefaultAddressResolverGroup;
import io.nettyrdma.deadline.Deadline;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.Http11SslContextSpec;
import reactor.netty.http.Http2SslContextSpec;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.tcp.SslProvider.GenericSslContextSpec;

/**
 * Reactor Netty's HTTP server and client. The client posts bodies of 1 MiB, several at a time, and the server sends
 * them back while they arrive.
 *
 * <p>The client connects to a name. By default Reactor Netty would resolve names that are not in the hosts file over
 * UDP, on an event loop that has no datagram channel; {@link DefaultAddressResolverGroup} asks the JDK instead.
 */
@Tag("dropin")
class ReactorNettyTest {

    private static final String HOST = "localhost";
    private static final int BODY_BYTES = 1 << 20;
    private static final int REQUESTS = 8;
    private static final int AT_A_TIME = 4;

    @Test
    void http11() {
        echoes("http", newServer(HttpProtocol.HTTP11), newClient(HttpProtocol.HTTP11), "HTTP/1.1");
    }

    @Test
    void http11OverTls() throws Exception {
        X509Bundle certificate = certificate();
        GenericSslContextSpec<SslContextBuilder> ofServer =
                Http11SslContextSpec.forServer(certificate.toKeyManagerFactory());
        GenericSslContextSpec<SslContextBuilder> ofClient = Http11SslContextSpec.forClient()
                .configure(builder -> builder.trustManager(certificate.getCertificate()));
        echoes(
                "https",
                newServer(HttpProtocol.HTTP11).secure(spec -> spec.sslContext(ofServer)),
                newClient(HttpProtocol.HTTP11).secure(spec -> spec.sslContext(ofClient)),
                "HTTP/1.1");
    }

    @Test
    void http2() {
        echoes("http", newServer(HttpProtocol.H2C), newClient(HttpProtocol.H2C), "HTTP/2.0");
    }

    @Test
    void http2OverTls() throws Exception {
        X509Bundle certificate = certificate();
        GenericSslContextSpec<SslContextBuilder> ofServer =
                Http2SslContextSpec.forServer(certificate.toKeyManagerFactory());
        GenericSslContextSpec<SslContextBuilder> ofClient = Http2SslContextSpec.forClient()
                .configure(builder -> builder.trustManager(certificate.getCertificate()));
        echoes(
                "https",
                newServer(HttpProtocol.H2).secure(spec -> spec.sslContext(ofServer)),
                newClient(HttpProtocol.H2).secure(spec -> spec.sslContext(ofClient)),
                "HTTP/2.0");
    }

    private static HttpServer newServer(HttpProtocol protocol) {
        return HttpServer.create()
                .runOn(new ReactorLoops())
                .host("127.0.0.1")
                .port(0)
                .protocol(protocol)
                .route(routes -> routes.post("/echo", (request, response) -> response.header(
                                "version", request.version().text())
                        .send(request.receive().retain())));
    }

    private static HttpClient newClient(HttpProtocol protocol) {
        return HttpClient.create(ConnectionProvider.create("under test", AT_A_TIME))
                .runOn(new ReactorLoops())
                .resolver(DefaultAddressResolverGroup.INSTANCE)
                .protocol(protocol);
    }

    private static X509Bundle certificate() throws Exception {
        return new CertificateBuilder()
                .subject("CN=" + HOST)
                .setIsCertificateAuthority(true)
                .addSanDnsName(HOST)
                .buildSelfSigned();
    }

    private static void echoes(String scheme, HttpServer server, HttpClient client, String version) {
        byte[] body = new byte[BODY_BYTES];
        new Random(7).nextBytes(body);
        DisposableServer bound = server.bindNow(Deadline.DURATION);
        try {
            String uri = scheme + "://" + HOST + ":" + bound.port() + "/echo";
            List<byte[]> echoes = Flux.range(0, REQUESTS)
                    .flatMap(i -> post(client, uri, body, version), AT_A_TIME)
                    .collectList()
                    .block(Deadline.DURATION);
            assertThat(echoes).hasSize(REQUESTS).allSatisfy(echo -> assertThat(echo)
                    .isEqualTo(body));
        } finally {
            client.configuration().connectionProvider().disposeLater().block(Deadline.DURATION);
            bound.disposeNow(Deadline.DURATION);
        }
    }

    private static Mono<byte[]> post(HttpClient client, String uri, byte[] body, String version) {
        return client.post()
                .uri(uri)
                .send(Mono.fromSupplier(() -> Unpooled.wrappedBuffer(body)))
                .responseSingle((response, content) -> {
                    assertThat(response.status().code()).isEqualTo(200);
                    assertThat(response.responseHeaders().get("version")).isEqualTo(version);
                    return content.asByteArray();
                });
    }
}
