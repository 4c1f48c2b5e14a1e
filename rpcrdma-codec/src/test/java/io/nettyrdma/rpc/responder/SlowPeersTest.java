// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.TOO_SLOW;
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
import io.nettyrdma.rpc.kit.PeerMemory;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
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
                .hasFieldOrPropertyWithValue("reason", TOO_SLOW)
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
                .hasFieldOrPropertyWithValue("reason", TOO_SLOW);
    }

    @Test
    void callWaitsUntilPeersThatStandStillLoseTheRoom() {
        RpcRdmaConfig.Builder config = TestLimits.maxWaitingBytes(config(), 16 * READ_BYTES);
        List<TestPipeline> slow = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            TestPipeline peer = server(config);
            slow.add(peer);
            for (int xid = 1; xid <= 16; xid++) {
                receiveRead(peer, xid);
            }
            delivered(peer).forEach(xid -> reply(peer, xid));
        }
        TestPipeline good = server(config);
        grant(good, 10_000); // of 250 for each reply
        int calls = 16;
        for (int xid = 1; xid <= calls; xid++) {
            receiveRead(good, xid);
        }
        receiveCall(good, 99, TestPipeline.callHex(99));
        assertThat(delivered(good)).as("only the short one").containsExactly(99);

        List<Integer> served = new ArrayList<>();
        for (int quarters = 0; served.size() < calls; quarters++) {
            assertThat(quarters).as("of the time to wait").isLessThan(4);
            pass(Duration.ofSeconds(15));
            for (TestPipeline peer : slow) {
                delivered(peer).forEach(xid -> reply(peer, xid));
            }
            for (List<Integer> xids = delivered(good); !xids.isEmpty(); xids = delivered(good)) {
                xids.forEach(xid -> reply(good, xid));
                served.addAll(xids);
            }
        }

        assertThat(served).isSorted().hasSize(calls);
        for (TestPipeline peer : slow) {
            if (!peer.channel.isOpen()) {
                checkEnded(peer, "for 15000 ms, a quarter of RpcRdmaConfig.peerTimeout");
            }
        }
        assertThat(good.channel.isOpen()).isTrue();
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
        assertThat(delivered(good)).as("the long one waits").containsExactly(2);
        slowMemory.completeWrite();
        slow1.channel.flushOutbound();
        slow1.channel.runPendingTasks();
        good.channel.runPendingTasks();

        assertThat(delivered(good)).containsExactly(1);
    }

    @Test
    void callThatWaitedForItsConnectionWaitsForTheProcessThen() {
        PeerMemory memory = new PeerMemory().holdingWrites();
        TestPipeline server = serverOfVersion1(memory);
        PeerMemory slowMemory = new PeerMemory().holdingWrites();
        TestPipeline slow = serverOfVersion1(slowMemory);
        receiveReadWithChunk(server, 1);
        receiveReadWithChunk(server, 2, 2 * READ_BYTES);
        receiveReadWithChunk(server, 3);
        receiveReadWithChunk(slow, 1);
        assertThat(delivered(server)).containsExactly(1);
        assertThat(delivered(slow)).containsExactly(1);
        reply(slow, 1);
        reply(server, 1);

        memory.completeWrite();
        server.channel.flushOutbound();
        server.channel.runPendingTasks();
        assertThat(server.sentHeader(Direction.REPLY)).isInstanceOf(RpcRdmaMessage.NoMsg.class);
        assertThat(delivered(server)).isEmpty();
        pass(Duration.ofSeconds(15));

        checkEnded(slow, "other connections wait");
        server.channel.runPendingTasks();
        assertThat(delivered(server)).containsExactly(2);
        slowMemory.completeWrite();
    }

    private static void receiveLongCall(TestPipeline pipeline, int xid, int segments) {
        int bytes = READ_BYTES / segments;
        List<ReadSegment> list = new ArrayList<>();
        for (int i = 0; i < segments; i++) {
            list.add(new ReadSegment(0, new PlainSegment(9, bytes, (long) i * bytes)));
        }
        pipeline.receive(new RpcRdmaMessage.NoMsg(xid, 1, 9, new ChunkLists(list, List.of(), null)), "");
    }

    @Test
    void callWhoseReadChunksWaitTooLongIsRefused() {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "no memory for 1000000 bytes of read chunks");
        List<PeerMemory> slow = List.of(new PeerMemory().holding(), new PeerMemory().holding());
        for (PeerMemory memory : slow) {
            receiveLongCall(serverOfVersion1(memory), 1, 8);
        }
        TestPipeline good = serverOfVersion1(new PeerMemory());
        receiveLongCall(good, 1, 1);
        for (int i = 0; i < 6; i++) {
            assertThat(good.sends()).isZero();
            slow.forEach(memory -> memory.complete(new byte[READ_BYTES / 8]));
            pass(Duration.ofSeconds(10));
        }

        assertThat(good.sentHeader(Direction.REPLY)).isInstanceOf(RpcRdmaMessage.ErrorMsg.class);
        assertThat(pipelines).as("all make progress").allMatch(pipeline -> pipeline.channel.isOpen());
        for (int i = 6; i < 8; i++) {
            slow.forEach(memory -> memory.complete(new byte[READ_BYTES / 8]));
        }
    }

    @Test
    void readChunksWaitUntilPeersThatServeNoReadsLoseTheRoom() {
        List<PeerMemory> memories = new ArrayList<>();
        List<TestPipeline> servers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            PeerMemory memory = new PeerMemory().holding();
            memories.add(memory);
            servers.add(serverOfVersion1(memory));
            receiveLongCall(servers.get(i), 1, 1);
        }
        PeerMemory good = memories.get(2);
        assertThat(good.waiting()).isZero();
        pass(Duration.ofSeconds(15));

        checkEnded(servers.get(0), "other connections wait");
        checkEnded(servers.get(1), "other connections wait");
        memories.get(0).complete(new byte[READ_BYTES]); // as the end of its queue pair does
        memories.get(1).complete(new byte[READ_BYTES]);
        servers.get(2).channel.runPendingTasks();
        assertThat(good.waiting()).isOne();
        byte[] call = new byte[READ_BYTES];
        call[3] = 1;
        good.complete(call);
        assertThat(delivered(servers.get(2))).containsExactly(1);
    }

    @Test
    void incompleteMessagesGiveWayToRepliesThatWait() {
        RpcRdmaConfig.Builder config = TestLimits.maxWaitingBytes(config(), 5 * READ_BYTES / 4);
        TestPipeline slow = server(config);
        TestPipeline good = server(config);
        receiveFragment(slow, 1, TestPipeline.callHex(1) + HALF_A_CALL);
        receiveRead(good, 1);
        assertThat(delivered(good)).isEmpty();
        pass(Duration.ofSeconds(15));

        checkEnded(slow, "is not complete after 15000 ms");
        good.channel.runPendingTasks();
        assertThat(delivered(good)).containsExactly(1);
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
