// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.netty.bootstrap.Bootstrap;
import io.nettyrdma.channel.StreamTransport;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lettuce beside a server of Netty's codec. */
@Tag("dropin")
class LettuceTest {

    private static final int KEYS = 100;
    private static final int STEP_BYTES = 1000;

    /** All commands are sent at once, so the replies come in a row. */
    @Test
    void valuesOfManyLengthsAreFetchedAsTheyWereStored() throws Exception {
        if (!StreamTransport.UNDER_TEST.isRdma()) {
            // Lettuce believes that it has channels of epoll.
            Logs.allow(Bootstrap.class.getName(), "Unknown channel option 'io.netty.channel.epoll.EpollChannelOption#");
        }
        byte[] bytes = new byte[KEYS * STEP_BYTES];
        new Random(7).nextBytes(bytes);
        ClientResources resources = ClientResources.builder()
                .eventLoopGroupProvider(new LettuceLoops())
                .nettyCustomizer(new LettuceChannels())
                .build();
        try (SmallRedis server = new SmallRedis()) {
            RedisURI address = RedisURI.Builder.redis("localhost", server.port())
                    .withTimeout(Duration.ofSeconds(Deadline.SECONDS))
                    .build();
            RedisClient client = RedisClient.create(resources, address);
            client.setOptions(ClientOptions.builder()
                    .protocolVersion(ProtocolVersion.RESP2) // the server knows no other
                    .build());
            try (StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE)) {
                RedisAsyncCommands<byte[], byte[]> commands = connection.async();
                List<RedisFuture<byte[]>> fetched = new ArrayList<>();
                for (int i = 0; i < KEYS; i++) {
                    byte[] key = {(byte) i};
                    commands.set(key, Arrays.copyOf(bytes, i * STEP_BYTES));
                    fetched.add(commands.get(key));
                }
                for (int i = 0; i < KEYS; i++) {
                    assertThat(fetched.get(i).get(Deadline.SECONDS, TimeUnit.SECONDS))
                            .isEqualTo(Arrays.copyOf(bytes, i * STEP_BYTES));
                }
            } finally {
                client.shutdown(Duration.ZERO, Duration.ofSeconds(Deadline.SECONDS));
            }
        } finally {
            resources.shutdown(0, Deadline.SECONDS, TimeUnit.SECONDS).get(Deadline.SECONDS, TimeUnit.SECONDS);
        }
    }
}
