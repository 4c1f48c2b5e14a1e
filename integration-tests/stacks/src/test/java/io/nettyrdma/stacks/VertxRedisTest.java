// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Vert.x's client of Redis beside a server of Netty's codec. */
@Tag("dropin")
class VertxRedisTest {

    private static final int KEYS = 100;
    private static final int STEP_BYTES = 1000;
    private static final int LONG_BYTES = 1 << 20;

    /** All commands are sent at once, so the replies come in a row. */
    @Test
    void valuesOfManyLengthsAreFetchedAsTheyWereStored() throws Exception {
        byte[] bytes = new byte[LONG_BYTES];
        new Random(7).nextBytes(bytes);
        Vertx vertx = VertxTransport.open();
        try (SmallRedis server = new SmallRedis()) {
            try {
                RedisConnection connection =
                        VertxTransport.await(Redis.createClient(vertx, "redis://localhost:" + server.port())
                                .connect());
                List<Integer> lengths = IntStream.concat(
                                IntStream.range(0, KEYS).map(i -> i * STEP_BYTES), IntStream.of(LONG_BYTES))
                        .boxed()
                        .toList();
                List<Future<Response>> stored = lengths.stream()
                        .map(length -> connection.send(Request.cmd(Command.SET)
                                .arg("of " + length)
                                .arg(Buffer.buffer(bytes).slice(0, length))))
                        .toList();
                List<Future<Response>> fetched = lengths.stream()
                        .map(length -> connection.send(Request.cmd(Command.GET).arg("of " + length)))
                        .toList();
                VertxTransport.await(Future.all(stored));
                for (int i = 0; i < fetched.size(); i++) {
                    Response value = VertxTransport.await(fetched.get(i));
                    assertThat(value.toBuffer()).isEqualTo(Buffer.buffer(bytes).slice(0, lengths.get(i)));
                }
                VertxTransport.await(connection.close());
            } finally {
                VertxTransport.await(vertx.close());
            }
        }
    }
}
