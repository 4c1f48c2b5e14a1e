// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.error.RdmaStreamProtocolException;
import io.nettyrdma.socket.RdmaSocketChannelOption;
import io.nettyrdma.stream.StreamWord;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Words and RDMA Writes of a peer that break the protocol, on a connection that was in order until then. */
@NotOver(value = Lane.DISNI, reason = "byte streams have not been run over DiSNI's API")
@NotOver(
        value = Lane.SIW,
        reason = "not tried: the peer is a script over a TCP socket, and siw answers some of its faults itself")
@NotOver(value = Lane.RXE, reason = "the peer is a script that speaks iWARP over a TCP socket")
final class StreamViolationTest extends StreamPeerContract {

    private static final int BYTES = 4096;

    private interface Script {
        void run(StreamPeer peer) throws Exception;
    }

    private record Row(String name, String message, Script script) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Row wordOf(String name, int word) {
        return new Row(name, "word of the peer: 0x" + Integer.toHexString(word) + " ", peer -> peer.word(word));
    }

    static Stream<Arguments> words() {
        return inBothRoles(
                wordOf("DATA 0", 0),
                wordOf("operation 5", 0xa000_0001),
                wordOf("control 3", 0xe000_0003),
                wordOf("SHUTDOWN with a bit more", 0xe001_0002),
                new Row("DATA beyond the buffer", "(expected: 1 to ", peer -> peer.word(peer.room() + 1)),
                new Row("largest DATA", "DATA of the peer: 536870911 ", peer -> peer.word(StreamWord.MAX_VALUE)),
                new Row("LIMIT that goes back", "LIMIT of the peer: 64 (expected: 65 to 65,", peer -> {
                    peer.word(StreamWord.limit(peer.rightLimit()));
                    peer.word(StreamWord.limit(peer.rightLimit() - 1));
                }),
                new Row(
                        "LIMIT beyond the credits",
                        "LIMIT of the peer: 66 ",
                        peer -> peer.word(StreamWord.limit(peer.rightLimit() + 1))),
                new Row("LIMIT far ahead", "LIMIT of the peer: ", peer -> peer.word(StreamWord.limit(0xffff))),
                new Row("Send of 3 octets", "octets of a Send: 3 ", peer -> peer.send(new byte[3])),
                new Row("Send of 5 octets", "octets of a Send: 5 ", peer -> peer.send(new byte[5])),
                new Row("Send of 0 octets", "octets of a Send: 0 ", peer -> peer.send(new byte[0])),
                new Row("DATA behind SHUTDOWN", "(expected: none behind SHUTDOWN)", peer -> {
                    peer.word(StreamWord.SHUTDOWN);
                    peer.data("x");
                }));
    }

    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("words")
    void wordEndsTheConnectionByName(Role role, Row row) throws Exception {
        option(ChannelOption.ALLOW_HALF_CLOSURE, true);
        establish(role);
        row.script.run(peer);
        expectViolation(row.message);
        assertThat(tested.messages).isEmpty();
    }

    static Stream<Arguments> claims() {
        return inBothRoles(
                new Row("announced and not written", "100", peer -> {}),
                new Row("behind those that are written", "100", peer -> {
                    StreamPeer.Target target = peer.targets.element();
                    int filled = target.bytes() - peer.room();
                    peer.write(target.address() + filled + 50, target.key(), new byte[50]); // and not the 50 in front
                }),
                new Row("a whole buffer", "", peer -> {}));
    }

    /** The memory of a buffer may have been another connection's, so unwritten bytes must not be seen. */
    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("claims")
    void bytesThatAreAnnouncedAndNotWrittenAreNotShown(Role role, Row row) throws Exception {
        establish(role);
        row.script.run(peer);
        claim(row.message.isEmpty() ? peer.room() : Integer.parseInt(row.message));
    }

    private void claim(int bytes) throws Exception {
        peer.word(StreamWord.data(bytes));
        if (provider == TestProvider.SOFT) {
            expectViolation(
                    "DATA of the peer: " + bytes + " bytes (expected: at most 0, which is what the peer has written)");
            assertThat(tested.messages).isEmpty();
        } else {
            assertThat(tested.next()).containsOnly(0); // a device places bytes unseen, in memory that was zeroed
        }
    }

