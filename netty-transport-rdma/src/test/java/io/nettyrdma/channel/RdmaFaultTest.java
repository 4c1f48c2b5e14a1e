// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.engine.IoLoop;
import io.nettyrdma.engine.VerbsConnection;
import io.nettyrdma.error.RdmaConnectRejectedException;
import io.nettyrdma.error.RdmaDeviceException;
import io.nettyrdma.logs.ExpectedLog;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.verbs.InterceptedVerbs;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A device that refuses: every promise still completes once, and nothing is left. */
@Over
@ExtendWith(LeavesNothingOpen.class)
final class RdmaFaultTest {

    private final Inbox client = new Inbox();
    /** The method that does nothing, and the one that fails. */
    private volatile String dead = "";

    private volatile String failing = "";
    /** Methods that do what they are asked for and fail all the same. */
    private volatile Set<String> failingInTheEnd = Set.of();
    /** Whether the loop has begun to flush queue pairs: before, it waits for work by the same methods. */
    private volatile boolean ending;

    private final AtomicInteger failures = new AtomicInteger();

    private VerbsExtensions faultyVerbs() {
        return InterceptedVerbs.before(TestProvider.tested().extensions(), (method, arguments, real) -> {
            if (method.getName().equals(dead)) {
                return null;
            }
            if (method.getName().equals(failing)) {
                failures.incrementAndGet();
                throw new IOException(failing + " fails");
            }
            ending |= method.getName().equals("toError");
            Object result = real.make();
            if (ending && failingInTheEnd.contains(method.getName())) {
                throw new IOException(method.getName() + " fails after all");
            }
            return result;
        });
    }

    private static ExpectedLog expectFailureOfTheLoop() {
        return Logs.expect(IoLoop.class, "RDMA I/O of an event loop has failed; closing its 1 channels");
    }

    /** Returns a pair whose clients are on a faulty loop. */
    private ChannelPair pair() {
        return new ChannelPair(Echo::new, () -> client).clientsOver(faultyVerbs());
    }

    /** Connects another client, with an inbox of its own. */
    private static ChannelFuture connectAnother(ChannelPair pair) {
        return pair.clientBootstrap.clone().handler(new Inbox()).connect(pair.address());
    }

