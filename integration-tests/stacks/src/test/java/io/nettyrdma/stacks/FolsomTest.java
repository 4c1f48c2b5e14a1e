// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import static org.assertj.core.api.Assertions.assertThat;

import com.spotify.folsom.BinaryMemcacheClient;
import com.spotify.folsom.MemcacheClientBuilder;
import com.spotify.folsom.MemcacheStatus;
import io.nettyrdma.channel.StreamTransport;
import io.nettyrdma.deadline.Deadline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Folsom, a client of memcached, beside a server of Netty's codec. */
@Tag("dropin")
class FolsomTest {

    private static final int KEYS = 100;
    private static final int STEP_BYTES = 1000;
    private static final int NEVER = 0;

    /** The client sends all commands at once, so the replies come in a row. */
    @Test
    void valuesOfManyLengthsAreFetchedAsTheyWereStored() throws Exception {
        byte[] bytes = new byte[KEYS * STEP_BYTES];
        new Random(7).nextBytes(bytes);
        try (SmallMemcached server = new SmallMemcached()) {
            BinaryMemcacheClient<byte[]> client = MemcacheClientBuilder.newByteArrayClient()
                    .withAddress("localhost", server.port())
                    .withEventLoopGroup(StreamTransport.UNDER_TEST.group())
                    .withChannelClass(StreamTransport.UNDER_TEST.client())
                    .withConnectionTimeoutMillis(Deadline.MILLIS)
                    .connectBinary();
            try {
                client.awaitConnected(Deadline.SECONDS, TimeUnit.SECONDS);
                List<CompletionStage<MemcacheStatus>> stored = new ArrayList<>();
                List<CompletionStage<byte[]>> fetched = new ArrayList<>();
                for (int i = 0; i < KEYS; i++) {
                    stored.add(client.set("of-" + i, Arrays.copyOf(bytes, i * STEP_BYTES), NEVER));
                    fetched.add(client.get("of-" + i));
                }
                for (int i = 0; i < KEYS; i++) {
                    assertThat(await(stored.get(i))).isEqualTo(MemcacheStatus.OK);
                    assertThat(await(fetched.get(i))).isEqualTo(Arrays.copyOf(bytes, i * STEP_BYTES));
                }
            } finally {
                client.shutdown();
                client.awaitDisconnected(Deadline.SECONDS, TimeUnit.SECONDS);
            }
        }
    }

    private static <T> T await(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(Deadline.SECONDS, TimeUnit.SECONDS);
    }
}
