// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.engine.OrderlyClose;
import io.nettyrdma.socket.RdmaSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannelOption;
import io.nettyrdma.stream.StreamWord;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import java.io.File;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How a stream ends, and what a peer may do besides. */
@NotOver(value = Lane.DISNI, reason = "byte streams have not been run over DiSNI's API")
@NotOver(
        value = Lane.SIW,
        reason = "not tried: the peer is a script over a TCP socket, and siw answers some of its faults itself")
@NotOver(value = Lane.RXE, reason = "the peer is a script that speaks iWARP over a TCP socket")
final class StreamEndTest extends StreamPeerContract {

    private static final int MORE_THAN_TCP_HOLDS = 16 * 1024 * 1024;

    private interface Script {
        void run(StreamEndTest test) throws Exception;
    }

    /** A way in which this side ends. */
    private enum End {
        CLOSE(test -> test.channel.close()),
        DISCONNECT(test -> test.channel.disconnect()),
        EXCEPTION_IN_A_HANDLER(test -> {
            test.addFirst(new Throwing());
            test.peer.data("x");
            assertThat(test.tested.nextFailure()).isInstanceOf(IllegalStateException.class);
        }),
        DEREGISTER(test -> test.channel.deregister()),
        FAILING_WRITE(test -> test.channel.writeAndFlush(new FailingRegion())),
        SHUTDOWN(test -> test.channel.shutdown()),
        SHUTDOWN_OF_THE_LOOP(test -> test.group.shutdownGracefully(0, 5, TimeUnit.SECONDS)),
        SHUTDOWN_OF_THE_PEER(test -> test.peer.word(StreamWord.SHUTDOWN)),
        SHUTDOWN_OF_THE_PEER_BEHIND_OURS(test -> {
            test.channel.shutdownOutput();
            test.peer.await(StreamWord.SHUTDOWN);
            test.peer.word(StreamWord.SHUTDOWN);
        });

        final Script script;

        End(Script script) {
            this.script = script;
        }
    }

