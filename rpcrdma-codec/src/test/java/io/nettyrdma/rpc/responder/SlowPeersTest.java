// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.error.SlowPeerException;
import io.nettyrdma.rpc.kit.PeerMemory;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What peers, most of version 2, can make this side hold by keeping it waiting: how much, and for how long (C64). */
class SlowPeersTest extends SlowPeers {

    private static final int SYSTEM = 100;
    private static final int READ_BYTES = 1_000_000;
    private static final String HALF_A_CALL = "00".repeat(500_000);

    private static void receiveCall(TestPipeline pipeline, int xid, String hex) {
        receive(pipeline, xid, 0, hex);
    }

    private static void receiveRead(TestPipeline pipeline, int xid) {
        receiveCall(pipeline, xid, readHex(pipeline, xid, READ_BYTES));
    }

    private static void receiveUnknown(TestPipeline pipeline, int xid) {
        receiveCall(pipeline, xid, unknownHex(pipeline, xid));
    }

    private static void receiveFragment(TestPipeline pipeline, int xid, String payload) {
        receive(pipeline, xid, Rdma2.MORE, payload);
    }

    private static void grant(TestPipeline pipeline, int credits) {
        pipeline.receive(new Rdma2Message.CreditGrant(Rdma2.credits(0xffff, credits)), "");
    }

    private static ChannelFuture reply(TestPipeline pipeline, int xid) {
        ChannelFuture future = pipeline.channel.writeAndFlush(pipeline.message(xid, RpcHeaders.REPLY, READ_BYTES));
        return future;
    }

    /** The XIDs of the calls that were handed up since the last time. */
    private static List<Integer> delivered(TestPipeline pipeline) {
        List<Integer> xids = new ArrayList<>();
        for (ByteBuf call = pipeline.channel.readInbound(); call != null; call = pipeline.channel.readInbound()) {
            xids.add(RpcHeaders.xid(call));
            call.release();
        }
        return xids;
    }

    private void pass(Duration time) {
        clock.advance(time.toNanos(), TimeUnit.NANOSECONDS);
        pipelines.forEach(pipeline -> pipeline.channel.runPendingTasks());
    }

    private static void checkEnded(TestPipeline pipeline, String why) {
        assertThatThrownBy(pipeline.channel::checkException)
                .isInstanceOf(SlowPeerException.class)
                .hasMessageContaining(why);
        assertThat(pipeline.channel.isOpen()).isFalse();
    }

    @Test
    void callsWhoseRepliesAreLongWaitForThoseBeforeThem() {
        TestPipeline server = server(config().maxPushingBytes(5 * READ_BYTES / 2));
        for (int xid = 1; xid <= 4; xid++) {
            receiveRead(server, xid);
        }
        receiveCall(server, 5, TestPipeline.callHex(5));
        assertThat(delivered(server)).containsExactly(1, 2, 5);

        reply(server, 1);
        reply(server, 2);
        assertThat(delivered(server)).isEmpty();
        assertThat(server.sends()).as("without credits").isZero();
        grant(server, 1000);

        assertThat(delivered(server)).containsExactly(3, 4);
    }

    @Test
    void connectionEndsIfNoCreditsComeForAReply() {
        TestPipeline server = server(config());
        receiveRead(server, 1);
        assertThat(delivered(server)).containsExactly(1);
        reply(server, 1);

        pass(Duration.ofSeconds(59));
        assertThat(server.channel.isOpen()).isTrue();
        pass(Duration.ofSeconds(1));

        checkEnded(server, "too few credits for the first of 1 answers for 60000 ms");
    }

    @Test
    void creditNowAndThenIsTooFew() {
        TestPipeline server = server(config().peerTimeout(Duration.ofSeconds(10)));
        receiveRead(server, 1);
        delivered(server);
        reply(server, 1);

        for (int i = 0; i < 9; i++) {
            pass(Duration.ofSeconds(1));
            grant(server, 1);
        }
        assertThat(server.channel.isOpen()).isTrue();
        pass(Duration.ofSeconds(1));

        checkEnded(server, "RpcRdmaConfig.peerTimeout");
    }