    /** Words that were right, in front of one that is not, count. */
    @ParameterizedTest
    @EnumSource(Role.class)
    void bytesBeforeTheViolationAreDelivered(Role role) throws Exception {
        establish(role);
        peer.data("first");
        peer.sync();
        assertThat(tested.nextText()).isEqualTo("first");
        peer.word(0);
        expectViolation("word of the peer: 0x0 ");
    }

    /** What comes behind a violation is looked at no more. */
    @ParameterizedTest
    @EnumSource(Role.class)
    void severalViolationsAreOneException(Role role) throws Exception {
        establish(role);
        peer.hold();
        for (int i = 0; i < 20; i++) {
            peer.word(0x2000_0000 + i);
        }
        peer.word(StreamWord.DISCONNECT);
        peer.release();
        expectViolation("word of the peer: 0x20000000 ");
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void dataWithoutABufferEndsTheConnectionByName(Role role) throws Exception {
        option(ChannelOption.SO_RCVBUF, BYTES);
        option(ChannelOption.AUTO_READ, false);
        establish(role, StreamPeer.offer());
        fill();
        peer.word(StreamWord.data(1));
        expectViolation("(expected: none before an entry)");
    }

    /** Fills all buffers that are published as long as the program does not read. */
    private void fill() throws Exception {
        int bytes = 0;
        while (bytes < BYTES) {
            while (peer.targets.isEmpty()) {
                peer.nextWord();
            }
            int room = peer.room();
            peer.data(new byte[room]);
            bytes += room;
        }
        assertThat(bytes).isEqualTo(BYTES);
        peer.sync();
        assertThat(peer.targets).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void moreDataThanCreditsEndsTheConnectionByName(Role role) throws Exception {
        exceedCredits(role, () -> peer.data("x"));
        expectViolation("DATA of the peer: number 16 ");
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void moreIomapsThanCreditsEndTheConnectionByName(Role role) throws Exception {
        exceedCredits(role, () -> peer.iomap());
        expectViolation("IOMAP of the peer: number 16 ");
    }

    private void exceedCredits(Role role, ChannelPair.LoopCall word) throws Exception {
        // On the strict device, some of the words may come so late that there are credits for them again.
        assumeTrue(provider == TestProvider.SOFT, "needs completions that come at once");
        int credits = 16;
        option(RdmaSocketChannelOption.RDMA_STREAM_CREDITS, credits);
        establish(role, StreamPeer.offer());
        peer.hold();
        for (int i = 0; i <= credits; i++) {
            word.run();
        }
        peer.release();
    }

    static Stream<Arguments> terminated() {
        return inBothRoles(
                new Row("Send of 9 octets", "octets", peer -> peer.send(new byte[9])),
                new Row("Write behind the buffer", "OUT_OF_BOUNDS", peer -> {
                    StreamPeer.Target target = peer.targets.element();
                    peer.write(target.address() + target.bytes(), target.key(), new byte[1]);
                }),
                new Row("Write over the end of the buffer", "OUT_OF_BOUNDS", peer -> {
                    StreamPeer.Target target = peer.targets.element();
                    peer.write(target.address() + target.bytes() - 1, target.key(), new byte[2]);
                }),
                new Row("Write in front of the buffer", "OUT_OF_BOUNDS", peer -> {
                    StreamPeer.Target target = peer.targets.element();
                    peer.write(target.address() - 1, target.key(), new byte[1]);
                }),
                new Row("Write with a wrong key", "INVALID_KEY", peer -> {
                    StreamPeer.Target target = peer.targets.element();
                    peer.write(target.address(), target.key() ^ 0x1234_5600, new byte[1]);
                }),
                new Row("Write with another buffer's key", "OUT_OF_BOUNDS", peer -> {
                    assertThat(peer.targets).hasSizeGreaterThan(1);
                    peer.write(
                            peer.targets.getLast().address(),
                            peer.targets.element().key(),
                            new byte[1]);
                }),
                new Row("Write behind the table", "OUT_OF_BOUNDS", peer -> {
                    StreamPeer.Target table = peer.table();
                    peer.write(table.address() + table.bytes(), table.key(), new byte[16]);
                }),
                new Row("Write in front of the table", "OUT_OF_BOUNDS", peer -> {
                    StreamPeer.Target table = peer.table();
                    peer.write(table.address() - 16, table.key(), new byte[16]);
                }),
                new Row("Read of a buffer", "NO_RIGHT", peer -> {
                    StreamPeer.Target target = peer.targets.element();
                    peer.read(target.address(), target.key(), 1);
                }),
                new Row("Read of the table", "NO_RIGHT", peer -> {
                    StreamPeer.Target table = peer.table();
                    peer.read(table.address(), table.key(), 16);
                }));
    }

    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("terminated")
    void providerEndsTheConnection(Role role, Row row) throws Exception {
        establish(role);
        row.script.run(peer);
        peer.expectTerminate();
        expectFailure(IOException.class, provider == TestProvider.SOFT ? row.message : "");
    }

    static Stream<Arguments> invalidations() {
        return inBothRoles(
                new Row(
                        "key of the buffer",
                        "",
                        peer -> peer.wordWithInvalidate(
                                StreamWord.limit(peer.rightLimit()),
                                peer.targets.element().key())),
                new Row(
                        "key of the table",
                        "",
                        peer -> peer.wordWithInvalidate(
                                StreamWord.limit(peer.rightLimit()),
                                peer.table().key())),
                new Row("no key", "", peer -> peer.wordWithInvalidate(StreamWord.limit(peer.rightLimit()), 0x7777)));
    }

    /** Whether the provider finds the fault or the stream: the connection ends, and the key's memory is freed once. */
    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("invalidations")
    void invalidatingSendEndsTheConnection(Role role, Row row) throws Exception {
        establish(role);
        row.script.run(peer);
        peer.expectEnd();
        if (peer.terminate == null) {
            assertThat(peer.words).endsWith(StreamWord.DISCONNECT);
        }
        expectFailure(IOException.class, row.message);
    }

    /** Violations count in every state of the stream that has not ended. */
    @ParameterizedTest
    @EnumSource(Role.class)
    void violationBehindOurShutdownEndsTheConnectionByName(Role role) throws Exception {
        establish(role);
        ChannelPair.await(channel.shutdownOutput(), "shutdownOutput");
        peer.await(StreamWord.SHUTDOWN);
        peer.data("more");
        assertThat(tested.nextText()).isEqualTo("more");
        peer.word(0);
        expectViolation("word of the peer: 0x0 ");
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void violationOfDataThatIsDroppedEndsTheConnectionByName(Role role) throws Exception {
        establish(role);
        ChannelPair.await(channel.shutdownInput(), "shutdownInput");
        peer.data("dropped");
        peer.sync();
        peer.word(peer.room() + 1);
        expectViolation("(expected: 1 to ");
        assertThat(tested.messages).isEmpty();
    }

    /** The first message of a peer may come before the connection is known to be established. */
    @ParameterizedTest
    @EnumSource(Role.class)
    void firstMessageThatIsNoWordEndsTheConnectionByName(Role role) throws Exception {
        meet(role, StreamPeer.offer());
        if (role == Role.INITIATOR) {
            peer.expectReply();
        } else {
            peer.hold();
            peer.reply(StreamPeer.offer());
        }
        peer.word(0x2000_0000);
        if (role == Role.RESPONDER) {
            peer.release();
        }
        peer.expectDisconnect();
        ChannelPair.await(channel.closeFuture(), "close");
        boolean heard =
                connected == null || connected.await(Deadline.SECONDS, TimeUnit.SECONDS) && connected.isSuccess();
        Throwable failure = heard ? tested.nextFailure() : connected.cause();
        assertThat(failure)
                .isInstanceOf(RdmaStreamProtocolException.class)
                .hasMessageContaining("word of the peer: 0x20000000 ");
    }

    /** Keeps buffers as it gets them. */
    private static final class Keeping extends ChannelInboundHandlerAdapter {
        final List<ByteBuf> buffers = new ArrayList<>();
        final CountDownLatch complete;
        private final int total;
        private int bytes;

        Keeping(int total) {
            this.total = total;
            complete = new CountDownLatch(1);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            buffers.add((ByteBuf) message);
            bytes += ((ByteBuf) message).readableBytes();
            if (bytes == total) {
                complete.countDown();
            }
        }

        void await() throws InterruptedException {
            assertThat(complete.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        }

        void assertUnchanged() {
            for (ByteBuf buffer : buffers) {
                for (int i = buffer.readerIndex(); i < buffer.writerIndex(); i++) {
                    assertThat(buffer.getByte(i)).isEqualTo((byte) 7);
                }
                buffer.release();
            }
        }
    }

    private static byte[] sevens(int bytes) {
        byte[] octets = new byte[bytes];
        Arrays.fill(octets, (byte) 7);
        return octets;
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void writeIntoAFullBufferEndsTheConnection(Role role) throws Exception {
        assumeTrue(provider == TestProvider.SOFT, "needs buffers that are withdrawn");
        establish(role, StreamPeer.offer());
        StreamPeer.Target target = peer.targets.element();
        Keeping keeping = new Keeping(target.bytes());
        addFirst(keeping);
        peer.data(sevens(target.bytes()));
        keeping.await();
        peer.write(target.address(), target.key(), new byte[target.bytes()]);
        peer.expectTerminate();
        expectFailure(IOException.class, "INVALID_KEY");
        keeping.assertUnchanged();
    }

    /** Bytes are the handler's alone, although the peer may still write where they were. */
    @ParameterizedTest
    @EnumSource(Role.class)
    void bytesThatWereDeliveredDoNotChange(Role role) throws Exception {
        establish(role, StreamPeer.offer());
        StreamPeer.Target target = peer.targets.element();
        int bytes = target.bytes() - 1;
        Keeping keeping = new Keeping(bytes);
        addFirst(keeping);
        peer.data(sevens(bytes));
        keeping.await();
        peer.write(target.address(), target.key(), new byte[bytes]);
        peer.sync();
        keeping.assertUnchanged();
        ChannelPair.await(channel.close(), "close");
        peer.expectDisconnect();
    }

    @Test
    void entryWithoutOctetsPublishesNothing() throws Exception {
        int bytes = 10 + StreamPeer.BUFFER_BYTES;
        option(ChannelOption.SO_SNDBUF, bytes);
        establish(Role.RESPONDER, StreamPeer.offer(10, StreamPeer.BUFFER_KEY));
        peer.entry(1, 2, 0); // behind the one that is published at the beginning
        peer.grant();
        var written = channel.writeAndFlush(ChannelPair.text("x".repeat(2 * bytes + 100)));
        peer.receive(bytes);
        peer.sync();
        assertThat(peer.receive(bytes)).hasSize(bytes);
        assertThat(written.isDone()).isFalse();
        peer.terminate(TerminateError.DDP_INVALID_STAG);
        peer.expectEnd();
        assertThat(ChannelPair.done(written).cause())
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("Connection reset by peer");
        expectInactive();
    }

    /** Addresses and keys are the peer's: this side sends them back, and knows nothing of them. */
    @ParameterizedTest
    @EnumSource(Role.class)
    void nonsenseThatIsPublishedComesBackToThePeer(Role role) throws Exception {
        establish(role, StreamPeer.offer(1, 0x5555_5555));
        peer.entry(-8, 0x6666_6666, -1);
        peer.grant();
        int bytes = 1 + StreamPeer.BUFFER_BYTES + 50;
        var written = channel.writeAndFlush(ChannelPair.text("x".repeat(bytes)));
        assertThat(peer.receive(bytes)).hasSize(bytes);
        assertThat(peer.writes.get(0)).isEqualTo(new StreamPeer.Written(StreamPeer.BUFFER, 0x5555_5555, 1));
        assertThat(peer.writes.get(peer.writes.size() - 1)).isEqualTo(new StreamPeer.Written(-8, 0x6666_6666, 50));
        ChannelPair.await(written, "write");
        peer.terminate(TerminateError.DDP_INVALID_STAG);
        peer.expectEnd();
        expectFailure(IOException.class, "Connection reset by peer");
    }
}
