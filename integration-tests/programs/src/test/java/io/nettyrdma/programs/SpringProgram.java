// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import static org.springframework.web.reactive.function.server.RouterFunctions.route;
import static org.springframework.web.reactive.function.server.ServerResponse.ok;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Spring Boot's WebFlux over Reactor Netty, and Spring's WebClient. */
final class SpringProgram {

    private static final int BIG_BYTES = 5_000_000;
    private static final int REQUESTS = 1_000;
    private static final int AT_ONCE = 64;
    private static final int NUMBERS = 50_000;

    private SpringProgram() {}

    /** The server. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        private final CompletableFuture<String> streamEnded = new CompletableFuture<>();

        @Bean
        RouterFunction<ServerResponse> routes() {
            return route().GET("/twice/{n}", request -> ok().bodyValue(2 * Integer.parseInt(request.pathVariable("n"))))
                    .GET("/numbers", request -> ok().contentType(MediaType.APPLICATION_NDJSON)
                            .body(Flux.range(0, NUMBERS), Integer.class))
                    .GET("/endless", request -> ok().contentType(MediaType.TEXT_EVENT_STREAM)
                            .body(
                                    Flux.range(0, Integer.MAX_VALUE)
                                            .doFinally(signal -> streamEnded.complete(signal.toString())),
                                    Integer.class))
                    .POST("/echo", request -> ok().contentType(MediaType.APPLICATION_OCTET_STREAM)
                            .body(request.bodyToFlux(DataBuffer.class), DataBuffer.class))
                    .build();
        }
    }

    public static void main(String[] arguments) throws Exception {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.REACTIVE)
                .properties("server.address=127.0.0.1", "server.port=0", "spring.main.banner-mode=off")
                .run()) {
            run(
                    newClient(context.getEnvironment().getRequiredProperty("local.server.port", Integer.class)),
                    context.getBean(Application.class));
        }
        try {
            await(get(newClient(Results.closedPort()), "/twice/1", Integer.class));
        } catch (Exception e) {
            Results.printFailure("refused", e);
        }
    }

    private static void run(WebClient client, Application application) throws Exception {
        byte[] big = await(post(client, Results.bytes(BIG_BYTES)));
        Results.print("big", Results.sum(big));
        long sum = Results.sumOf(REQUESTS, AT_ONCE, i -> get(client, "/twice/" + i, Integer.class)
                .toFuture());
        Results.print("sum of requests", sum);
        sum = Results.sumOf(
                REQUESTS, AT_ONCE, i -> post(client, Integer.toString(i).getBytes(StandardCharsets.UTF_8))
                        .map(body -> Integer.valueOf(new String(body, StandardCharsets.UTF_8)))
                        .toFuture());
        Results.print("sum of posts", sum);
        Results.print("sum of the stream", await(stream(client, "/numbers").reduce(0L, Long::sum)));
        Results.print(
                "first of an endless stream",
                await(stream(client, "/endless").take(3).collectList()));
        Results.print("its end at the server", Results.await(application.streamEnded));
        try {
            await(get(client, "/absent", String.class));
        } catch (Exception e) {
            Results.printFailure("absent", e);
        }
    }

    private static WebClient newClient(int port) {
        return WebClient.builder()
                .baseUrl("http://127.0.0.1:" + port)
                .codecs(codecs -> codecs.defaultCodecs().maxInMemorySize(2 * BIG_BYTES))
                .build();
    }

    private static <T> Mono<T> get(WebClient client, String path, Class<T> type) {
        return client.get().uri(path).retrieve().bodyToMono(type);
    }

    private static Flux<Long> stream(WebClient client, String path) {
        return client.get().uri(path).retrieve().bodyToFlux(Long.class);
    }

    private static Mono<byte[]> post(WebClient client, byte[] body) {
        return client.post().uri("/echo").bodyValue(body).retrieve().bodyToMono(byte[].class);
    }

    private static <T> T await(Mono<T> mono) throws Exception {
        return Results.await(mono.toFuture());
    }
}
