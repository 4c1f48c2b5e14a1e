// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nettyrdma.channel.StreamTransport;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.gateway.Gateway;
import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.PeerLog;
import io.r2dbc.postgresql.PostgresqlConnectionConfiguration;
import io.r2dbc.postgresql.PostgresqlConnectionFactory;
import io.r2dbc.postgresql.api.PostgresqlConnection;
import io.r2dbc.postgresql.api.PostgresqlResult;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The driver r2dbc-postgresql, which runs on Reactor Netty, and an installed PostgreSQL. The server listens on TCP:
 * over RDMA, the example {@link Gateway} stands before it.
 */
@Tag("dropin")
class PostgresqlTest {

    private static final int ROWS = 50_000;
    private static final int BLOB_BYTES = 8_000_000;
    private static final int CONNECTIONS = 50;

    @TempDir
    static Path directory;

    private static final Queue<String> LINES = new ConcurrentLinkedQueue<>();
    private static PostgresqlServer server;
    private static Gateway gateway;
    private static PostgresqlConnectionFactory connections;

    @BeforeAll
    static void start() throws Exception {
        Optional<Path> programs = PostgresqlServer.programs();
        assumeTrue(programs.isPresent(), "PostgreSQL is not installed");
        server = PostgresqlServer.start(programs.get(), directory);
        int port = server.port();
        if (StreamTransport.UNDER_TEST.isRdma()) {
            gateway = Gateway.fromRdmaToTcp(
                    new InetSocketAddress("127.0.0.1", 0),
                    new InetSocketAddress("127.0.0.1", port),
                    ConnectionLimit.Settings.DEFAULT,
                    new PeerLog(LINES::add));
            port = gateway.address().getPort();
        }
        connections = new PostgresqlConnectionFactory(PostgresqlConnectionConfiguration.builder()
                .loopResources(new ReactorLoops())
                .host("localhost")
                .port(port)
                .username(PostgresqlServer.USER)
                .database("postgres")
                .build());
    }

    @AfterAll
    static void stop() throws Exception {
        if (gateway != null) {
            gateway.close();
        }
        if (server != null) {
            server.close();
        }
        assertThat(LINES).isEmpty();
    }

    private static <T> Flux<T> query(String sql, Class<T> type) {
        return Flux.usingWhen(
                connections.create(),
                connection -> connection
                        .createStatement(sql)
                        .execute()
                        .flatMap(result -> result.map((row, metadata) -> row.get(0, type))),
                PostgresqlConnection::close);
    }

    @Test
    void manyRowsArriveInOrder() {
        List<Integer> rows = query("SELECT i, md5(i::text) FROM generate_series(1, " + ROWS + ") i", Integer.class)
                .collectList()
                .block(Deadline.DURATION);
        assertThat(rows).isEqualTo(IntStream.rangeClosed(1, ROWS).boxed().toList());
    }

    @Test
    void largeValueGoesToTheServerAndBack() {
        byte[] blob = new byte[BLOB_BYTES];
        new Random(9).nextBytes(blob);
        Mono<ByteBuffer> returned = Mono.usingWhen(
                connections.create(),
                connection -> connection
                        .createStatement("SELECT $1::bytea")
                        .bind("$1", ByteBuffer.wrap(blob))
                        .execute()
                        .flatMap((PostgresqlResult result) ->
                                result.map((row, metadata) -> row.get(0, ByteBuffer.class)))
                        .single(),
                PostgresqlConnection::close);
        assertThat(returned.block(Deadline.DURATION)).isEqualTo(ByteBuffer.wrap(blob));
    }

    @Test
    void manyConnectionsAreOpenAtATime() {
        List<PostgresqlConnection> open = Flux.range(0, CONNECTIONS)
                .flatMap(i -> connections.create(), CONNECTIONS)
                .collectList()
                .block(Deadline.DURATION);
        try {
            Long count = query(
                            "SELECT count(*) FROM pg_stat_activity WHERE usename = '" + PostgresqlServer.USER
                                    + "' AND backend_type = 'client backend'",
                            Long.class)
                    .blockLast(Deadline.DURATION);
            assertThat(count).isGreaterThan(CONNECTIONS);
        } finally {
            Flux.fromIterable(open).flatMap(PostgresqlConnection::close).blockLast(Deadline.DURATION);
        }
    }
}
