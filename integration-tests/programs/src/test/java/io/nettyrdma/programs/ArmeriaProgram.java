// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.SessionProtocol;
import com.linecorp.armeria.server.Server;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Armeria's HTTP server and client. The client asks a DNS server for the address, over UDP. */
final class ArmeriaProgram {

    private static final int BIG_BYTES = 5_000_000;
    private static final int REQUESTS = 1_000;
    private static final int AT_ONCE = 64;

    private ArmeriaProgram() {}

    public static void main(String[] arguments) throws Exception {
        Server server = Server.builder()
                .http(new InetSocketAddress("127.0.0.1", 0))
                .maxRequestLength(0)
                .service(
                        "/echo",
                        (context, request) -> HttpResponse.of(request.aggregate()
                                .thenApply(whole ->
                                        HttpResponse.of(HttpStatus.OK, MediaType.OCTET_STREAM, whole.content()))))
                .build();
        server.start().join();
        try (SmallDns dns = new SmallDns();
                ClientFactory factory = ClientFactory.builder()
                        .domainNameResolverCustomizer(resolver -> resolver.serverAddresses(dns.address()))
                        .build()) {
            run(factory, SessionProtocol.H1C, server.activeLocalPort());
            run(factory, SessionProtocol.H2C, server.activeLocalPort());
        }
        server.stop().join();
    }

    private static void run(ClientFactory factory, SessionProtocol protocol, int port) throws Exception {
        WebClient client = newClient(factory, protocol, "armeria.test", port);
        AggregatedHttpResponse big =
                Results.await(client.post("/echo", Results.bytes(BIG_BYTES)).aggregate());
        Results.print(
                protocol + " big",
                big.status() + " " + Results.sum(big.content().array()));
        WebClient byLocalhost = newClient(factory, protocol, "localhost", port);
        long sum = Results.sumOf(REQUESTS, AT_ONCE, i -> byLocalhost
                .post("/echo", Integer.toString(i).getBytes(StandardCharsets.UTF_8))
                .aggregate()
                .thenApply(response -> Integer.valueOf(response.contentUtf8())));
        Results.print(protocol + " sum of requests", sum);
        try {
            Results.await(newClient(factory, protocol, "127.0.0.1", Results.closedPort())
                    .get("/")
                    .aggregate());
        } catch (Exception e) {
            Results.printFailure(protocol + " refused", e);
        }
    }

    private static WebClient newClient(ClientFactory factory, SessionProtocol protocol, String host, int port) {
        return WebClient.builder(protocol.uriText() + "://" + host + ":" + port)
                .factory(factory)
                .maxResponseLength(0)
                .build();
    }
}
