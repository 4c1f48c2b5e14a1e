// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.RSocketServer;
import io.rsocket.core.Resume;
import io.rsocket.transport.netty.client.TcpClientTransport;
import io.rsocket.transport.netty.server.CloseableChannel;
import io.rsocket.transport.netty.server.TcpServerTransport;
import io.rsocket.util.DefaultPayload;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.tcp.TcpClient;
import reactor.util.retry.Retry;

/** RSocket over its transport of TCP: requests, streams, channels, a session that resumes, and one that ends. */
final class RSocketProgram {

    private static final int BIG_BYTES = 5_000_000;
    private static final int REQUESTS = 1_000;
    private static final int AT_ONCE = 64;
    private static final int NUMBERS = 10_000;
    private static final Duration RETRY = Duration.ofMillis(100);

    private RSocketProgram() {}

    /** Returns requests, counts as far as they say, and never answers a request without data. */
    private static final class Echo implements RSocket {

        @Override
        public Mono<Payload> requestResponse(Payload payload) {
            return payload.data().isReadable() ? Mono.just(payload) : Mono.never();
        }

        @Override
        public Flux<Payload> requestStream(Payload payload) {
            return Flux.range(0, number(payload)).map(RSocketProgram::payload);
        }

        @Override
        public Flux<Payload> requestChannel(Publisher<Payload> payloads) {
            return Flux.from(payloads).map(payload -> payload(2 * number(payload)));
        }
    }

    public static void main(String[] arguments) throws Exception {
        CloseableChannel server = RSocketServer.create(SocketAcceptor.with(new Echo()))
                .resume(new Resume())
                .bindNow(TcpServerTransport.create("127.0.0.1", 0));
        List<Connection> connections = new CopyOnWriteArrayList<>();
        TcpClient tcp = TcpClient.create().remoteAddress(server::address).doOnConnected(connections::add);
        RSocket client = connect(RSocketConnector.create(), tcp);
        run(client);
        resume(tcp, connections);
        Mono<Payload> unanswered = client.requestResponse(DefaultPayload.create(new byte[0]));
        CompletableFuture<Payload> pending = unanswered.toFuture();
        server.dispose();
        connections.forEach(Connection::dispose);
        try {
            Results.await(pending);
        } catch (Exception e) {
            Results.printFailure("ended", e);
        }
        int closed = Results.closedPort();
        try {
            connect(
                    RSocketConnector.create(),
                    TcpClient.create().remoteAddress(() -> new InetSocketAddress("127.0.0.1", closed)));
        } catch (Exception e) {
            Results.printFailure("refused", e);
        }
    }

    private static void run(RSocket client) throws Exception {
        Payload big = await(client.requestResponse(DefaultPayload.create(Results.bytes(BIG_BYTES))));
        byte[] bytes = new byte[big.data().readableBytes()];
        big.data().readBytes(bytes);
        big.release();
        Results.print("big", Results.sum(bytes));
        long sum = Results.sumOf(REQUESTS, AT_ONCE, i -> client.requestResponse(payload(i))
                .map(RSocketProgram::number)
                .toFuture());
        Results.print("sum of requests", sum);
        Results.print("sum of the stream", await(sum(client.requestStream(payload(NUMBERS)))));
        Results.print(
                "sum of the channel",
                await(sum(client.requestChannel(Flux.range(0, NUMBERS).map(RSocketProgram::payload)))));
        Results.print(
                "first of the stream",
                await(client.requestStream(payload(NUMBERS))
                        .map(RSocketProgram::number)
                        .take(3)
                        .collectList()));
    }

    /** The connection is closed in the midst of a stream, which goes on over another one. */
    private static void resume(TcpClient tcp, List<Connection> connections) throws Exception {
        RSocket client =
                connect(RSocketConnector.create().resume(new Resume().retry(Retry.fixedDelay(600, RETRY))), tcp);
        int before = connections.size();
        Connection last = connections.get(before - 1);
        Flux<Payload> numbers = client.requestStream(payload(NUMBERS))
                .limitRate(AT_ONCE)
                .doOnNext(payload -> {
                    if (payload.data().getByte(payload.data().readerIndex()) == '9' && connections.size() == before) {
                        last.dispose();
                    }
                });
        Results.print("sum of the resumed stream", await(sum(numbers)));
        Results.print("reconnects", connections.size() - before);
        client.dispose();
    }

    private static RSocket connect(RSocketConnector connector, TcpClient tcp) throws Exception {
        return await(connector.connect(TcpClientTransport.create(tcp)));
    }

    private static Mono<Long> sum(Flux<Payload> payloads) {
        return payloads.map(RSocketProgram::number).reduce(0L, Long::sum);
    }

    private static Payload payload(int number) {
        return DefaultPayload.create(Integer.toString(number));
    }

    private static int number(Payload payload) {
        int number = Integer.parseInt(payload.getDataUtf8());
        payload.release();
        return number;
    }

    private static <T> T await(Mono<T> mono) throws Exception {
        return Results.await(mono.toFuture());
    }
}