    @Test
    void connectionStaysAsLongAsWholeRepliesGo() {
        TestPipeline server = server(config());
        for (int xid = 1; xid <= 4; xid++) {
            receiveRead(server, xid);
        }
        for (int xid : delivered(server)) {
            reply(server, xid);
        }

        for (int i = 0; i < 4; i++) {
            pass(Duration.ofSeconds(59));
            grant(server, 250); // 248 fragments and the rest of the 4096 octets of a Send
        }
        pass(Duration.ofSeconds(600));

        assertThat(server.channel.isOpen()).isTrue();
    }

    @Test
    void connectionEndsIfTheLastFragmentDoesNotCome() {
        TestPipeline server = server(config());
        for (int i = 0; i < 59; i++) {
            receiveFragment(server, 1, TestPipeline.callHex(1).substring(0, 64));
            pass(Duration.ofSeconds(1));
        }
        assertThat(server.channel.isOpen()).isTrue();
        pass(Duration.ofSeconds(1));

        checkEnded(server, "a message of which 1888 bytes have come is not complete after 60000 ms");
    }

    @Test
    void clientEndsAConnectionWhoseReplyStaysUnfinished() {
        TestPipeline client = TestPipeline.with(
                clock,
                new RpcRdmaRequesterHandler(
                        config().callTimeout(Duration.ofHours(1)).build()));
        pipelines.add(client);
        client.channel.pipeline().fireChannelActive();
        client.receiveProperties(0, Rdma2.credits(64, 32));
        client.channel.writeAndFlush(client.call(1));
        client.receive(
                new Rdma2Message.Msg(1, GRANTS_NOTHING, Rdma2.RESPONSE | Rdma2.MORE, 0, ChunkLists.ABSENT),
                TestPipeline.replyHex(1));

        pass(Duration.ofSeconds(60));

        checkEnded(client, "is not complete after 60000 ms");
        assertThat(client.failures())
                .singleElement()
                .extracting(Throwable::getCause)
                .isInstanceOf(SlowPeerException.class);
    }