    /** netty #13040, #14535, #14546, #16347: a failed submission leaked its buffer. */
    @Test
    void refusedPostFailsEveryWriteAndClosesTheChannel() throws Exception {
        try (ChannelPair pair = pair().listen()) {
            Channel channel = pair.connect();
            failing = "postBatch";
            List<ChannelFuture> writes = new ArrayList<>();
            List<ByteBuf> buffers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                buffers.add(Unpooled.directBuffer().writeInt(i));
                writes.add(channel.write(buffers.get(i)));
            }
            channel.flush();
            for (ChannelFuture write : writes) {
                assertThatThrownBy(() -> ChannelPair.await(write, "write"))
                        .rootCause()
                        .hasMessage("postBatch fails");
            }
            ChannelPair.await(channel.closeFuture(), "close");
            client.awaitInactive();
            awaitNoQueuePairOf(pair);
            assertThat(buffers).allSatisfy(buffer -> assertThat(buffer.refCnt()).isZero());
        }
    }

    @Test
    void refusedReceivesFailTheConnect() throws Exception {
        try (ChannelPair pair = pair().listen()) {
            failing = "postReceives";
            assertThatThrownBy(() -> pair.connect()).rootCause().hasMessage("postReceives fails");
            awaitNoQueuePairOf(pair);
        }
    }

    @Test
    void queuePairThatDoesNotFlushIsDestroyedInTheEnd() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, TestProvider.address());
                ChannelPair pair = pair()) {
            dead = "toError";
            ChannelFuture connect = pair.clientBootstrap.connect(silent.getLocalSocketAddress());
            silent.accept().close(); // the queue pair exists: the peer was called
            ChannelPair.await(connect.channel().close(), "close");
            awaitNoQueuePairOf(pair);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pollCmEvent", "progress", "await"})
    void failingProviderClosesTheChannelsOfTheLoopWithThatCauseAndLeavesTheLoopToItsTasks(String call)
            throws Exception {
        ExpectedLog log = expectFailureOfTheLoop();
        try (ChannelPair pair = pair().listen()) {
            Channel channel = pair.connect();
            ChannelFuture write = channel.write(Unpooled.copyInt(1));
            ChannelPair.await(channel.eventLoop().submit(() -> {}), "turn");
            failing = call;
            ChannelPair.await(channel.eventLoop().submit(() -> {}), "turn");
            ChannelPair.await(channel.closeFuture(), "close");
            assertThat(client.nextFailure())
                    .isInstanceOf(RdmaDeviceException.class)
                    .hasMessageContaining(call + " fails")
                    .hasRootCauseMessage(call + " fails");
            assertThat(client.failures).isEmpty();
            assertThat(log.await().thrown()).hasRootCauseMessage(call + " fails");
            assertThatThrownBy(() -> ChannelPair.await(write, "write")).hasRootCauseMessage(call + " fails");
            awaitNoQueuePairOf(pair);

            // Called again, it would fail again: the loop does not ask any more, and still runs tasks and timers.
            assertThat(failures).hasValue(1);
            for (int i = 0; i < 100; i++) {
                ChannelPair.await(channel.eventLoop().submit(() -> {}), "task");
            }
            ChannelPair.await(channel.eventLoop().schedule(() -> {}, 1, TimeUnit.MILLISECONDS), "timer");
            assertThat(failures).hasValue(1);
            assertThatThrownBy(() -> ChannelPair.await(connectAnother(pair), "connect"))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has failed")
                    .hasRootCauseMessage(call + " fails");
        }
    }

    @Test
    void failingDeviceClosesItsChannelsWithThatCauseAndLeavesTheListenersAlone() throws Exception {
        Logs.expect(IoLoop.class, "an RDMA device has failed; closing the channels of this event loop on it");
        try (ChannelPair pair = pair().listen()) {
            Channel listener = ChannelPair.await(
                            new ServerBootstrap()
                                    .group(pair.clientGroup)
                                    .channel(RdmaServerChannel.class)
                                    .childHandler(new Inbox())
                                    .bind(TestProvider.address(), 0),
                            "bind")
                    .channel();
            Channel channel = pair.connect();
            failing = "checkAttached";
            ChannelPair.await(channel.eventLoop().submit(() -> {}), "turn");
            ChannelPair.await(channel.closeFuture(), "close");
            assertThat(client.nextFailure())
                    .isInstanceOf(RdmaDeviceException.class)
                    .hasRootCauseMessage("checkAttached fails");
            awaitNoQueuePairOf(pair);
            assertThat(failures).hasValue(1);
            assertThat(listener.isActive()).isTrue();
            assertThatThrownBy(() -> ChannelPair.await(connectAnother(pair), "connect"))
                    .cause()
                    .isInstanceOf(RdmaDeviceException.class)
                    .hasRootCauseMessage("checkAttached fails");
            assertThat(failures).hasValue(1);
        }
    }

    @Test
    void messagesHeldWhenTheProviderFailsCanBeReleasedAnywhere() throws Exception {
        expectFailureOfTheLoop();
        BlockingQueue<ByteBuf> held = new LinkedBlockingQueue<>();
        try (ChannelPair pair = pair()) {
            Channel channel = pair.connect();
            channel.pipeline().addFirst(Handlers.onRead((context, message) -> {
                held.add(message);
            }));
            for (int i = 0; i < 3; i++) {
                channel.writeAndFlush(Unpooled.copyInt(i));
            }
            List<ByteBuf> messages = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                ByteBuf message = held.poll(Deadline.SECONDS, TimeUnit.SECONDS);
                assertThat(message).isNotNull();
                messages.add(message);
            }
            failing = "progress";
            ChannelPair.await(channel.eventLoop().submit(() -> {}), "turn");
            ChannelPair.await(channel.closeFuture(), "close");
            awaitNoQueuePairOf(pair);
            assertThat(messages.get(0).readInt()).isZero();
            assertThat(messages.get(0).release()).isTrue();
            ChannelPair.await(channel.eventLoop().submit(() -> messages.get(1).release()), "release on the loop");
            ChannelPair.await(pair.clientGroup.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
            assertThat(messages.get(2).readInt()).isEqualTo(2);
            assertThat(messages.get(2).release()).isTrue();
        }
    }

    @Test
    void pendingConnectFailsWithTheDevice() throws Exception {
        expectFailureOfTheLoop();
        try (ServerSocket silent = new ServerSocket(0, 1, TestProvider.address());
                ChannelPair pair = pair()) {
            ChannelFuture connect = pair.clientBootstrap.connect(silent.getLocalSocketAddress());
            Socket peer = silent.accept();
            failing = "pollCmEvent"; // before the loop has the end of the peer to tell
            peer.close();
            assertThatThrownBy(() -> ChannelPair.await(connect, "connect"))
                    .cause()
                    .isInstanceOf(RdmaDeviceException.class);
            ChannelPair.await(connect.channel().closeFuture(), "close");
            awaitNoQueuePairOf(pair);
        }
    }

    @Test
    void childWhoseMoveFailsIsRejectedAndTheListenerGoesOn() throws Exception {
        TestProvider.tested().assumeMigration(); // libdisni has none
        ExpectedLog log = Logs.expect(ServerBootstrap.class, "Failed to register an accepted channel");
        var children = new MultiThreadIoEventLoopGroup(
                1, RdmaIoHandler.newFactory(RdmaIoHandlerConfig.defaults(), faultyVerbs()));
        try (ChannelPair pair = new ChannelPair(Inbox::new, Inbox::new).clientsOver(faultyVerbs())) {
            pair.listener = ChannelPair.await(
                            new ServerBootstrap()
                                    .group(pair.clientGroup, children)
                                    .channel(RdmaServerChannel.class)
                                    .childHandler(Handlers.adding())
                                    .bind(TestProvider.address(), 0),
                            "bind")
                    .channel();
            failing = "migrateId";
            assertThatThrownBy(pair::connect).cause().isInstanceOf(RdmaConnectRejectedException.class);
            failing = "";
            pair.connect();
            assertThat(failures).hasValue(1);
            assertThat(log.await().thrown()).hasMessage("migrateId fails");
        } finally {
            ChannelPair.await(children.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the children's group");
        }
    }

    @Test
    void endOfALoopFreesTheRestWhateverFails() throws Exception {
        Logs.expect(VerbsConnection.class, "failed to flush a queue pair");
        Logs.expect(IoLoop.class, "failed to end an RDMA event loop");
        try (ChannelPair pair = pair().listen();
                ServerSocket silent = new ServerSocket(0, 1, TestProvider.address())) {
            Channel channel = pair.connect();
            channel.writeAndFlush(Unpooled.copyInt(1));
            // A connection that is not established has nothing to send, and is flushed.
            pair.clientBootstrap.clone().handler(new Inbox()).connect(silent.getLocalSocketAddress());
            try (Socket called = silent.accept()) { // the queue pair exists
                assertThat(called.isConnected()).isTrue();
                failingInTheEnd = Set.of("toError", "await", "detach", "closeEventChannel");
                ChannelPair.await(pair.clientGroup.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
                ChannelPair.await(channel.closeFuture(), "close");
            }
        }
        // and LeavesNothingOpen sees that the protection domain, the memory and the queues behind them are gone
    }

    /** The other side has none of its own once its listener's peer is gone. */
    private static void awaitNoQueuePairOf(ChannelPair pair) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Deadline.SECONDS);
        TestProvider provider = TestProvider.tested();
        while (provider.openResources().queuePairs() > 0 && System.nanoTime() - end < 0) {
            ChannelPair.await(
                    pair.serverGroup.next().schedule(() -> {}, 10, TimeUnit.MILLISECONDS), "turn of another loop");
        }
        assertThat(provider.openResources().queuePairs()).isZero();
    }
}
