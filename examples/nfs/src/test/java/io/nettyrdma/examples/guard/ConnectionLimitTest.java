// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {

    private static final int IDLE_SECONDS = 60;

    private final List<String> lines = new ArrayList<>();
    private EmbeddedChannel listener;
    private int port;

    private void listen(int maxConnections) {
        listener = new EmbeddedChannel(new ConnectionLimit(
                new ConnectionLimit.Settings(maxConnections, IDLE_SECONDS), new PeerLog(lines::add, 10, () -> 0)));
        listener.freezeTime();
    }

    private EmbeddedChannel accept(String host) throws UnknownHostException {
        InetSocketAddress peer = new InetSocketAddress(InetAddress.getByName(host), ++port);
        EmbeddedChannel connection = new EmbeddedChannel() {
            @Override
            protected SocketAddress remoteAddress0() {
                return peer;
            }
        };
        connection.freezeTime();
        listener.writeInbound(connection);
        listener.runPendingTasks();
        return connection;
    }

    @Test
    void oneAddressMayHaveAllPlacesAndNoMore() throws Exception {
        listen(3);
        List<EmbeddedChannel> open = List.of(accept("127.0.0.1"), accept("127.0.0.1"), accept("127.0.0.1"));
        assertThat(accept("127.0.0.1").isOpen()).isFalse();
        assertThat(lines)
                .singleElement()
                .asString()
                .endsWith("127.0.0.1:4 refused: all 3 places are taken (--max-connections), and its address has its"
                        + " share");
        open.get(1).close();
        assertThat(accept("127.0.0.1").isOpen()).isTrue();
        assertThat(open.get(0).isOpen()).isTrue();
    }

    @Test
    void oneFromAnotherAddressTakesThePlaceOfTheLongestConnected() throws Exception {
        listen(3);
        EmbeddedChannel first = accept("127.0.0.1");
        EmbeddedChannel second = accept("127.0.0.1");
        EmbeddedChannel third = accept("127.0.0.1");
        first.writeInbound("its use does not matter");
        EmbeddedChannel other = accept("127.0.0.2");
        assertThat(first.isOpen()).isFalse();
        assertThat(second.isOpen()).isTrue();
        assertThat(lines)
                .singleElement()
                .asString()
                .endsWith("127.0.0.1:1 closed: connected for longest of the address with most, and all 3 places are"
                        + " taken (--max-connections)");
        assertThat(accept("127.0.0.2").isOpen()).as("beyond the share").isFalse();
        assertThat(accept("127.0.0.3").isOpen()).isTrue();
        assertThat(second.isOpen()).isFalse();
        assertThat(third.isOpen()).isTrue();
        assertThat(other.isOpen()).isTrue();
    }

    @Test
    void shareShrinksWithTheNumberOfAddresses() throws Exception {
        listen(8);
        for (int i = 0; i < 8; i++) {
            accept("127.0.0.1");
        }
        for (int address = 2; address <= 8; address++) {
            for (int i = 0; i < 8; i++) {
                accept("127.0.0." + address);
            }
        }
        List<EmbeddedChannel> last = new ArrayList<>();
        for (int address = 1; address <= 8; address++) {
            last.add(accept("127.0.0." + address));
        }
        assertThat(last).as("each has its one already").noneMatch(EmbeddedChannel::isOpen);
    }

    @Test
    void addressesOfOneIpv6NetworkCountAsOne() throws Exception {
        listen(2);
        accept("2001:db8::1");
        accept("2001:db8::2");
        assertThat(accept("2001:db8::3").isOpen()).isFalse();
        assertThat(accept("2001:db8:0:1::1").isOpen()).isTrue();
    }

    @Test
    void connectionWithoutAByteIsClosed() throws Exception {
        listen(2);
        EmbeddedChannel connection = accept("127.0.0.1");
        connection.advanceTimeBy(IDLE_SECONDS - 1, TimeUnit.SECONDS);
        connection.runScheduledPendingTasks();
        connection.writeInbound("a byte");
        connection.advanceTimeBy(IDLE_SECONDS - 1, TimeUnit.SECONDS);
        connection.runScheduledPendingTasks();
        connection.writeOutbound(Unpooled.wrappedBuffer(new byte[1]));
        ReferenceCountUtil.release(connection.readOutbound());
        connection.advanceTimeBy(IDLE_SECONDS - 1, TimeUnit.SECONDS);
        connection.runScheduledPendingTasks();
        assertThat(connection.isOpen()).isTrue();
        connection.advanceTimeBy(1, TimeUnit.SECONDS);
        connection.runScheduledPendingTasks();
        assertThat(connection.isOpen()).isFalse();
        assertThat(lines).singleElement().asString().endsWith("closed: no byte for 60 s (--idle-timeout)");
    }

    @Test
    void failureToAcceptIsSaidAndTheListenerRests() {
        listen(2);
        listener.pipeline().fireExceptionCaught(new IOException("Too many open files"));
        assertThat(lines).singleElement().asString().contains("cannot accept connections", "Too many open files");
        assertThat(listener.config().isAutoRead()).isFalse();
        listener.advanceTimeBy(1, TimeUnit.SECONDS);
        listener.runScheduledPendingTasks();
        assertThat(listener.config().isAutoRead()).isTrue();
        listener.checkException();
    }
}