    private static void allowRefusals() {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "refuses a message by a limit of this side");
    }

    @Test
    void callIsRefusedWhileAPeerThatStandsStillHoldsTheRoom() {
        allowRefusals();
        RpcRdmaConfig.Builder config = TestLimits.maxWaitingBytes(config(), 5 * READ_BYTES / 2);
        TestPipeline slow1 = server(config);
        TestPipeline slow2 = server(config);
        TestPipeline good = server(config);
        for (TestPipeline slow : List.of(slow1, slow2)) {
            receiveRead(slow, 1);
            receiveRead(slow, 2);
            assertThat(delivered(slow)).as("the second waits for the first").containsExactly(1);
            reply(slow, 1);
        }

        receiveRead(good, 1);
        receiveCall(good, 2, TestPipeline.callHex(2));
        assertThat(delivered(good)).as("the long one is refused").containsExactly(2);
        grant(good, 1);
        assertThat(good.sent())
                .startsWith(TestPipeline.words(1, 2))
                .endsWith(TestPipeline.words(4, Rdma2.RESPONSE, SYSTEM));
        assertThat(slow1.channel.isOpen()).isTrue();
        pass(Duration.ofSeconds(60));

        checkEnded(slow1, "RpcRdmaConfig.peerTimeout");
        checkEnded(slow2, "RpcRdmaConfig.peerTimeout");
        receiveRead(good, 3);
        assertThat(delivered(good)).containsExactly(3);
    }

    @Test
    void onePeerThatStandsStillKeepsNoOtherFromItsRoom() {
        RpcRdmaConfig.Builder config = TestLimits.maxWaitingBytes(config(), 5 * READ_BYTES / 2);
        TestPipeline slow = server(config);
        TestPipeline good = server(config);
        for (int xid = 1; xid <= 20; xid++) {
            receiveRead(slow, xid);
        }
        for (int xid : delivered(slow)) {
            reply(slow, xid);
        }

        receiveRead(good, 1);

        assertThat(delivered(good)).containsExactly(1);
    }

    @Test
    void replyOfUnknownLengthWithoutRoomIsAnError() {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "exceed the 3500000 that it may hold");
        TestPipeline server = server(TestLimits.maxWaitingBytes(config(), 7 * READ_BYTES / 2));
        for (int xid = 1; xid <= 3; xid++) {
            receiveUnknown(server, xid);
        }
        assertThat(delivered(server)).containsExactly(1, 2, 3);
        reply(server, 1);
        reply(server, 2);

        ChannelFuture third = reply(server, 3);

        assertThat(third.cause())
                .isInstanceOf(MessageTooLargeException.class)
                .hasMessageContaining("exceed the 3500000 that it may hold");
        grant(server, 1000);
        String last = "none";
        while (server.sends() > 0) {
            last = server.sent();
        }
        assertThat(last).startsWith(TestPipeline.words(3, 2)).endsWith(TestPipeline.words(4, Rdma2.RESPONSE, SYSTEM));
        assertThat(server.channel.isOpen()).isTrue();
    }

    @Test
    void fragmentsWithoutRoomAreRefusedUntilAnotherMessageEnds() {
        RpcRdmaConfig.Builder config = TestLimits.maxWaitingBytes(config(), 2 << 20);
        TestPipeline slow = server(config);
        TestPipeline good = server(config);
        receiveFragment(slow, 1, TestPipeline.callHex(1) + HALF_A_CALL);
        receiveFragment(slow, 1, HALF_A_CALL.substring(80));
        receiveFragment(good, 1, TestPipeline.callHex(1) + HALF_A_CALL);
        receiveFragment(good, 1, HALF_A_CALL);
        grant(good, 1);
        assertThat(good.sent())
                .startsWith(TestPipeline.words(1, 2))
                .endsWith(TestPipeline.words(4, Rdma2.RESPONSE, SYSTEM));
        pass(Duration.ofSeconds(60));

        receiveFragment(good, 1, HALF_A_CALL); // still of the one that was refused
        receiveCall(good, 1, "00".repeat(4));
        receiveFragment(good, 2, TestPipeline.callHex(2) + HALF_A_CALL);
        receiveFragment(good, 2, HALF_A_CALL);
        receiveCall(good, 2, "00".repeat(4));

        checkEnded(slow, "a message of which 1000000 bytes have come is not complete");
        assertThat(delivered(good)).containsExactly(2);
    }

    /** A server of version 1 whose client takes no RDMA Writes until the memory completes them. */
    private TestPipeline serverOfVersion1(PeerMemory memory) {
        RpcRdmaConfig config = TestLimits.maxPushingWrites(
                        TestLimits.maxWaitingBytes(RpcRdmaConfig.builder(), 5 * READ_BYTES / 2),
                        1) // so that a Send waits for the Write before it, as on a queue pair
                .build();
        TestPipeline pipeline = TestPipeline.with(clock, new RpcRdmaResponderHandler(config), memory)
                .withLargeThresholds();
        pipelines.add(pipeline);
        return pipeline;
    }

    private static void receiveReadWithChunk(TestPipeline pipeline, int xid) {
        receiveReadWithChunk(pipeline, xid, READ_BYTES);
    }

    private static void receiveReadWithChunk(TestPipeline pipeline, int xid, int chunkBytes) {
        WriteChunk chunk = new WriteChunk(List.of(new PlainSegment(9, chunkBytes, 0)));
        pipeline.receive(
                new RpcRdmaMessage.Msg(xid, 1, 32, new ChunkLists(List.of(), List.of(), chunk)),
                TestPipeline.callHex(xid));
    }

    @Test
    void peersOfBothVersionsHoldOneBoundTogether() {
        allowRefusals();
        PeerMemory slowMemory = new PeerMemory().holdingWrites();
        TestPipeline slow1 = serverOfVersion1(slowMemory);
        TestPipeline slow2 = server(TestLimits.maxWaitingBytes(config(), 5 * READ_BYTES / 2));
        TestPipeline good = serverOfVersion1(new PeerMemory().holdingWrites());
        receiveReadWithChunk(slow1, 1);
        receiveRead(slow2, 1);
        for (TestPipeline slow : List.of(slow1, slow2)) {
            assertThat(delivered(slow)).containsExactly(1);
            reply(slow, 1);
        }

        receiveReadWithChunk(good, 1);
        good.receiveCall(2);
        assertThat(delivered(good)).as("the long one is refused").containsExactly(2);
        assertThat(good.sentHeader(Direction.REPLY))
                .isInstanceOfSatisfying(RpcRdmaMessage.ErrorMsg.class, error -> assertThat(error.xid())
                        .isEqualTo(1));
        slowMemory.completeWrite();
        slow1.channel.flushOutbound();
        slow1.channel.runPendingTasks();

        receiveReadWithChunk(good, 3);
        assertThat(delivered(good)).containsExactly(3);
    }

    @Test
    void callThatHasWaitedForItsConnectionIsRefusedIfTheProcessHasNoRoomThen() {
        allowRefusals();
        PeerMemory memory = new PeerMemory().holdingWrites();
        TestPipeline server = serverOfVersion1(memory);
        TestPipeline slow = serverOfVersion1(new PeerMemory().holdingWrites());
        receiveReadWithChunk(server, 1);
        receiveReadWithChunk(server, 2, 2 * READ_BYTES);
        receiveReadWithChunk(server, 3);
        receiveReadWithChunk(slow, 1);
        assertThat(delivered(server)).containsExactly(1);
        assertThat(delivered(slow)).containsExactly(1);
        reply(server, 1);
        assertThat(server.sends()).isZero();

        memory.completeWrite();
        server.channel.flushOutbound();
        server.channel.runPendingTasks();

        assertThat(server.sentHeader(Direction.REPLY)).isInstanceOf(RpcRdmaMessage.NoMsg.class);
        assertThat(server.sentHeader(Direction.REPLY))
                .isInstanceOfSatisfying(RpcRdmaMessage.ErrorMsg.class, error -> assertThat(error.xid())
                        .isEqualTo(2));
        assertThat(delivered(server)).containsExactly(3);
    }

    /** However much chunks offer, which costs the peer nothing. */
    @Test
    void chunksOfOneConnectionTakeNoMoreRoomFromOthersThanItsOwnBound() {
        TestPipeline greedy = serverOfVersion1(new PeerMemory());
        TestPipeline good = server(TestLimits.maxWaitingBytes(config(), 20L << 20));
        WriteChunk chunk = new WriteChunk(List.of(new PlainSegment(9, Integer.MAX_VALUE, 0)));
        greedy.receive(
                new RpcRdmaMessage.Msg(1, 1, 32, new ChunkLists(List.of(), List.of(), chunk)), TestPipeline.callHex(1));
        assertThat(delivered(greedy)).containsExactly(1);

        receiveRead(good, 1);

        assertThat(delivered(good)).containsExactly(1);
    }

    /** Ten times as many connections hold no more. */
    @Test
    void manyConnectionsHoldTheBoundOfTheProcess() {
        allowRefusals();
        long limit = 8 * READ_BYTES;
        int connections = 40;
        for (int i = 0; i < connections; i++) {
            TestPipeline server = server(TestLimits.maxWaitingBytes(config(), limit));
            for (int xid = 1; xid <= 64; xid++) {
                receiveRead(server, xid);
            }
            for (List<Integer> xids = delivered(server); !xids.isEmpty(); xids = delivered(server)) {
                xids.forEach(xid -> reply(server, xid));
            }
            assertThat(held()).isLessThan(limit + READ_BYTES + (i + 1) * 64L * 4096);
        }
    }
}
