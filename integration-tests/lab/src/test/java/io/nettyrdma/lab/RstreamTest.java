// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.lab.RstreamRun.Calls;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both sides of the Java rstream with each other, without the lab: what fails here is not Linux's doing. */
class RstreamTest {

    private static EventLoopGroup group;

    @BeforeAll
    static void start() {
        group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
    }

    @AfterAll
    static void stop() {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 65, 2048, 1_048_576})
    void clientAndServerVerifyEveryByte(int size) throws Exception {
        RstreamRun run = RstreamRun.verified(Calls.BLOCKING, size, 3, 2);
        connect(run, run);
    }

    @Test
    void aSideThatSendsMoreThanTheOtherExpectsFailsTheRun() {
        RstreamRun expected = RstreamRun.verified(Calls.BLOCKING, 5, 3, 1);
        RstreamRun longer = RstreamRun.verified(Calls.BLOCKING, 5, 4, 1);
        assertThatThrownBy(() -> connect(longer, expected))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("in exchange 1 (expected: ");
    }

    @Test
    void aSideThatEndsEarlyFailsTheRun() {
        RstreamRun expected = RstreamRun.verified(Calls.BLOCKING, 5, 3, 2);
        RstreamRun shorter = RstreamRun.verified(Calls.BLOCKING, 5, 3, 1);
        assertThatThrownBy(() -> connect(shorter, expected))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the connection ended in exchange 2 with 15 bytes to receive");
    }

    @Test
    void optionsAreThoseOfRstream() {
        RstreamRun run = RstreamRun.verified(Calls.ASYNC, 5, 3, 1);
        assertThat(run.options()).isEqualTo("-T a -T v -S 5 -C 3 -I 1");
        assertThat(run.unverified().withBuffers(1000).options()).isEqualTo("-T a -S 5 -C 3 -I 1 -B 1000");
    }

    private static void connect(RstreamRun clientRun, RstreamRun serverRun) throws Exception {
        RstreamPeer server = RstreamPeer.server(serverRun);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Channel listener =
                RstreamPeer.listening(group, List.of(server)).bind(any).sync().channel();
        try {
            RstreamPeer client = RstreamPeer.client(clientRun);
            client.connecting(group).connect(listener.localAddress()).sync();
            server.await(Deadline.DURATION);
            client.await(Deadline.DURATION);
        } finally {
            listener.close().sync();
        }
    }
}
