// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.RpcRdmaReverseRequesterHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client of version 2 that spends the credits for its replies on calls (C44). */
class OverdrawnCreditsTest {

    private static final int XID = 0x0a0b_0c0d;
    private static final int GRANT = Rdma2.credits(64, 32);
    private static final int CREDITS = 2;
    private static final int RESERVE = 3;
    private static final int SYSTEM = 100;

    private final TestPipeline pipeline =
            new TestPipeline(new RpcRdmaResponderHandler(TestLimits.receiveReserve(RpcRdmaConfig.builder(), RESERVE)
                    .versions(2, 2)
                    .creditsGranted(CREDITS)
                    .reverseCredits(1)
                    .build()));

    private int granted;

    @BeforeEach
    void connect() {
        pipeline.channel.pipeline().addLast(new RpcRdmaReverseRequesterHandler());
        pipeline.channel.pipeline().fireChannelActive();
        granted = 1;
        pipeline.receiveProperties(7, GRANT, TransportProperty.reverseLevel(ReverseLevel.SIMPLE));
        granted--;
        countGrants();
    }

    @AfterEach
    void end() {
        pipeline.dropSends();
        pipeline.close();
    }

    private String countGrants() {
        String last = "none";
        while (pipeline.sends() > 0) {
            last = pipeline.sent();
            granted += Integer.parseInt(last.substring(20, 24), 16);
        }
        return last;
    }

    private String call(int xid) {
        assertThat(granted).as("credits for a call").isPositive();
        granted--;
        pipeline.receive(new Rdma2Message.Msg(xid, 64 << 16 | 1, 0, 0, ChunkLists.ABSENT), TestPipeline.callHex(xid));
        return countGrants();
    }

    private Future<ByteBuf> callBack() {
        Future<ByteBuf> reply = RpcRdmaRequester.of(pipeline.channel).call(pipeline.call(XID));
        countGrants();
        return reply;
    }

    private void replyToCallBack() {
        assertThat(granted).as("credits for a reply").isPositive();
        granted--;
        pipeline.receiveReplyOfVersion2(XID, GRANT);
    }

    private String answer(int xid) {
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(xid));
        pipeline.channel.writeOutbound(pipeline.reply(xid));
        return countGrants();
    }

    @Test
    @Requirement("V2-015")
    void replyComesAlthoughCallsHaveUsedItsCredit() {
        call(1);
        Future<ByteBuf> reply = callBack();
        call(2);
        call(3);

        replyToCallBack();

        assertThat(reply.isSuccess()).isTrue();
        reply.getNow().release();
        for (int xid = 1; xid <= 3; xid++) {
            assertThat(answer(xid)).startsWith(TestPipeline.words(xid, 2));
        }
        assertThat(granted).as("credits behind all that").isEqualTo(CREDITS);
    }

    /** Returns the reply to the call of the server, whose credit the last one has. */
    private Future<ByteBuf> callAsOftenAsThereIsRoom() {
        call(1);
        Future<ByteBuf> reply = callBack();
        for (int xid = 2; xid <= CREDITS + RESERVE; xid++) {
            call(xid);
        }
        return reply;
    }

    private void answerAll(Future<ByteBuf> reply) {
        replyToCallBack();

        assertThat(reply.isSuccess()).isTrue();
        reply.getNow().release();
        for (int xid = 1; xid <= CREDITS + RESERVE; xid++) {
            answer(xid);
        }
        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(granted).as("credits behind all that").isEqualTo(CREDITS);
    }

    /** They are neither executed nor answered, with or without room for another call. */
    @Test
    void callsThatComeTwiceBeyondTheLimitCostNoCredits() {
        Logs.allow(
                "io.nettyrdma.rpc.trace.RpcRdmaObserver", "is refused with RDMA2_ERR_SYSTEM: 5 calls are in progress");
        Future<ByteBuf> reply = callAsOftenAsThereIsRoom();

        for (int i = 0; i < 100; i++) {
            call(1);
        }
        answerAll(reply);
    }

    @Test
    @Requirement("V2-157")
    void callsWithoutEndAreRefusedOneByOne() {
        Logs.allow(
                "io.nettyrdma.rpc.trace.RpcRdmaObserver", "is refused with RDMA2_ERR_SYSTEM: 5 calls are in progress");
        Future<ByteBuf> reply = callAsOftenAsThereIsRoom();

        for (int xid = 100; xid < 200; xid++) {
            assertThat(call(xid))
                    .startsWith(TestPipeline.words(xid, 2))
                    .endsWith(TestPipeline.words(4, Rdma2.RESPONSE, SYSTEM));
        }
        answerAll(reply);
    }
}
