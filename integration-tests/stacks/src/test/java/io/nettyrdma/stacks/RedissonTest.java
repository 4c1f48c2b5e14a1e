// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.channel.StreamTransport;
import io.nettyrdma.deadline.Deadline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RBucket;
import org.redisson.api.RFuture;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.config.Config;

/** Redisson beside a server of Netty's codec. */
@Tag("dropin")
class RedissonTest {

    private static final int KEYS = 100;
    private static final int STEP_BYTES = 1000;
    private static final int CONNECTIONS = 4;

    /** Several connections send commands at once. */
    @Test
    void valuesOfManyLengthsAreFetchedAsTheyWereStored() throws Exception {
        byte[] bytes = new byte[KEYS * STEP_BYTES];
        new Random(7).nextBytes(bytes);
        try (SmallRedis server = new SmallRedis()) {
            Config config = new Config()
                    .setEventLoopGroup(StreamTransport.UNDER_TEST.group())
                    .setNettyHook(new RedissonChannels())
                    .setCodec(ByteArrayCodec.INSTANCE);
            config.useSingleServer()
                    .setAddress("redis://localhost:" + server.port())
                    .setConnectionMinimumIdleSize(CONNECTIONS)
                    .setConnectionPoolSize(CONNECTIONS)
                    .setTimeout(Deadline.MILLIS);
            RedissonClient client = Redisson.create(config);
            try {
                List<RFuture<Void>> stored = new ArrayList<>();
                for (int i = 0; i < KEYS; i++) {
                    stored.add(bucket(client, i).setAsync(Arrays.copyOf(bytes, i * STEP_BYTES)));
                }
                for (RFuture<Void> future : stored) {
                    future.get(Deadline.SECONDS, TimeUnit.SECONDS);
                }
                List<RFuture<byte[]>> fetched = new ArrayList<>();
                for (int i = 0; i < KEYS; i++) {
                    fetched.add(bucket(client, i).getAsync());
                }
                for (int i = 0; i < KEYS; i++) {
                    assertThat(fetched.get(i).get(Deadline.SECONDS, TimeUnit.SECONDS))
                            .isEqualTo(Arrays.copyOf(bytes, i * STEP_BYTES));
                }
            } finally {
                client.shutdown();
            }
        }
    }

    private static RBucket<byte[]> bucket(RedissonClient client, int key) {
        return client.getBucket("of " + key);
    }
}
