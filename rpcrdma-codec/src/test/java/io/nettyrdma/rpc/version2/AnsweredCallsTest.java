// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.util.concurrent.Future;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.RpcRdmaReverseRequesterHandler;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whatever answers a call in version 2, the next ones may be sent: no call counts as unanswered for ever. */
class AnsweredCallsTest {

    private static final int GRANT = Rdma2.credits(64, 4);

    /** Calls that may be unanswered. */
    private static final int CALLS = 2;

    /** More than those. */
    private static final int TIMES = 3 * CALLS;

    private TestPipeline pipeline;

    private static RpcRdmaConfig config() {
        return RpcRdmaConfig.builder()
                .versions(2, 2)
                .creditsRequested(CALLS)
                .reverseCredits(CALLS)
                .version2(v2 -> v2.maxContinuedBytes(100))
                .build();
    }

    private void connect(ChannelHandler handler, int xid, ChannelHandler... above) {
        pipeline = new TestPipeline(handler);
        pipeline.channel.pipeline().addLast(above);
        pipeline.openVersion2(xid, GRANT, TransportProperty.reverseLevel(ReverseLevel.CONT));
    }

    private void connectRequester() {
        connect(new RpcRdmaRequesterHandler(config()), 0);
    }

    private ChannelHandler connectResponder() {
        ChannelHandler reverse = new RpcRdmaReverseRequesterHandler();
        connect(new RpcRdmaResponderHandler(config()), 7, reverse);
        return reverse;
    }

    @AfterEach
    void end() {
        pipeline.dropSends();
        pipeline.close();
    }

    private Future<ByteBuf> call(int xid) {
        Future<ByteBuf> reply = RpcRdmaRequester.of(pipeline.channel).call(pipeline.call(xid));
        assertThat(pipeline.sent()).as("call " + xid).startsWith(TestPipeline.words(xid, 2));
        return reply;
    }

    private void receiveReply(int xid, int flags, String payload) {
        pipeline.receive(new Rdma2Message.Msg(xid, GRANT, Rdma2.RESPONSE | flags, 0, ChunkLists.ABSENT), payload);
        pipeline.dropSends(); // refreshes
    }

    private void receiveError(int xid) {
        pipeline.receive(Rdma2Message.ErrorMsg.of(xid, GRANT, Rdma2Error.SYSTEM), "");
        pipeline.dropSends();
    }

    private void callsAreAnsweredByReplies() {
        for (int xid = 1; xid <= TIMES; xid++) {
            Future<ByteBuf> reply = call(xid);
            receiveReply(xid, 0, TestPipeline.replyHex(xid));
            reply.getNow().release();
        }
    }

    private void callsAreAnsweredByErrors() {
        for (int xid = 1; xid <= TIMES; xid++) {
            Future<ByteBuf> reply = call(xid);
            receiveError(xid);
            assertThat(reply.cause()).isInstanceOf(RemoteErrorException.class);
        }
    }

    private void callsAreAnsweredByRepliesThatAreTooLong() {
        for (int xid = 1; xid <= TIMES; xid++) {
            Future<ByteBuf> reply = call(xid);
            receiveReply(xid, Rdma2.MORE, TestPipeline.replyHex(xid) + "00".repeat(100));
            assertThat(reply.cause()).isInstanceOf(MessageTooLargeException.class);
            receiveReply(xid, 0, "00000000");
        }
    }

    @Test
    void byReplies() {
        connectRequester();
        callsAreAnsweredByReplies();
    }

    @Test
    void byErrors() {
        connectRequester();
        callsAreAnsweredByErrors();
    }

    @Test
    void byRepliesThatAreTooLong() {
        connectRequester();
        callsAreAnsweredByRepliesThatAreTooLong();
    }

    @Test
    void byRepliesInTheReverseDirection() {
        connectResponder();
        callsAreAnsweredByReplies();
    }

    @Test
    void byErrorsInTheReverseDirection() {
        connectResponder();
        callsAreAnsweredByErrors();
    }

    @Test
    void byRepliesThatAreTooLongInTheReverseDirection() {
        connectResponder();
        callsAreAnsweredByRepliesThatAreTooLong();
    }

    /** Its peer owes an answer all the same. */
    @Test
    void byRepliesToAHandlerThatWasRemoved() {
        ChannelHandler handler = connectResponder();
        for (int xid = 1; xid <= TIMES; xid++) {
            call(xid);
            handler = replace(handler);
            receiveReply(xid, 0, TestPipeline.replyHex(xid));
        }
    }

    @Test
    void byFragmentsToAHandlerThatWasRemoved() {
        ChannelHandler handler = connectResponder();
        for (int xid = 1; xid <= TIMES; xid++) {
            call(xid);
            handler = replace(handler);
            receiveReply(xid, Rdma2.MORE, TestPipeline.replyHex(xid));
            receiveReply(xid, 0, "00000000");
        }
    }

    private ChannelHandler replace(ChannelHandler handler) {
        ChannelHandler next = new RpcRdmaReverseRequesterHandler();
        pipeline.channel.pipeline().remove(handler);
        pipeline.channel.pipeline().addLast(next);
        return next;
    }
}
