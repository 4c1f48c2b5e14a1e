// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoClientSettings;
import com.mongodb.ServerAddress;
import com.mongodb.connection.TransportSettings;
import com.mongodb.reactivestreams.client.MongoClient;
import com.mongodb.reactivestreams.client.MongoClients;
import com.mongodb.reactivestreams.client.MongoCollection;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.wire.MongoDatabaseHandler;
import de.bwaldvogel.mongo.wire.MongoExceptionHandler;
import de.bwaldvogel.mongo.wire.MongoWireMessageEncoder;
import de.bwaldvogel.mongo.wire.MongoWireProtocolHandler;
import de.bwaldvogel.mongo.wire.MongoWireReplyEncoder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.nettyrdma.channel.StreamTransport;
import io.nettyrdma.deadline.Deadline;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.bson.Document;
import org.bson.types.Binary;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** MongoDB's reactive driver and the handlers of mongo-java-server, which keeps documents in memory. */
@Tag("dropin")
class MongoTest {

    private static final int DOCUMENTS = 2_000;
    private static final int AT_A_TIME = 20;
    private static final int BLOB_BYTES = 8_000_000;

    private static final MemoryBackend BACKEND = new MemoryBackend();
    private static final ChannelGroup ACCEPTED = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private static Channel listener;
    private static MongoClient client;

    @BeforeAll
    static void start() {
        listener = StreamTransport.UNDER_TEST
                .newServer()
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        new MongoWireReplyEncoder(),
                                        new MongoWireMessageEncoder(),
                                        new MongoWireProtocolHandler(),
                                        new MongoDatabaseHandler(BACKEND, ACCEPTED),
                                        new MongoExceptionHandler());
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
        ServerAddress address = new ServerAddress("localhost", ((InetSocketAddress) listener.localAddress()).getPort());
        client = MongoClients.create(MongoClientSettings.builder()
                .transportSettings(TransportSettings.nettyBuilder()
                        .eventLoopGroup(StreamTransport.UNDER_TEST.group())
                        .socketChannelClass(StreamTransport.UNDER_TEST.client().asSubclass(SocketChannel.class))
                        .build())
                .applyToClusterSettings(cluster -> cluster.hosts(List.of(address)))
                .build());
    }

    @AfterAll
    static void stop() {
        client.close();
        listener.close().syncUninterruptibly();
        ACCEPTED.close().syncUninterruptibly();
        BACKEND.close();
    }

    private static MongoCollection<Document> collection(String name) {
        return client.getDatabase("test").getCollection(name);
    }

    @Test
    void manyDocumentsAreFoundInOrder() {
        MongoCollection<Document> numbers = collection("numbers");
        Flux.range(0, DOCUMENTS)
                .flatMap(i -> numbers.insertOne(new Document("_id", i)), AT_A_TIME)
                .blockLast(Deadline.DURATION);
        List<Integer> found = Flux.from(numbers.find().sort(new Document("_id", 1)))
                .map(document -> document.getInteger("_id"))
                .collectList()
                .block(Deadline.DURATION);
        assertThat(found).isEqualTo(IntStream.range(0, DOCUMENTS).boxed().toList());
    }

    @Test
    void largeDocumentGoesToTheServerAndBack() {
        byte[] blob = new byte[BLOB_BYTES];
        new Random(9).nextBytes(blob);
        MongoCollection<Document> blobs = collection("blobs");
        Mono.from(blobs.insertOne(new Document("blob", blob))).block(Deadline.DURATION);
        Document found = Mono.from(blobs.find().first()).block(Deadline.DURATION);
        assertThat(found).isNotNull();
        assertThat(found.get("blob", Binary.class).getData()).isEqualTo(blob);
    }
}