    /** As handlers are that know no better. */
    private static final class Throwing extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
            throw new IllegalStateException("a handler's own");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.fireExceptionCaught(cause);
            context.close();
        }
    }

    /** A file that cannot be read. */
    private static final class FailingRegion extends DefaultFileRegion {

        FailingRegion() {
            super(new File("of no interest"), 0, 1);
        }

        @Override
        public long transferTo(WritableByteChannel target, long position) throws IOException {
            throw new IOException("injected");
        }
    }

    static Stream<Arguments> ends() {
        return inBothRoles((Object[]) End.values());
    }

    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("ends")
    void lastWordIsDisconnect(Role role, End end) throws Exception {
        establish(role);
        end.script.run(this);
        if (end == End.SHUTDOWN) {
            peer.await(StreamWord.DISCONNECT);
            channel.close(); // as over TCP, nothing else does
            peer.expectEnd();
        } else {
            peer.expectDisconnect();
        }
        peer.close();
        if (end == End.DEREGISTER) {
            expectClosed(); // as any channel of Netty that is not registered, it is told no end
        } else {
            expectInactive();
        }
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void endWithoutLingeringIsAbortAndDisconnect(Role role) throws Exception {
        option(ChannelOption.SO_LINGER, 0);
        establish(role);
        channel.close();
        peer.expectDisconnect();
        assertThat(peer.words).endsWith(StreamWord.ABORT, StreamWord.DISCONNECT);
        expectInactive();
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void outputThatIsShutDownBehindThePeersEndsTheStream(Role role) throws Exception {
        option(ChannelOption.ALLOW_HALF_CLOSURE, true);
        establish(role);
        peer.word(StreamWord.SHUTDOWN);
        assertThat(tested.nextEvent()).isSameAs(ChannelInputShutdownEvent.INSTANCE);
        ChannelPair.await(channel.writeAndFlush(ChannelPair.text("still")), "write");
        assertThat(peer.receiveText(11)).isEqualTo("answerstill");
        ChannelPair.await(channel.shutdownOutput(), "shutdownOutput");
        peer.await(StreamWord.DISCONNECT);
        assertThat(channel.isActive()).isTrue();
        channel.close();
        peer.expectEnd();
        expectInactive();
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void closeOfAHandlerThatHasJustBecomeActiveIsHeard(Role role) throws Exception {
        handle(tested, Handlers.onActive(context -> {
            context.close();
        }));
        meet(role, StreamPeer.offer());
        if (role == Role.INITIATOR) {
            peer.expectReply();
            peer.publish();
        } else {
            peer.reply(StreamPeer.offer());
        }
        peer.expectDisconnect();
        expectInactive();
    }

    /** A peer that has connected and has nothing to say is not kept waiting, and loses no bytes. */
    @Test
    void closeIsHeardByAPeerThatSendsNothing() throws Exception {
        handle(tested, Handlers.onActive(context -> {
            context.writeAndFlush(ChannelPair.text("bye"));
            context.close();
            ChannelFuture late = context.writeAndFlush(ChannelPair.text("late"));
            assertThat(late.cause()).isInstanceOf(ClosedChannelException.class);
        }));
        meet(Role.INITIATOR, StreamPeer.offer());
        peer.expectReply();
        peer.expectDisconnect();
        assertThat(peer.receiveText(3)).isEqualTo("bye");
        expectInactive();
    }

    /** The stream gets words while the close waits for what it has posted. */
    @ParameterizedTest
    @EnumSource(Role.class)
    void writeThatThePeerGetsBehindACloseSucceeds(Role role) throws Exception {
        int bytes = MORE_THAN_TCP_HOLDS;
        option(ChannelOption.SO_SNDBUF, bytes);
        option(ChannelOption.SO_LINGER, Deadline.SECONDS);
        establish(role, StreamPeer.offer(16 * bytes, StreamPeer.BUFFER_KEY));
        ChannelFuture[] written = new ChannelFuture[1];
        ChannelPair.onLoop(channel, () -> {
            written[0] = channel.writeAndFlush(Unpooled.directBuffer(bytes).writeZero(bytes));
            channel.close();
        });
        peer.grant();
        peer.expectDisconnect();
        assertThat(peer.receive(bytes)).hasSize(bytes);
        ChannelPair.await(written[0], "write");
        expectInactive();
    }

    /** The loop runs timers in the order of their times, so the looks are right before and right behind the close. */
    @Test
    void closeWaitsAsLongAsItLingersForAPeerThatReadsNothing() throws Exception {
        int linger = 2;
        int millis = 2000;
        int bytes = MORE_THAN_TCP_HOLDS;
        option(ChannelOption.SO_SNDBUF, bytes);
        option(ChannelOption.SO_LINGER, linger);
        establish(Role.INITIATOR, StreamPeer.offer(16 * bytes, StreamPeer.BUFFER_KEY));
        CompletableFuture<Boolean> before = new CompletableFuture<>();
        CompletableFuture<Boolean> behind = new CompletableFuture<>();
        ChannelFuture[] written = new ChannelFuture[1];
        ChannelPair.onLoop(channel, () -> {
            EventLoop loop = channel.eventLoop();
            written[0] = channel.writeAndFlush(Unpooled.directBuffer(bytes).writeZero(bytes));
            loop.schedule(() -> before.complete(channel.isOpen()), millis, TimeUnit.MILLISECONDS);
            channel.close();
            loop.schedule(() -> behind.complete(channel.isOpen()), millis, TimeUnit.MILLISECONDS);
        });
        assertThat(before.get(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(behind.get(Deadline.SECONDS, TimeUnit.SECONDS)).isFalse();
        expectInactive();
        assertThat(written[0].isSuccess()).isTrue(); // the send buffer has it
    }

    /** SO_LINGER counts from the moment in which the channel may send, and no other limit ends it before. */
    @Test
    void closeBeforeThePeersFirstWordLingersAsAnyOther() throws Exception {
        int bytes = MORE_THAN_TCP_HOLDS;
        CompletableFuture<ChannelFuture> written = new CompletableFuture<>();
        CompletableFuture<Boolean> open = new CompletableFuture<>();
        handle(tested, Handlers.onActive(context -> {
            written.complete(context.writeAndFlush(Unpooled.directBuffer(bytes).writeZero(bytes)));
            context.close();
            context.executor()
                    .schedule(
                            () -> open.complete(context.channel().isOpen()),
                            OrderlyClose.FLUSH_MILLIS + 1,
                            TimeUnit.MILLISECONDS);
        }));
        option(ChannelOption.SO_SNDBUF, bytes);
        option(ChannelOption.SO_LINGER, Deadline.SECONDS);
        meet(Role.INITIATOR, StreamPeer.offer(16 * bytes, StreamPeer.BUFFER_KEY));
        peer.expectReply();
        assertThat(open.get(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        peer.expectDisconnect();
        assertThat(peer.receive(bytes)).hasSize(bytes);
        ChannelPair.await(written.get(), "write");
        expectInactive();
    }

    /** As with any close: the handler gets nothing that arrives later. */
    @Test
    void channelThatIsClosedBeforeThePeersFirstWordReadsNothing() throws Exception {
        handle(tested, Handlers.onActive(context -> {
            context.close();
        }));
        meet(Role.INITIATOR, StreamPeer.offer());
        peer.expectReply();
        peer.data("too late");
        peer.expectDisconnect();
        expectInactive();
        assertThat(tested.messages).isEmpty();
    }

    /** A close waits for the connection, which is accepted already. What is written behind it fails all the same. */
    @Test
    void writeBehindACloseFailsWhileTheConnectionIsAccepted() throws Exception {
        CompletableFuture<ChannelFuture> late = new CompletableFuture<>();
        handle(tested, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRegistered(ChannelHandlerContext context) {
                context.executor().execute(() -> context.executor().execute(() -> closeAndWrite(context)));
            }

            private void closeAndWrite(ChannelHandlerContext context) {
                context.close();
                late.complete(context.writeAndFlush(ChannelPair.text("late")));
            }
        });
        meet(Role.INITIATOR, StreamPeer.offer());
        peer.expectReply();
        peer.publish();
        peer.expectDisconnect();
        assertThat(peer.receive(0)).isEmpty();
        expectInactive();
        assertThat(late.get(Deadline.SECONDS, TimeUnit.SECONDS).cause()).isInstanceOf(ClosedChannelException.class);
    }

    /** The output ends once, as Netty has it for all channels. */
    @Test
    void outputThatIsShutDownAgainBehindABufferFails() throws Exception {
        CompletableFuture<ChannelFuture> first = new CompletableFuture<>();
        CompletableFuture<ChannelFuture> second = new CompletableFuture<>();
        handle(tested, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                context.writeAndFlush(ChannelPair.text("bye"));
                first.complete(channel(context).shutdownOutput());
                second.complete(channel(context).shutdownOutput());
            }

            private RdmaSocketChannel channel(ChannelHandlerContext context) {
                return (RdmaSocketChannel) context.channel();
            }
        });
        meet(Role.INITIATOR, StreamPeer.offer());
        peer.expectReply();
        peer.publish();
        assertThat(peer.receiveText(3)).isEqualTo("bye");
        peer.await(StreamWord.SHUTDOWN);
        ChannelPair.await(first.get(), "shutdownOutput");
        assertThat(second.get().cause()).isInstanceOf(ClosedChannelException.class);
        peer.word(StreamWord.DISCONNECT);
        expectInactive();
    }

    static Stream<Arguments> endsInFlight() {
        return inBothRoles(End.CLOSE, End.DEREGISTER, End.FAILING_WRITE, End.SHUTDOWN_OF_THE_LOOP)
                .flatMap(row -> Stream.of("reads", "reads and sends")
                        .map(does -> Arguments.of(row.get()[0], row.get()[1], does)));
    }

    /**
     * Bytes that were posted come before the last word, although TCP did not take them at first. A peer that goes on
     * sending while it reads would on TCP reset a socket that is closed already.
     */
    @ParameterizedTest(name = "{1}, {0}, the peer {2}")
    @MethodSource("endsInFlight")
    void lastWordIsBehindWhatWasPosted(Role role, End end, String does) throws Exception {
        int bytes = MORE_THAN_TCP_HOLDS;
        int step = 64 * 1024;
        option(ChannelOption.SO_SNDBUF, bytes);
        establish(role, StreamPeer.offer(16 * bytes, StreamPeer.BUFFER_KEY));
        ChannelPair.onLoop(channel, () -> {
            channel.writeAndFlush(Unpooled.directBuffer(bytes).writeZero(bytes));
        });
        end.script.run(this);
        for (int received = step; received <= bytes && does.equals("reads and sends"); received += step) {
            peer.receive(received);
            peer.grant();
        }
        peer.expectDisconnect();
        assertThat(peer.receive(bytes)).hasSize(bytes);
    }

    /** A close that waits for nobody, or no longer: its last words still come behind what was posted. */
    @ParameterizedTest(name = "{1} s, {0}")
    @CsvSource({"INITIATOR, 0", "RESPONDER, 0", "INITIATOR, 1", "RESPONDER, 1"})
    void peerHearsTheEndBehindWhatWasPostedAfterTheChannelHasClosed(Role role, int linger) throws Exception {
        int bytes = MORE_THAN_TCP_HOLDS;
        option(ChannelOption.SO_SNDBUF, bytes);
        option(ChannelOption.SO_LINGER, linger);
        establish(role, StreamPeer.offer(16 * bytes, StreamPeer.BUFFER_KEY));
        ChannelFuture written = ChannelPair.onLoop(channel, () -> {
            return channel.writeAndFlush(Unpooled.directBuffer(bytes).writeZero(bytes));
        });
        ChannelPair.await(channel.close(), "close");
        assertThat(written.isSuccess()).isTrue();
        peer.expectDisconnect();
        if (linger > 0) {
            assertThat(peer.receive(bytes)).hasSize(bytes);
        }
        assertThat(peer.words.contains(StreamWord.ABORT)).isEqualTo(linger == 0);
        expectInactive();
    }

    /** What the send buffer has goes out when the peer takes it, although the channel has closed. */
    @ParameterizedTest
    @EnumSource(Role.class)
    void peerThatTakesBytesBehindTheCloseGetsAll(Role role) throws Exception {
        establish(role);
        int sent = 6 + 3 * StreamPeer.BUFFER_BYTES;
        ChannelPair.await(channel.writeAndFlush(ChannelPair.text("x".repeat(sent - 6))), "write");
        peer.receive(2 * StreamPeer.BUFFER_BYTES);
        ChannelPair.await(channel.close(), "close");
        expectInactive();
        peer.entry(0x1234_0000L, 99, StreamPeer.BUFFER_BYTES);
        peer.grant();
        peer.entry(0x1235_0000L, 99, StreamPeer.BUFFER_BYTES);
        peer.grant();
        peer.expectDisconnect();
        assertThat(peer.receive(sent)).hasSize(sent);
        assertThat(peer.words).doesNotContain(StreamWord.ABORT);
    }

    /** What a peer may do behind its DISCONNECT: a side in C does, or did, some of it. */
    private enum Behind {
        NOTHING(peer -> {}),
        DATA(peer -> peer.data("too late")),
        DATA_BEYOND_THE_BUFFER(peer -> peer.word(StreamWord.MAX_VALUE)),
        LIMIT(StreamPeer::grant),
        WRONG_LIMIT(peer -> peer.word(StreamWord.limit(0xffff))),
        ENTRY(peer -> peer.entry(1, 2, 3)),
        DISCONNECT(peer -> peer.word(StreamWord.DISCONNECT)),
        NO_WORD(peer -> peer.word(0)),
        TERMINATE(peer -> peer.terminate(TerminateError.DDP_INVALID_STAG)),
        FIN(StreamPeer::finish);

        final PeerScript script;

        Behind(PeerScript script) {
            this.script = script;
        }
    }

    private interface PeerScript {
        void run(StreamPeer peer) throws Exception;
    }

    static Stream<Arguments> behind() {
        return inBothRoles((Object[]) Behind.values())
                .flatMap(row -> Stream.of(true, false).map(reads -> Arguments.of(row.get()[0], row.get()[1], reads)));
    }

    /** All comes at once, or the channel is still there because the program has not read. */
    @ParameterizedTest(name = "{1}, {0}, it reads: {2}")
    @MethodSource("behind")
    void nothingCountsBehindDisconnect(Role role, Behind behind, boolean reads) throws Exception {
        establish(role);
        if (reads) {
            peer.hold();
        } else {
            stopReading();
        }
        peer.data("last words");
        peer.word(StreamWord.DISCONNECT);
        if (reads && behind == Behind.FIN) {
            peer.release();
        }
        behind.script.run(peer);
        if (!reads) {
            assertThat(tested.messages).isEmpty();
            channel.config().setAutoRead(true);
        } else if (behind != Behind.FIN) {
            peer.release();
        }
        assertThat(tested.nextText()).isEqualTo("last words");
        peer.expectEnd();
        expectInactive();
        assertThat(tested.messages).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void resetBehindDisconnectIsAnOrderlyEnd(Role role) throws Exception {
        establish(role);
        stopReading();
        peer.data("last words");
        peer.word(StreamWord.DISCONNECT);
        peer.abort();
        channel.config().setAutoRead(true);
        assertThat(tested.nextText()).isEqualTo("last words");
        expectInactive();
    }

    /** Nothing is between DISCONNECT and the reset. */
    @ParameterizedTest
    @EnumSource(Role.class)
    void resetMayComeAtOnce(Role role) throws Exception {
        establish(role);
        peer.word(StreamWord.DISCONNECT);
        peer.abort();
        expectInactive();
    }

    /** A peer that exits with unread bytes resets the connection: this side's write fails, and then reads what came. */
    @ParameterizedTest
    @EnumSource(Role.class)
    void bytesThatCameBeforeAWriteFailedAreDelivered(Role role) throws Exception {
        establish(role);
        ChannelFuture late = ChannelPair.onLoop(channel, () -> {
            peer.data("last words");
            peer.word(StreamWord.DISCONNECT);
            peer.abort();
            return channel.writeAndFlush(ChannelPair.text("too late"));
        });
        assertThat(tested.nextText()).isEqualTo("last words");
        expectInactive();
        assertThat(late.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    /** An end of a peer that it has not announced. */
    private enum Lost {
        FIN(StreamPeer::finish),
        RST(StreamPeer::abort),
        TERMINATE(peer -> peer.terminate(TerminateError.RDMAP_CATASTROPHIC_STREAM));

        final PeerScript script;

        Lost(PeerScript script) {
            this.script = script;
        }
    }

    static Stream<Arguments> lost() {
        return inBothRoles((Object[]) Lost.values());
    }

    private void expectEnd(Lost lost) throws Exception {
        if (lost == Lost.FIN && provider.extensions().knowsReasons()) {
            expectInactive(); // as the system ends the connections of a process that has ended
            return;
        }
        Throwable failure = tested.nextFailure();
        assertThat(failure).isInstanceOf(IOException.class);
        assertThat(failure.getMessage()).startsWith("Connection reset by peer");
        expectInactive();
    }

    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("lost")
    void endWithoutDisconnectIsAResetUnlessItIsInOrder(Role role, Lost lost) throws Exception {
        establish(role);
        lost.script.run(peer);
        expectEnd(lost);
    }

    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("lost")
    void bytesThatCameAreDeliveredBeforeTheEnd(Role role, Lost lost) throws Exception {
        establish(role);
        stopReading();
        peer.data("last words");
        peer.sync();
        lost.script.run(peer);
        assertThat(tested.messages).isEmpty();
        channel.config().setAutoRead(true);
        expectEnd(lost);
        assertThat(tested.nextText()).isEqualTo("last words");
        assertThat(tested.messages).isEmpty();
    }

    /** And LeavesNothingOpen sees that nothing waits for a peer that has gone. */
    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("lost")
    void endOfThePeerEndsWhatALoopHasLeftToSend(Role role, Lost lost) throws Exception {
        establish(role);
        int sent = 3 * StreamPeer.BUFFER_BYTES;
        ChannelPair.await(channel.writeAndFlush(ChannelPair.text("x".repeat(sent))), "write");
        peer.receive(2 * StreamPeer.BUFFER_BYTES);
        ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
        lost.script.run(peer);
    }

    /** As above, before the connection is known to be established. */
    @Test
    void resetBehindTheReplyFailsTheConnectOrTheConnection() throws Exception {
        meet(Role.RESPONDER, StreamPeer.offer());
        peer.reply(StreamPeer.offer());
        peer.abort();
        ChannelPair.await(channel.closeFuture(), "close");
        assertThat(connected.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        Throwable failure = connected.isSuccess() ? tested.nextFailure() : connected.cause();
        assertThat(failure).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void abortIsAReset(Role role) throws Exception {
        establish(role);
        peer.word(StreamWord.ABORT);
        peer.word(StreamWord.DISCONNECT);
        expectEnd(Lost.RST);
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void octetsMayComeOneByOne(Role role) throws Exception {
        meet(role, StreamPeer.offer());
        peer.oneByOne();
        if (role == Role.INITIATOR) {
            peer.takeReply();
        } else {
            peer.reply(StreamPeer.offer());
            peer.awaitLimit();
            peer.publish();
        }
        exchange();
        peer.word(StreamWord.DISCONNECT);
        peer.finish();
        peer.expectEnd();
        expectInactive();
    }

    /** A side that answers may send with its reply: what it needs to know is in the request. */
    @ParameterizedTest
    @EnumSource(Role.class)
    void messagesMayComeAtOnce(Role role) throws Exception {
        meet(role, StreamPeer.offer());
        if (role == Role.INITIATOR) {
            peer.expectReply();
            peer.hold();
        } else {
            peer.hold();
            peer.reply(StreamPeer.offer());
        }
        peer.publish();
        peer.data("one,");
        peer.data("two");
        peer.word(StreamWord.SHUTDOWN);
        peer.release();
        assertThat(tested.nextText(7)).isEqualTo("one,two");
        peer.expectDisconnect();
        expectInactive();
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void iomapsAreCounted(Role role) throws Exception {
        option(RdmaSocketChannelOption.RDMA_STREAM_CREDITS, 16);
        establish(role, StreamPeer.offer());
        for (int round = 1; round < 40; round++) {
            for (int i = 0; i < 8; i++) {
                peer.iomap();
            }
            while ((peer.limit & 0xffff) != 16 + 8 * round) {
                peer.awaitLimit();
            }
        }
        exchange();
    }

    /** A side in C that only reads writes entries, and sends limits when it likes. */
    @ParameterizedTest
    @EnumSource(Role.class)
    void entryIsFoundWithoutALimit(Role role) throws Exception {
        establish(role, StreamPeer.offer(10, StreamPeer.BUFFER_KEY));
        peer.entry(0x1234_0000L, 99, 1000); // behind the one that is published at the beginning
        peer.sync();
        int bytes = 10 + StreamPeer.BUFFER_BYTES + 500;
        ChannelPair.await(channel.writeAndFlush(ChannelPair.text("x".repeat(bytes))), "write");
        assertThat(peer.receive(bytes)).hasSize(bytes);
        assertThat(peer.writes.get(peer.writes.size() - 1)).isEqualTo(new StreamPeer.Written(0x1234_0000L, 99, 500));
    }
}
