// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import io.nettyrdma.conformance.Requirement;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages and remote memory as programs use them: of all lengths, many at a time, between several event loops. */
final class TrafficTest extends ProviderContract {

    private static final int MIB = 1 << 20;
    private static final int CLIENTS = 6;
    private static final int LOOPS = 2;

    /** With receives for twice what is in flight: a receive is free again when the echo of its message was sent. */
    private ChannelPair echoing(int bytes, int inFlight, EchoCaller caller) {
        return new ChannelPair(provider, EchoCaller.Server::new, () -> caller)
                .option(RdmaChannelOption.RDMA_RECEIVE_SIZE, Math.max(bytes, 64))
                .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 2 * inFlight);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "0, 64",
        "1, 1",
        "1, 64",
        "64, 1",
        "64, 16",
        "64, 64",
        "4096, 1",
        "4096, 16",
        "4096, 64",
        "60000, 1",
        "60000, 16",
        "60000, 64",
        "1048576, 1",
        "1048576, 4"
    })
    void echoesAreTheMessagesThatWereSent(int bytes, int inFlight) throws Exception {
        int count = bytes == MIB ? 8 : 3 * inFlight + 5;
        EchoCaller caller = new EchoCaller(bytes, count, inFlight);
        try (ChannelPair pair = echoing(bytes, inFlight, caller)) {
            pair.connect();
            assertThat(caller.await()).isEqualTo(count);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 60_000})
    void echoesCrossIpVersion6(int bytes) throws Exception {
        provider.assumeIpVersion6();
        EchoCaller caller = new EchoCaller(bytes, 20, 4);
        try (ChannelPair pair = echoing(bytes, 4, caller)) {
            InetAddress address = TestProvider.addressOfVersion6();
            Channel listener = ChannelPair.await(pair.serverBootstrap.bind(new InetSocketAddress(address, 0)), "bind")
                    .channel();
            Channel channel = ChannelPair.await(pair.clientBootstrap.connect(listener.localAddress()), "connect")
                    .channel();
            assertThat(caller.await()).isEqualTo(20);
            assertThat(((InetSocketAddress) channel.remoteAddress()).getAddress())
                    .isEqualTo(address);
            assertThat(((InetSocketAddress) channel.localAddress()).getAddress())
                    .isEqualTo(address);
        }
    }

    @Test
    void severalClientsOnSeveralLoopsAreServedBySeveralLoops() throws Exception {
        EventLoopGroup clients = new MultiThreadIoEventLoopGroup(LOOPS, provider.newFactory());
        try (ChannelPair pair = echoing(4096, 16, new EchoCaller(1, 1, 1)).listen()) {
            List<EchoCaller> callers = new ArrayList<>();
            List<ChannelFuture> connects = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                EchoCaller caller = new EchoCaller(1 + 819 * i, 100, 16);
                callers.add(caller);
                connects.add(pair.clientBootstrap.clone(clients).handler(caller).connect(pair.address()));
            }
            Set<Object> loops = ConcurrentHashMap.newKeySet();
            ChannelPair.awaitAll(connects, "connect");
            for (EchoCaller caller : callers) {
                assertThat(caller.await()).isEqualTo(100);
                loops.add(pair.accepted().eventLoop());
            }
            assertThat(loops).hasSize(provider.serverLoops);
        } finally {
            end(clients);
        }
    }

    private static void end(EventLoopGroup group) throws Exception {
        ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
    }

    /** The child of the proxy's listener is on one loop, its connection to the server on another. */
    @Test
    void proxyPassesMessagesBetweenLoops() throws Exception {
        EchoCaller caller = new EchoCaller(4096, 200, 16);
        EventLoopGroup far = new MultiThreadIoEventLoopGroup(1, provider.newFactory());
        try (ChannelPair behind = echoing(4096, 32, caller).listen()) {
            Bootstrap onward = new Bootstrap()
                    .group(far)
                    .channel(RdmaChannel.class)
                    .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 64)
                    .remoteAddress(behind.address());
            try (ChannelPair proxy = new ChannelPair(provider, () -> Proxy.to(onward), () -> caller)
                    .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 64)) {
                RdmaChannel client = proxy.connect();
                assertThat(caller.await()).isEqualTo(200);
                RdmaChannel last = behind.accepted();
                client.close();
                ChannelPair.await(last.closeFuture(), "the end of the connection behind the proxy");
            }
        } finally {
            end(far);
        }
    }

    /** What a Read has brought is whole when its promise says so, however many Sends are behind it. */
    @ParameterizedTest
    @CsvSource({"1, 64", "64, 16", "4096, 64", "60000, 16", "1048576, 4"})
    void readsBringWhatIsThereAndSendsFollowThem(int bytes, int reads) throws Exception {
        byte[] there = new byte[bytes];
        new Random(bytes).nextBytes(there);
        try (ChannelPair pair = pair()) {
            provider.postReceivesFor(reads, pair.serverBootstrap);
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            RdmaMemory exposed = ChannelPair.onLoop(child, () -> child.allocateMemory(bytes, RdmaAccess.REMOTE_READ));
            provider.awaitExposure(child);
            exposed.content().setBytes(0, there);
            List<RdmaMemory> targets = new ArrayList<>();
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < reads; i++) {
                RdmaMemory target = ChannelPair.onLoop(channel, () -> channel.allocateMemory(bytes, RdmaAccess.LOCAL));
                targets.add(target);
                done.add(channel.write(
                        new RdmaRead(exposed.segment(), target.content().retain())));
                done.add(channel.write(Unpooled.copyInt(i)));
            }
            channel.flush();
            ChannelPair.awaitAll(done, "a Read or a Send");
            for (int i = 0; i < reads; i++) {
                assertThat(server.next()).isEqualTo(new byte[] {0, 0, 0, (byte) i});
                assertThat(ByteBufUtil.getBytes(targets.get(i).content())).isEqualTo(there);
                targets.get(i).release();
            }
            exposed.release();
        }
    }

    /** The Send behind a Write tells its peer that the octets are there. */
    @ParameterizedTest
    @CsvSource({"1, 64", "64, 16", "4096, 64", "60000, 16", "1048576, 4"})
    @Requirement("V1-006")
    void writesArePlacedWhenTheSendsBehindThemArrive(int bytes, int writes) throws Exception {
        try (ChannelPair pair = pair()) {
            provider.postReceivesFor(writes, pair.serverBootstrap);
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            List<RdmaMemory> exposed = new ArrayList<>();
            for (int i = 0; i < writes; i++) {
                exposed.add(ChannelPair.onLoop(child, () -> child.allocateMemory(bytes, RdmaAccess.REMOTE_WRITE)));
                channel.write(new RdmaWrite(
                        Unpooled.wrappedBuffer(octets(bytes, i)), exposed.get(i).segment()));
                channel.write(Unpooled.copyInt(i));
            }
            provider.awaitExposure(child);
            channel.flush();
            for (int i = 0; i < writes; i++) {
                assertThat(server.next()).isEqualTo(new byte[] {0, 0, 0, (byte) i});
                byte[] placed = new byte[bytes];
                exposed.get(i).content().getBytes(0, placed);
                assertThat(placed).isEqualTo(octets(bytes, i));
                exposed.get(i).release();
            }
        }
    }

    private static byte[] octets(int bytes, int seed) {
        byte[] octets = new byte[bytes];
        new Random(seed).nextBytes(octets);
        return octets;
    }
}
