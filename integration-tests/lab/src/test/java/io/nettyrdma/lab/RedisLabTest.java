// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.codec.redis.RedisArrayAggregator;
import io.netty.handler.codec.redis.RedisBulkStringAggregator;
import io.netty.handler.codec.redis.RedisDecoder;
import io.netty.handler.codec.redis.RedisEncoder;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import io.nettyrdma.stream.CapturedStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Byte streams with Redis as the peer, over the guest's siw. {@code redis-cli} runs over librspreload.
 * {@code redis-server} cannot, since it waits by epoll: a gateway stands before it, {@code rsgate}.
 */
@Lab
@Tag("rsockets")
class RedisLabTest {

    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final int FIRST_GUEST_PORT = 7379;
    private static final List<Integer> SIZES = List.of(1, 1_000, 900_000);
    private static final int PIPELINED = 50;
    private static final int MAX_WORDS = 8;
    private static final byte[] SET = bytes("SET");
    private static final byte[] GET = bytes("GET");

    @TempDir
    private static Path dir;

    private static Path gateway;

    private EventLoopGroup group;

    @BeforeAll
    static void make() throws Exception {
        gateway = RdmacmProgram.make(dir, "rsgate");
    }

    @BeforeEach
    void start() {
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @AfterEach
    void stop() {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void redisServerBehindTheGatewayAnswersOneCallAfterTheOther(LabGuest guest) throws Exception {
        withRedisServer("redis-server-single", FIRST_GUEST_PORT, guest, SIZES, (client, values) -> {
            for (int i = 0; i < values.size(); i++) {
                CompletableFuture<byte[]> set = client.call(SET, key(i), values.get(i));
                client.flush();
                assertThat(reply(set)).asString(US_ASCII).isEqualTo("OK");
                CompletableFuture<byte[]> get = client.call(GET, key(i));
                client.flush();
                assertThat(reply(get)).isEqualTo(values.get(i));
            }
        });
    }

    @Test
    void redisServerBehindTheGatewayAnswersCallsOfOneFlush(LabGuest guest) throws Exception {
        List<Integer> sizes = new ArrayList<>(SIZES);
        sizes.addAll(1, Collections.nCopies(PIPELINED, 1_000));
        withRedisServer("redis-server-pipelined", FIRST_GUEST_PORT + 1, guest, sizes, (client, values) -> {
            List<CompletableFuture<byte[]>> sets = new ArrayList<>();
            List<CompletableFuture<byte[]>> gets = new ArrayList<>();
            for (int i = 0; i < values.size(); i++) {
                sets.add(client.call(SET, key(i), values.get(i)));
            }
            for (int i = 0; i < values.size(); i++) {
                gets.add(client.call(GET, key(i)));
            }
            client.flush();
            for (int i = 0; i < values.size(); i++) {
                assertThat(reply(sets.get(i))).asString(US_ASCII).isEqualTo("OK");
            }
            for (int i = 0; i < values.size(); i++) {
                assertThat(reply(gets.get(i))).isEqualTo(values.get(i));
            }
        });
    }

    private Channel listen(RedisServer server) throws InterruptedException {
        return new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(codecAnd(server))
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
    }

    @Test
    void redisCliOfTheReadmeGetsAnAnswer(LabGuest guest) throws Exception {
        Channel listener = listen(new RedisServer());
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        String command = ReadmeProgram.command("redis-cli", "ADDRESS", LabGuest.HOST_ADDRESS, "PORT", port);
        Path file;
        try (Capture capture = Capture.ofPort("redis-cli-of-the-readme", port)) {
            assertThat(guest.run(command, LIMIT).assertSucceeded().output()).isEqualTo("PONG\n");
            file = capture.stop();
        }
        assertThat(StreamCapture.judge(file)).hasSize(1);
    }

    @Test
    void redisCliOverLibrspreloadCallsTheJavaServer(LabGuest guest) throws Exception {
        RedisServer server = new RedisServer();
        Channel listener = listen(server);
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        String sizes = SIZES.stream().map(String::valueOf).collect(Collectors.joining(" "));
        String said;
        Path file;
        try (Capture capture = Capture.ofPort("redis-cli", port)) {
            said = guest.run("lab_redis_calls " + port + " " + sizes, LIMIT)
                    .assertSucceeded()
                    .output();
            file = capture.stop();
        }
        listener.close().sync();

        List<Integer> callBytes = new ArrayList<>(List.of(callBytes(4)));
        List<Integer> replyBytes = new ArrayList<>(List.of("+PONG\r\n".length()));
        for (int size : SIZES) {
            String key = "value-" + size;
            byte[] value = server.values().get(key);
            assertThat(value).as(key).hasSize(size);
            assertThat(said).contains("redis-cli " + key + ": sha256 " + sha256(value));
            callBytes.addAll(List.of(callBytes(3, key.length(), size), callBytes(3, key.length())));
            replyBytes.addAll(List.of("+OK\r\n".length(), stringBytes(size)));
        }
        List<CapturedStream> streams = StreamCapture.judge(file);
        assertThat(streams)
                .extracting(stream -> (int) stream.forth().dataBytes())
                .isEqualTo(callBytes);
        assertThat(streams)
                .extracting(stream -> (int) stream.back().dataBytes())
                .isEqualTo(replyBytes);
        // It ends without closing its socket, and librspreload does not close it either.
        for (CapturedStream stream : streams) {
            assertThat(stream.forth().isDisconnected()).isFalse();
        }
        assertThat(server.failures()).isEmpty();
    }

    @FunctionalInterface
    private interface Calls {
        void run(RedisClient client, List<byte[]> values) throws Exception;
    }

    /** Makes calls that set and get a value of each size, once. */
    private void withRedisServer(String name, int guestPort, LabGuest guest, List<Integer> sizes, Calls calls)
            throws Exception {
        Random random = new Random(1);
        List<byte[]> values = new ArrayList<>();
        for (int size : sizes) {
            byte[] value = new byte[size];
            random.nextBytes(value);
            values.add(value);
        }
        int port = guest.forward(guestPort);
        Path file;
        try (Capture capture = Capture.ofPort(name, port);
                GuestCommand redis = guest.start("lab_redis " + gateway + " " + guestPort, LIMIT)) {
            redis.awaitOutput("rsgate: listens", Deadline.DURATION);
            redis.asTheOtherEndOf(() -> {
                RedisClient client = new RedisClient();
                Channel channel = new Bootstrap()
                        .group(group)
                        .channel(RdmaSocketChannel.class)
                        .handler(codecAnd(client))
                        .connect(InetAddress.getLoopbackAddress(), port)
                        .sync()
                        .channel();
                calls.run(client, values);
                channel.close().sync();
                redis.awaitOutput("rsgate: to TCP: ", Deadline.DURATION);
            });
            file = capture.stop();
        }
        int callBytes = 0;
        int replyBytes = 0;
        for (int i = 0; i < sizes.size(); i++) {
            callBytes += callBytes(3, key(i).length, sizes.get(i)) + callBytes(3, key(i).length);
            replyBytes += "+OK\r\n".length() + stringBytes(sizes.get(i));
        }
        List<CapturedStream> streams = StreamCapture.judge(file);
        assertThat(streams).hasSize(1);
        CapturedStream.Direction java = streams.get(0).forth();
        assertThat(java.dataBytes()).isEqualTo(callBytes);
        assertThat(streams.get(0).back().dataBytes()).isEqualTo(replyBytes);
        assertThat(java.isDisconnected()).isTrue();
        assertThat(java.wordsAfterDisconnect()).isZero();
    }

    private static ChannelHandler codecAnd(ChannelHandler handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline()
                        .addLast(
                                new RedisDecoder(),
                                new RedisBulkStringAggregator(),
                                new RedisArrayAggregator(MAX_WORDS, MAX_WORDS),
                                new RedisEncoder(),
                                handler);
            }
        };
    }

    private static byte[] reply(CompletableFuture<byte[]> call) throws Exception {
        return call.get(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    /** Returns the bytes of a call whose words have so many each. */
    private static int callBytes(int... words) {
        return ("*" + words.length + "\r\n").length()
                + IntStream.of(words).map(RedisLabTest::stringBytes).sum();
    }

    private static int stringBytes(int size) {
        return ("$" + size + "\r\n").length() + size + "\r\n".length();
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    private static byte[] key(int call) {
        return bytes("key-" + call);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }
}
