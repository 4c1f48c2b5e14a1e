// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.context.ApplicationContext;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.runtime.server.EmbeddedServer;
import io.netty.buffer.Unpooled;
import io.netty.resolver.DefaultAddressResolverGroup;
import io.nettyrdma.deadline.Deadline;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/** Micronaut's HTTP server. Reactor Netty's client posts bodies of 1 MiB, several at a time. */
@Tag("dropin")
class MicronautTest {

    private static final int BODY_BYTES = 1 << 20;
    private static final int REQUESTS = 8;
    private static final int AT_A_TIME = 4;

    @Test
    void http11() {
        byte[] body = new byte[BODY_BYTES];
        new Random(7).nextBytes(body);
        Map<String, Object> settings = Map.of(
                "micronaut.server.host",
                "127.0.0.1",
                "micronaut.server.port",
                -1, // any
                "micronaut.netty.event-loops.parent.transport", // of the listener
                MicronautLoops.NAME,
                "micronaut.netty.event-loops.default.transport",
                MicronautLoops.NAME);
        ConnectionProvider connections = ConnectionProvider.create("under test", AT_A_TIME);
        HttpClient client =
                HttpClient.create(connections).runOn(new ReactorLoops()).resolver(DefaultAddressResolverGroup.INSTANCE);
        try (EmbeddedServer server = ApplicationContext.run(EmbeddedServer.class, settings)) {
            List<byte[]> echoes = Flux.range(0, REQUESTS)
                    .flatMap(
                            i -> client.post()
                                    .uri(server.getURI().resolve("/echo"))
                                    .send(Mono.fromSupplier(() -> Unpooled.wrappedBuffer(body)))
                                    .responseSingle((response, content) -> content.asByteArray()),
                            AT_A_TIME)
                    .collectList()
                    .block(Deadline.DURATION);
            assertThat(echoes).hasSize(REQUESTS).allSatisfy(echo -> assertThat(echo)
                    .isEqualTo(body));
        } finally {
            connections.disposeLater().block(Deadline.DURATION);
        }
    }

    @Controller
    static final class Echo {

        @Post(value = "/echo", consumes = MediaType.ALL, produces = MediaType.APPLICATION_OCTET_STREAM)
        byte[] echo(@Body byte[] body) {
            return body;
        }
    }
}
