// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.datagram.DatagramSocket;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Vert.x: HTTP, datagrams, and its DNS client, whose server is a datagram socket of Vert.x. */
final class VertxProgram {

    private static final String HOST = "127.0.0.1";
    private static final int BIG_BYTES = 5_000_000;
    private static final int REQUESTS = 1_000;
    private static final int AT_ONCE = 64;
    private static final int DATAGRAMS = 100;

    private VertxProgram() {}

    public static void main(String[] arguments) throws Exception {
        Vertx vertx = Vertx.vertx();
        http(vertx);
        datagrams(vertx);
        dns(vertx);
        await(vertx.close());
    }

    private static void http(Vertx vertx) throws Exception {
        HttpServer server = await(vertx.createHttpServer()
                .requestHandler(request -> request.body().onSuccess(request.response()::end))
                .listen(0, HOST));
        HttpClient client = vertx.createHttpClient();
        Buffer big = await(post(client, server.actualPort(), Buffer.buffer(Results.bytes(BIG_BYTES))));
        Results.print("big", Results.sum(big.getBytes()));
        long sum = Results.sumOf(REQUESTS, AT_ONCE, i -> post(client, server.actualPort(), Buffer.buffer("" + i))
                .map(body -> Integer.valueOf(body.toString()))
                .toCompletionStage());
        Results.print("sum of requests", sum);
        try {
            await(post(client, Results.closedPort(), Buffer.buffer()));
        } catch (Exception e) {
            Results.printFailure("refused", e);
        }
    }

    private static Future<Buffer> post(HttpClient client, int port, Buffer body) {
        return client.request(HttpMethod.POST, port, "localhost", "/")
                .compose(request -> request.send(body))
                .compose(response -> response.body());
    }

    private static void datagrams(Vertx vertx) throws Exception {
        DatagramSocket echo = await(vertx.createDatagramSocket().listen(0, HOST));
        echo.handler(packet ->
                echo.send(packet.data(), packet.sender().port(), packet.sender().host()));
        DatagramSocket socket = await(vertx.createDatagramSocket().listen(0, HOST));
        long sum = 0;
        for (int i = 0; i < DATAGRAMS; i++) {
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            socket.handler(
                    packet -> answer.complete(Integer.valueOf(packet.data().toString())));
            await(socket.send("" + i, echo.localAddress().port(), HOST));
            sum += Results.await(answer);
        }
        Results.print("sum of datagrams", sum);
    }

    private static void dns(Vertx vertx) throws Exception {
        DatagramSocket server = await(vertx.createDatagramSocket().listen(0, HOST));
        server.handler(packet -> server.send(
                Buffer.buffer(SmallDns.answer(ByteBuffer.wrap(packet.data().getBytes()))),
                packet.sender().port(),
                packet.sender().host()));
        Results.print(
                "address",
                await(vertx.createDnsClient(server.localAddress().port(), HOST).lookup4("vertx.test")));
    }

    private static <T> T await(Future<T> future) throws Exception {
        CompletionStage<T> stage = future.toCompletionStage();
        return Results.await(stage);
    }
}
