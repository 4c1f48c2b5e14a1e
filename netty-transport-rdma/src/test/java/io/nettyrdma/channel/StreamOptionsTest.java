// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaServerSocketChannelConfig;
import io.nettyrdma.socket.RdmaSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannelConfig;
import io.nettyrdma.socket.RdmaSocketChannelOption;
import io.nettyrdma.stream.SetupData;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the options of a byte stream do over every provider of verbs. */
@NotOver(value = Lane.DISNI, reason = "byte streams have not been run over DiSNI's API")
final class StreamOptionsTest extends ProviderContract {

    @Test
    void idleStreamIsKeptAliveAndItsPeerDoesNotNotice() throws Exception {
        SeenVerbs seen = new SeenVerbs(provider.extensions());
        try (StreamPair pair = new StreamPair(provider, seen.verbs, () -> server, () -> client)) {
            pair.clientBootstrap
                    .option(ChannelOption.SO_KEEPALIVE, true)
                    .option(RdmaSocketChannelOption.TCP_KEEPIDLE, 1);
            RdmaSocketChannel channel = pair.connect();
            seen.awaitEmptyWrite();
            seen.awaitEmptyWrite();
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("still there")), "write");
            assertThat(server.nextText()).isEqualTo("still there");
            assertThat(server.failures).isEmpty();
            assertThat(client.failures).isEmpty();
        }
    }

    @Test
    void closedChannelIsNotKeptByItsTimer() throws Exception {
        TimedLoop loop = new TimedLoop(provider.newFactory());
        try (StreamPair pair = streams()) {
            ChannelFuture connected = pair.listen().clientBootstrap.clone(loop).connect(pair.address());
            RdmaSocketChannel channel =
                    (RdmaSocketChannel) ChannelPair.await(connected, "connect").channel();
            // Over iWARP, the announcements of a stream that has connected have another timer, which close ends, too.
            channel.config().setKeepAlive(true);
            assertThat(loop.hasTimers()).isTrue();
            ChannelPair.await(channel.close(), "close");
            ChannelPair.until(() -> !loop.hasTimers(), "a timer runs on");
        } finally {
            ChannelPair.await(loop.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the loop");
        }
    }

    @Test
    void keepaliveCanBeTurnedOnLater() throws Exception {
        SeenVerbs seen = new SeenVerbs(provider.extensions());
        try (StreamPair pair = new StreamPair(provider, seen.verbs, () -> server, () -> client)) {
            RdmaSocketChannel channel = pair.connect();
            channel.config().setTcpKeepIdle(1).setKeepAlive(true);
            seen.awaitEmptyWrite();
            ChannelPair.await(channel.close(), "close");
        }
    }

    static Stream<Arguments> streamOptions() {
        return arguments(StreamOptionValues.ofStreams());
    }

    static Stream<Arguments> listenerOptions() {
        return arguments(StreamOptionValues.ofListeners());
    }

    private static Stream<Arguments> arguments(Map<ChannelOption<?>, Object> values) {
        return values.entrySet().stream().map(e -> Arguments.of(e.getKey(), e.getValue()));
    }

    @Test
    void valuesAreOfAllOptions() {
        assertThat(StreamOptionValues.ofStreams().keySet())
                .isEqualTo(new RdmaSocketChannel().config().getOptions().keySet());
        assertThat(StreamOptionValues.ofListeners().keySet())
                .isEqualTo(new RdmaServerSocketChannel().config().getOptions().keySet());
    }

    @ParameterizedTest
    @MethodSource("streamOptions")
    <T> void bootstrapsSetEachOptionOfStreams(ChannelOption<T> option, T value) throws Exception {
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.option(option, value).connect();
            RdmaSocketChannel accepted = pair.accepted();
            for (RdmaSocketChannel either : List.of(channel, accepted)) {
                assertThat(either.config().getOption(option)).isEqualTo(value);
                assertThat(either.config().getOptions()).containsEntry(option, value);
            }
            assertThat(new RdmaSocketChannel().config().getOption(option)).isNotEqualTo(value);
        }
    }

    /** As programs have them that know no RDMA; an option that a channel does not know costs a warning each. */
    static Stream<Arguments> optionsOfOtherTransports() {
        return Stream.of(
                Arguments.of(
                        NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), RdmaSocketChannelOption.TCP_KEEPIDLE),
                Arguments.of(
                        NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL),
                        RdmaSocketChannelOption.TCP_KEEPINTVL),
                Arguments.of(
                        NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), RdmaSocketChannelOption.TCP_KEEPCNT),
                Arguments.of(NioChannelOption.of(StandardSocketOptions.SO_RCVBUF), ChannelOption.SO_RCVBUF),
                Arguments.of(EpollChannelOption.TCP_KEEPIDLE, RdmaSocketChannelOption.TCP_KEEPIDLE),
                Arguments.of(EpollChannelOption.TCP_KEEPINTVL, RdmaSocketChannelOption.TCP_KEEPINTVL),
                Arguments.of(EpollChannelOption.TCP_KEEPCNT, RdmaSocketChannelOption.TCP_KEEPCNT),
                Arguments.of(EpollChannelOption.TCP_USER_TIMEOUT, RdmaSocketChannelOption.TCP_USER_TIMEOUT));
    }

    @ParameterizedTest
    @MethodSource("optionsOfOtherTransports")
    void optionOfAnotherTransportMeansTheSame(ChannelOption<Integer> option, ChannelOption<Integer> own) {
        RdmaSocketChannelConfig config = new RdmaSocketChannel().config();
        assertThat(config.setOption(option, 100)).isTrue();
        assertThat(config.getOption(option)).isEqualTo(100);
        assertThat(config.getOptions()).containsEntry(own, 100);
    }

    @ParameterizedTest
    @MethodSource("listenerOptions")
    <T> void bootstrapsSetEachOptionOfListeners(ChannelOption<T> option, T value) throws Exception {
        try (StreamPair pair = streams()) {
            pair.serverBootstrap.option(option, value);
            pair.listen();
            assertThat(pair.listener.config().getOption(option)).isEqualTo(value);
            assertThat(pair.listener.config().getOptions()).containsEntry(option, value);
            assertThat(new RdmaServerSocketChannel().config().getOption(option)).isNotEqualTo(value);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "SO_RCVBUF, 0, 1 to 2147483647",
        "SO_SNDBUF, 0, 1 to 2147483647",
        "IP_TOS, -1, 0 to 255",
        "IP_TOS, 256, 0 to 255",
        "RDMA_STREAM_CREDITS, 15, 16 to 16000",
        "RDMA_STREAM_CREDITS, 16001, 16 to 16000",
        "RDMA_STREAM_BUFFERS, 1, 2 to 16",
        "RDMA_STREAM_BUFFERS, 17, 2 to 16",
        "TCP_KEEPIDLE, 0, 1 to 32767",
        "TCP_KEEPIDLE, 32768, 1 to 32767",
        "TCP_KEEPINTVL, 0, 1 to 32767",
        "TCP_KEEPCNT, 128, 1 to 127",
        "TCP_USER_TIMEOUT, -1, 0 to 2147483647",
    })
    void valueOutOfRangeIsRefused(String name, int value, String range) {
        RdmaSocketChannelConfig config = new RdmaSocketChannel().config();
        assertRefused(config, name, value, range);
    }

    @ParameterizedTest
    @CsvSource({
        "SO_BACKLOG, 0, 1 to 2147483647",
        "SO_RCVBUF, 0, 1 to 2147483647",
        "TCP_FASTOPEN, -1, 0 to 2147483647",
    })
    void valueOutOfRangeIsRefusedByListeners(String name, int value, String range) {
        RdmaServerSocketChannelConfig config = new RdmaServerSocketChannel().config();
        assertRefused(config, name, value, range);
    }

    private static void assertRefused(ChannelConfig config, String name, int value, String range) {
        ChannelOption<Integer> option = optionOf(config, name);
        Integer before = config.getOption(option);
        assertThatThrownBy(() -> config.setOption(option, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(name + ": " + value + " (expected: " + range + ")");
        assertThat(config.getOption(option)).isEqualTo(before);
    }

    @SuppressWarnings("unchecked") // only options that are numbers are asked for
    private static ChannelOption<Integer> optionOf(ChannelConfig config, String name) {
        for (ChannelOption<?> option : config.getOptions().keySet()) {
            if (option.name().equals(name) || option.name().endsWith("#" + name)) {
                return (ChannelOption<Integer>) option;
            }
        }
        throw new AssertionError("no option " + name);
    }

    @Test
    void optionsThatShapeTheQueuePairAreFixedWithIt() throws Exception {
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            for (RdmaSocketChannel either : List.of(channel, pair.accepted())) {
                for (String name : List.of("RDMA_STREAM_CREDITS", "RDMA_STREAM_BUFFERS")) {
                    assertThatThrownBy(() -> either.config().setOption(optionOf(either.config(), name), 16))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessage(name + " cannot change once the queue pair exists; set it as an option of the"
                                    + " bootstrap, or in the channel's initializer");
                }
            }
        }
    }

    @Test
    void peersAreToldOfCreditsAndBuffers() throws Exception {
        SeenVerbs seen = new SeenVerbs(provider.extensions());
        try (StreamPair pair = new StreamPair(provider, seen.verbs, () -> server, () -> client)) {
            pair.clientBootstrap
                    .option(RdmaSocketChannelOption.RDMA_STREAM_CREDITS, 20)
                    .option(RdmaSocketChannelOption.RDMA_STREAM_BUFFERS, 3);
            pair.serverBootstrap
                    .childOption(RdmaSocketChannelOption.RDMA_STREAM_CREDITS, 300)
                    .childOption(RdmaSocketChannelOption.RDMA_STREAM_BUFFERS, 5);
            pair.connect();
            SetupData request = SetupData.decodeRequest(nextSetupData(seen));
            assertThat(request.credits()).isEqualTo(20);
            assertThat(request.tableEntries()).isEqualTo(3);
            SetupData reply = SetupData.decodeReply(nextSetupData(seen), request);
            assertThat(reply.credits()).isEqualTo(300);
            assertThat(reply.tableEntries()).isEqualTo(5);
        }
    }

    private static ByteBuf nextSetupData(SeenVerbs seen) {
        byte[] octets = seen.privateData.poll();
        while (octets != null && (octets.length < SetupData.BYTES || octets[0] == 0)) {
            octets = seen.privateData.poll(); // of an event without any, which a device may pad
        }
        assertThat(octets).isNotNull();
        return Unpooled.wrappedBuffer(octets);
    }

    @Test
    void peerWritesNoMoreThanTheReceiveBufferWhileNobodyReads() throws Exception {
        int piece = 1024;
        try (StreamPair pair = streams()) {
            pair.serverBootstrap
                    .childOption(ChannelOption.SO_RCVBUF, 4 * piece)
                    .childOption(ChannelOption.AUTO_READ, false);
            pair.clientBootstrap.option(ChannelOption.SO_SNDBUF, piece);
            RdmaSocketChannel channel = pair.connect();
            RdmaSocketChannel accepted = pair.accepted();
            List<ChannelFuture> writes = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                writes.add(channel.write(Unpooled.directBuffer(piece).writeZero(piece)));
            }
            channel.flush();
            ChannelPair.await(writes.get(4), "write of what fits, and of what this side keeps");
            ChannelPair.await(accepted.writeAndFlush(ChannelPair.text("not read")), "write the other way");
            assertThat(client.nextText()).isEqualTo("not read");
            assertThat(writes.get(5).isDone()).isFalse();
            accepted.config().setAutoRead(true);
            ChannelPair.await(writes.get(19), "last write");
        }
    }

    @Test
    void receiveBufferThatChangesCountsForWhatIsPublishedNext() throws Exception {
        int piece = 1024;
        try (StreamPair pair = streams()) {
            pair.serverBootstrap
                    .childOption(ChannelOption.SO_RCVBUF, 4 * piece) // in four buffers, of which one is there at first
                    .childOption(ChannelOption.AUTO_READ, false);
            pair.clientBootstrap.option(ChannelOption.SO_SNDBUF, piece);
            RdmaSocketChannel channel = pair.connect();
            RdmaSocketChannel accepted = pair.accepted();
            server.awaitActive();
            accepted.config().setReceiveBufferSize(piece);
            List<ChannelFuture> writes = new ArrayList<>();
            ChannelPair.onLoop(channel, () -> {
                for (int i = 0; i < 20; i++) {
                    writes.add(channel.write(Unpooled.directBuffer(piece).writeZero(piece)));
                }
                channel.flush();
            });
            ChannelPair.await(writes.get(1), "write of what fits, and of what this side keeps");
            ChannelPair.await(accepted.writeAndFlush(ChannelPair.text("low")), "write the other way");
            assertThat(client.nextText()).isEqualTo("low");
            assertThat(writes.get(2).isDone()).isFalse();
            accepted.config().setReceiveBufferSize(8 * piece);
            ChannelPair.await(accepted.writeAndFlush(ChannelPair.text("high")), "write the other way");
            assertThat(client.nextText()).isEqualTo("high");
            ChannelPair.await(writes.get(7), "write of what fits now");
            ChannelPair.await(accepted.writeAndFlush(ChannelPair.text("full")), "write the other way");
            assertThat(client.nextText()).isEqualTo("full");
            assertThat(writes.get(8).isDone()).isFalse();
            accepted.config().setAutoRead(true);
            ChannelPair.await(writes.get(19), "last write");
        }
    }

    @Test
    void listenersReceiveBufferIsThatOfChildrenWithoutTheirOwn() throws Exception {
        try (StreamPair pair = new StreamPair(provider, Inbox::new, Inbox::new)) {
            pair.serverBootstrap.option(ChannelOption.SO_RCVBUF, 4096);
            pair.connect();
            assertThat(pair.accepted().config().getReceiveBufferSize()).isEqualTo(4096);
            pair.serverBootstrap.childOption(ChannelOption.SO_RCVBUF, 5000);
            pair.listen().connect();
            assertThat(pair.accepted().config().getReceiveBufferSize()).isEqualTo(5000);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 5000})
    void noMoreIsPostedThanTheSendBuffer(int sendBuffer) throws Exception {
        SeenVerbs seen = new SeenVerbs(provider.extensions());
        try (StreamPair pair = new StreamPair(provider, seen.verbs, () -> server, () -> client)) {
            pair.clientBootstrap.option(ChannelOption.SO_SNDBUF, sendBuffer);
            RdmaSocketChannel channel = pair.connect();
            ChannelPair.await(channel.writeAndFlush(Unpooled.buffer().writeZero(20_000)), "write");
            assertThat(seen.mostBytesOfABatch).hasValue(sendBuffer);
        }
    }

    @Test
    @SuppressWarnings("deprecation") // Netty keeps the option
    void receiveAllocatorSizesWhatIsRead() throws Exception {
        try (StreamPair pair = streams()) {
            pair.serverBootstrap.childOption(ChannelOption.RCVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(100));
            RdmaSocketChannel channel = pair.connect();
            ChannelPair.await(channel.writeAndFlush(Unpooled.buffer().writeZero(1_000)), "write");
            for (int i = 0; i < 10; i++) {
                assertThat(server.next()).hasSize(100);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void noMoreRequestsThanTheBacklogWaitForTheListenerToBeRead(int backlog) throws Exception {
        provider.assumeBacklogOfUnansweredRequests();
        SeenVerbs seen = new SeenVerbs(provider.extensions());
        try (StreamPair pair = new StreamPair(provider, seen.verbs, Inbox::new, Inbox::new)) {
            pair.serverBootstrap.option(ChannelOption.SO_BACKLOG, backlog).option(ChannelOption.AUTO_READ, false);
            pair.listen();
            ChannelFuture first = pair.clientBootstrap.connect(pair.address());
            ChannelPair.until(() -> seen.requests.get() == 1, "no request");
            pair.clientBootstrap.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 500);
            ChannelFuture second = pair.clientBootstrap.connect(pair.address());
            assertThat(ChannelPair.done(second).isSuccess()).isFalse();
            assertThat(seen.requests).hasValue(backlog);
            pair.listener.read();
            ChannelPair.await(first, "connect");
        }
    }

    @Test
    void lowerBacklogOfABoundListenerRejectsNoRequestThatWaits() throws Exception {
        SeenVerbs seen = new SeenVerbs(provider.extensions());
        try (StreamPair pair = new StreamPair(provider, seen.verbs, Inbox::new, Inbox::new)) {
            pair.serverBootstrap.option(ChannelOption.AUTO_READ, false);
            pair.listen();
            pair.listener.config().setOption(ChannelOption.SO_BACKLOG, 1);
            List<ChannelFuture> connects = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                connects.add(pair.clientBootstrap.connect(pair.address()));
            }
            ChannelPair.until(() -> seen.requests.get() == 3, "no requests");
            pair.listener.config().setAutoRead(true);
            ChannelPair.awaitAll(connects, "connect");
        }
    }

    @Test
    void socketOptionsReachTheProvider() throws Exception {
        SeenVerbs seen = new SeenVerbs(provider.extensions());
        try (StreamPair pair = new StreamPair(provider, seen.verbs, () -> server, () -> client)) {
            pair.serverBootstrap.option(ChannelOption.SO_REUSEADDR, false).childOption(ChannelOption.IP_TOS, 8);
            pair.clientBootstrap.option(ChannelOption.SO_REUSEADDR, false).option(ChannelOption.IP_TOS, 4);
            pair.listen();
            assertThat(seen.socketOptions).containsExactly("SO_REUSEADDR=false");
            seen.socketOptions.clear();
            RdmaSocketChannel channel = pair.connect();
            assertThat(seen.socketOptions)
                    .containsExactly("SO_REUSEADDR=false", "IP_TOS=4", "SO_REUSEADDR=true", "IP_TOS=8");
            seen.socketOptions.clear();
            ChannelPair.onLoop(channel, () -> {
                channel.config().setTrafficClass(16);
            });
            assertThat(seen.socketOptions).contains("IP_TOS=16");
        }
    }
}
