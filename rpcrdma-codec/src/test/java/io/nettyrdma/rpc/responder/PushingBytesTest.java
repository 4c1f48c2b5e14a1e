// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.kit.PeerMemory;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.message.RpcCallRefusal;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls that wait because the peer has not taken the replies to others, written to chunks when the test says so. */
class PushingBytesTest {

    private static final int LIMIT = 10_000;

    private final PeerMemory memory = new PeerMemory().holdingWrites();
    private final TestPipeline pipeline = new TestPipeline(
                    new RpcRdmaResponderHandler(TestLimits.maxPushingWrites(RpcRdmaConfig.builder(), 1)
                            .maxPushingBytes(LIMIT) // so that a Send waits for the Write before it, as on a queue pair
                            .build()),
                    memory)
            .withLargeThresholds();

    @AfterEach
    void nothingIsLeft() {
        pipeline.close();
    }

    /** A call that offers so many octets for its whole reply. */
    private void receive(int xid, int replyBytes) {
        WriteChunk chunk = new WriteChunk(List.of(new PlainSegment(9, replyBytes, 0)));
        pipeline.receive(
                new RpcRdmaMessage.Msg(xid, 1, 32, new ChunkLists(List.of(), List.of(), chunk)),
                TestPipeline.callHex(xid));
    }

    private void isDelivered(int xid) {
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(xid));
    }

    private void nothingIsDelivered() {
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    private void reply(int xid, int bytes) {
        pipeline.channel.writeAndFlush(pipeline.message(xid, 1, bytes));
        pipeline.channel.runPendingTasks();
    }

    /** The oldest Write completes, and with it the Send behind it. */
    private void take() {
        memory.completeWrite();
        pipeline.channel.flushOutbound();
        pipeline.channel.runPendingTasks();
        pipeline.dropSends();
    }

    @Test
    void callsWaitInOrderUntilThePeerHasTakenTheRepliesToOthers() {
        for (int xid = 1; xid <= 4; xid++) {
            receive(xid, 5000);
        }
        isDelivered(1);
        isDelivered(2);
        nothingIsDelivered();
        reply(2, 5000);
        nothingIsDelivered();

        take();
        isDelivered(3);
        nothingIsDelivered();
        reply(1, 5000);
        reply(3, 5000);
        nothingIsDelivered();
        take();
        isDelivered(4);
        reply(4, 5000);
        take();
        take();
    }

    @Test
    void replyThatTakesLessThanWasOfferedMakesRoomAtOnce() {
        receive(1, 9000);
        receive(2, 4000);
        isDelivered(1);
        nothingIsDelivered();

        reply(1, 5000);

        isDelivered(2);
        reply(2, 100);
        take();
    }

    @Test
    void callThatOffersMoreThanTheBoundIsExecutedAlone() {
        receive(1, 4);
        receive(2, 2_000_000_000);
        receive(3, 4);
        isDelivered(1);
        nothingIsDelivered();
        reply(1, 100);
        isDelivered(2);
        nothingIsDelivered();
        reply(2, 100);
        isDelivered(3);
        reply(3, 100);
        pipeline.dropSends();
    }

    /** What comes with the calls may be the reply to one of the other direction, which a call handed up waits for. */
    @Test
    void callsWithoutChunksDoNotWaitAndAreReadWhileOthersDo() {
        receive(1, LIMIT);
        pipeline.channel.read();
        receive(2, LIMIT);
        int before = memory.reads();
        pipeline.channel.read();
        assertThat(memory.reads()).isGreaterThan(before);
        pipeline.receiveCall(3);
        isDelivered(1);
        isDelivered(3);
        nothingIsDelivered();

        reply(1, 5000);
        take();

        isDelivered(2);
        reply(2, 5000);
        take();
        reply(3, 100);
        pipeline.dropSends();
    }

    @Test
    void callsThatEndWithoutTheirReplyMakeRoom() {
        receive(1, LIMIT);
        receive(2, LIMIT);
        receive(3, LIMIT);
        receive(4, LIMIT);
        isDelivered(1);
        pipeline.channel.writeAndFlush(new RpcCallRefusal(1));
        pipeline.channel.runPendingTasks();
        assertThat(pipeline.sentHeader(Direction.REPLY)).isInstanceOf(RpcRdmaMessage.ErrorMsg.class);
        isDelivered(2);
        pipeline.channel.writeAndFlush(pipeline.message(2, 0, 100)); // no reply
        pipeline.channel.runPendingTasks();
        assertThat(pipeline.sentHeader(Direction.REPLY)).isInstanceOf(RpcRdmaMessage.ErrorMsg.class);
        isDelivered(3);
        reply(3, 2 * LIMIT); // fits nowhere
        assertThat(pipeline.sentHeader(Direction.REPLY)).isInstanceOf(RpcRdmaMessage.ErrorMsg.class);
        isDelivered(4);
    }

    @Test
    void callsThatWaitGoWithTheConnection() {
        receive(1, LIMIT);
        receive(2, LIMIT);
        receive(3, LIMIT);
        isDelivered(1);
        pipeline.channel.close();
        pipeline.channel.runPendingTasks();
        nothingIsDelivered();
    }
}
