// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both sides of the Java rping with each other, without the lab: what fails here is not Linux's doing. */
class RpingTest {
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
    @ValueSource(ints = {64, 60_000})
    void clientAndServerVerifyEveryRound(int size) throws Exception {
        RpingServer server = new RpingServer(size);
        Channel listener = server.listen(group).sync().channel();
        RpingClient client = new RpingClient(size, 100);
        client.connect(group, listener.localAddress()).sync();

        client.awaitRounds(100, Deadline.DURATION);
        server.awaitRounds(100, Deadline.DURATION);
        listener.close().sync();
    }

    @Test
    void pingDataIsWhatRpingPrints() {
        assertThat(text(Rping.pingData(0, 32))).isEqualTo("rdma-ping-0: ABCDEFGHIJKLMNOPQR\0");
        assertThat(text(Rping.pingData(58, 24))).isEqualTo("rdma-ping-58: ABCDEFGHI\0");
        assertThat(text(Rping.pingData(57, 24))).isEqualTo("rdma-ping-57: zABCDEFGH\0");
    }

    private static String text(byte[] data) {
        return new String(data, StandardCharsets.US_ASCII);
    }
}
