// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.channel.StreamTransport;
import io.nettyrdma.deadline.Deadline;
import java.io.File;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.client.ChunkReceivedCallback;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.StreamCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.client.TransportClientFactory;
import org.apache.spark.network.server.RpcHandler;
import org.apache.spark.network.server.StreamManager;
import org.apache.spark.network.server.TransportServer;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Spark's network-common, with its class {@code NettyUtils} replaced: calls, chunks of a file, which Spark writes as a
 * {@code FileRegion}, and streams.
 */
@Tag("dropin")
class SparkNetworkTest {

    private static final String HOST = "127.0.0.1";
    private static final int CALLS = 5_000;
    private static final int FILE_BYTES = 64_000_000;
    private static final int CHUNKS = 2;

    @TempDir
    Path directory;

    private final TransportConf conf = new TransportConf("shuffle", new MapConfigProvider(Map.of()));
    private File file;
    private long checksum;
    private TransportContext context;
    private TransportServer server;
    private TransportClientFactory clients;

    @BeforeEach
    void start() throws Exception {
        byte[] bytes = new byte[FILE_BYTES];
        new Random(10).nextBytes(bytes);
        file = Files.write(directory.resolve("file"), bytes).toFile();
        checksum = checksum(ByteBuffer.wrap(bytes));
        context = new TransportContext(conf, new Echo());
        server = context.createServer(HOST, 0, List.of());
        clients = context.createClientFactory();
    }

    @AfterEach
    void stop() {
        clients.close();
        server.close();
        context.close();
    }

    private static long checksum(ByteBuffer bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes);
        return sum.getValue();
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    private TransportClient connect() throws Exception {
        TransportClient client = clients.createClient(HOST, server.getPort());
        assertThat(client.getChannel()).isInstanceOf(StreamTransport.UNDER_TEST.client());
        return client;
    }

    /** Sends requests back, and has one file. */
    private final class Echo extends RpcHandler {

        private final StreamManager files = new StreamManager() {
            @Override
            public ManagedBuffer getChunk(long stream, int chunk) {
                return content();
            }

            @Override
            public ManagedBuffer openStream(String stream) {
                return content();
            }
        };

        private ManagedBuffer content() {
            return new FileSegmentManagedBuffer(conf, file, 0, FILE_BYTES);
        }

        @Override
        public void receive(TransportClient client, ByteBuffer message, RpcResponseCallback reply) {
            reply.onSuccess(message);
        }

        @Override
        public StreamManager getStreamManager() {
            return files;
        }
    }

    @Test
    void callsAreAnswered() throws Exception {
        TransportClient client = connect();
        List<CompletableFuture<Integer>> replies = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            CompletableFuture<Integer> reply = new CompletableFuture<>();
            replies.add(reply);
            client.sendRpc(ByteBuffer.allocate(Integer.BYTES).putInt(0, i), new RpcResponseCallback() {
                @Override
                public void onSuccess(ByteBuffer response) {
                    reply.complete(response.getInt());
                }

                @Override
                public void onFailure(Throwable failure) {
                    reply.completeExceptionally(failure);
                }
            });
        }
        for (int i = 0; i < CALLS; i++) {
            assertThat(await(replies.get(i))).isEqualTo(i);
        }
    }

    @Test
    void chunksOfAFileArriveWhole() throws Exception {
        TransportClient client = connect();
        for (int i = 0; i < CHUNKS; i++) {
            CompletableFuture<Long> received = new CompletableFuture<>();
            client.fetchChunk(1, i, new ChunkReceivedCallback() {
                @Override
                public void onSuccess(int chunk, ManagedBuffer content) {
                    try (InputStream bytes = content.createInputStream()) {
                        received.complete(checksum(ByteBuffer.wrap(bytes.readAllBytes())));
                    } catch (Exception e) {
                        received.completeExceptionally(e);
                    }
                }

                @Override
                public void onFailure(int chunk, Throwable failure) {
                    received.completeExceptionally(failure);
                }
            });
            assertThat(await(received)).isEqualTo(checksum);
        }
    }

    @Test
    void streamArrivesWhole() throws Exception {
        TransportClient client = connect();
        CRC32C sum = new CRC32C();
        CompletableFuture<Long> received = new CompletableFuture<>();
        client.stream("file", new StreamCallback() {
            @Override
            public void onData(String stream, ByteBuffer bytes) {
                sum.update(bytes);
            }

            @Override
            public void onComplete(String stream) {
                received.complete(sum.getValue());
            }

            @Override
            public void onFailure(String stream, Throwable failure) {
                received.completeExceptionally(failure);
            }
        });
        assertThat(await(received)).isEqualTo(checksum);
    }
}
