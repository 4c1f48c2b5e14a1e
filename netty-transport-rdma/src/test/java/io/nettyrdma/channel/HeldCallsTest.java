// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.nettyrdma.internal.CallThreads;
import io.nettyrdma.verbs.soft.SoftProvider.OpenResources;
import io.nettyrdma.verbs.strict.Calls;
import io.nettyrdma.verbs.strict.StrictDevice;
import io.nettyrdma.verbs.strict.Trait;
import io.nettyrdma.verbs.strict.Verb;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Calls of a device that do not return for long hold the connection they are made for, and no other: on siw,
 * rdma_connect returns when TCP has connected, and the destruction of an id waits for that.
 */
class HeldCallsTest {

    private final StrictDevice device = new StrictDevice(Set.of(Trait.CALLS_HOLD), 1);
    private final Calls calls = device.calls();
    private ChannelPair pair;

    @BeforeEach
    void listen() throws Exception {
        pair = new ChannelPair(Echo::new, Inbox::new).clientsOver(device.extensions());
        pair.clientBootstrap.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0);
        pair.listen();
    }

    @AfterEach
    void end() throws Exception {
        calls.reset();
        pair.close();
        assertThat(device.openResources()).isEqualTo(OpenResources.NONE);
    }

    private static void assertEchoes(Channel channel) throws Exception {
        for (int i = 0; i < 3; i++) {
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("message")), "write");
            assertThat(channel.pipeline().get(Inbox.class).nextText()).isEqualTo("message");
        }
    }

    private void awaitHeld(int count) {
        ChannelPair.until(() -> calls.held() == count, () -> calls.held() + " of " + count + " calls are held");
    }

    @Test
    void connectThatHoldsItsCallerTimesOutAndHoldsNobodyElse() throws Exception {
        Channel other = pair.connect();
        calls.hold(Verb.CONNECT);
        pair.clientBootstrap.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 100);
        ChannelFuture connect = pair.clientBootstrap.connect(pair.address());
        awaitHeld(1);
        assertEchoes(other);
        assertThatThrownBy(() -> ChannelPair.await(connect, "connect"))
                .cause()
                .isInstanceOf(ConnectTimeoutException.class);
        ChannelPair.await(connect.channel().closeFuture(), "close");
        assertThat(calls.held()).isOne();
        assertEchoes(other);
    }

    /** Closes the only channel that is connected, while calls are held. */
    private void assertEnds(Channel connected) throws Exception {
        calls.record();
        ChannelPair.await(connected.close(), "close");
        ChannelPair.until(() -> calls.made().contains(Verb.DISCONNECT), "disconnect");
        ChannelPair.until(() -> calls.made().contains(Verb.DESTROY_QUEUE_PAIR), "destruction of the queue pair");
        assertThat(calls.held()).isGreaterThanOrEqualTo(CallThreads.MAX_THREADS);
    }

    /** As many attempts as there are threads to connect with hold them all. */
    @Test
    void connectsThatHoldTheirCallersHoldNoClose() throws Exception {
        Channel other = pair.connect();
        calls.hold(Verb.CONNECT);
        for (int i = 0; i < CallThreads.MAX_THREADS; i++) {
            pair.clientBootstrap.connect(pair.address());
        }
        awaitHeld(CallThreads.MAX_THREADS);

        assertEnds(other);
    }

    /** Siw blocks the thread that destroys an id until the peer has answered the handshake. */
    @Test
    void attemptsWhoseEndHoldsItsCallerHoldNoClose() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, CallThreads.MAX_THREADS, TestProvider.address())) {
            Channel other = pair.connect();
            calls.hold(Verb.DESTROY_QUEUE_PAIR);
            List<ChannelFuture> attempts = new ArrayList<>();
            List<Socket> called = new ArrayList<>();
            for (int i = 0; i < CallThreads.MAX_THREADS; i++) {
                attempts.add(pair.clientBootstrap.connect(silent.getLocalSocketAddress()));
                called.add(silent.accept());
            }
            attempts.forEach(attempt -> attempt.channel().close());
            awaitHeld(CallThreads.MAX_THREADS);

            assertEnds(other);
            for (Socket socket : called) {
                socket.close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Verb.class,
            names = {"DISCONNECT", "DESTROY_QUEUE_PAIR", "DESTROY_ID"})
    void endThatHoldsItsCallerHoldsNobodyElse(Verb verb) throws Exception {
        Channel other = pair.connect();
        Channel channel = pair.connect();
        calls.hold(verb);
        ChannelPair.await(channel.close(), "close");
        awaitHeld(1);
        assertEchoes(other);
    }
}
