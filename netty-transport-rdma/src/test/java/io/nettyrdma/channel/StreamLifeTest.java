// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.socket.RdmaSocketChannel;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** As {@link LifeTest}, for what byte streams alone do. */
@NotOver(value = Lane.DISNI, reason = "byte streams have not been run over DiSNI's API")
final class StreamLifeTest extends ProviderContract {

    /** netty #16683, #16689: a reset of a half-closed connection was never seen, and the loop burned. */
    @ParameterizedTest
    @EnumSource(Half.class)
    void resetOfAHalfClosedStreamEndsIt(Half half) throws Exception {
        try (StreamPair pair = streams()) {
            pair.option(ChannelOption.ALLOW_HALF_CLOSURE, true);
            pair.serverBootstrap.childOption(ChannelOption.SO_LINGER, 0);
            RdmaSocketChannel channel = pair.connect();
            RdmaSocketChannel child = pair.accepted();
            server.awaitActive();
            if (half == Half.OF_THE_PEER) {
                ChannelPair.await(child.shutdownOutput(), "shutdownOutput");
                assertThat(client.nextEvent()).isSameAs(ChannelInputShutdownEvent.INSTANCE);
            } else {
                ChannelPair.await(channel.shutdownOutput(), "shutdownOutput");
                assertThat(server.nextEvent()).isSameAs(ChannelInputShutdownEvent.INSTANCE);
            }
            child.close();
            if (half == Half.OF_THE_PEER) {
                // The reader has seen the end; over TCP, only a write meets what came behind it.
                ChannelPair.await(child.closeFuture(), "close");
                Throwable cause = null;
                while (cause == null) {
                    cause = channel.writeAndFlush(ChannelPair.text("late"))
                            .await()
                            .cause();
                }
                assertThat(cause).isInstanceOf(IOException.class);
            } else {
                assertThat(client.nextFailure()).hasMessageStartingWith("Connection reset by peer");
                assertThat(client.nextEvent()).isInstanceOf(ChannelOutputShutdownEvent.class);
                assertThat(client.nextEvent()).isSameAs(ChannelInputShutdownEvent.INSTANCE);
                channel.close();
            }
            client.awaitInactive();
            assertThat(client.failures).isEmpty();
        }
    }

    private enum Half {
        OF_THIS_SIDE,
        OF_THE_PEER
    }

    private enum Held {
        NOTHING_PASSES(0, 0),
        PART_OF_THE_REQUEST(30, 0),
        THE_REQUEST(1000, 0),
        PART_OF_THE_REPLY(1000, 30);

        final int forth;
        final int back;

        Held(int forth, int back) {
            this.forth = forth;
            this.back = back;
        }
    }

    @ParameterizedTest
    @EnumSource(Held.class)
    void connectThatIsGivenUpAtAnyStageLeavesNothing(Held held) throws Exception {
        provider.assumeTcp();
        provider.assumeHandshakesCanBeGivenUp();
        Logs.allowUnhandledException(); // of what was accepted and is gone
        FaultPlan forth = FaultPlan.none().holdAt(held.forth);
        FaultPlan back = FaultPlan.none().holdAt(held.back);
        List<Inbox> clients = new CopyOnWriteArrayList<>();
        Supplier<ChannelHandler> newClient = () -> {
            Inbox inbox = new Inbox();
            clients.add(inbox);
            return inbox;
        };
        try (StreamPair pair = new StreamPair(provider, Inbox::new, newClient).listen();
                FaultRelay relay = new FaultRelay(pair.address(), forth, back).start()) {
            ChannelFuture cancelled = pair.clientBootstrap.connect(relay.address());
            ChannelFuture closed = pair.clientBootstrap.connect(relay.address());
            ChannelFuture late = pair.clientBootstrap
                    .clone()
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 200)
                    .connect(relay.address());
            ChannelPair.until(
                    () -> relay.connections() == 3
                            && relay.forthOctets() >= 3L * Math.min(held.forth, 40)
                            && relay.backOctets() >= 3L * held.back,
                    "the stage is reached");
            cancelled.cancel(false);
            closed.channel().close();
            for (ChannelFuture connect : List.of(cancelled, closed, late)) {
                assertThat(connect.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
                ChannelPair.await(connect.channel().closeFuture(), "close");
            }
            assertThat(cancelled.isCancelled()).isTrue();
            assertThat(closed.cause()).isInstanceOf(ClosedChannelException.class);
            assertThat(late.cause()).isInstanceOf(ConnectTimeoutException.class);
        }
        assertThat(clients).hasSize(3);
        assertThat(clients).allMatch(inbox -> inbox.active.getCount() == 1 && inbox.failures.isEmpty());
    }
}
