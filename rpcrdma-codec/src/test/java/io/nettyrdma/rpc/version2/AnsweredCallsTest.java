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
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever becomes of a call in version 2, the next ones may be sent: a call of this side does not count as unanswered
 * for ever, and the credit for the answer to one of the peer comes back.
 */
class AnsweredCallsTest {

    private static final int GRANT = Rdma2.credits(64, 32);

    /** Calls that may be unanswered. */
    private static final int CALLS = 2;

    /** More than those, and more than the credits of the peer. */
    private static final int TIMES = 50;

    private static final ChunkLists RESULT =
            new ChunkLists(List.of(), List.of(new WriteChunk(List.of(new PlainSegment(9, 100, 0)))), null);

    private TestPipeline pipeline;
    private ChannelHandler reverse;
    private int creditsOfPeer = 1;

    private static RpcRdmaConfig config() {
        return RpcRdmaConfig.builder()
                .versions(2, 2)
                .creditsGranted(4)
                .creditsRequested(CALLS)
                .reverseCredits(CALLS)
                .version2(v2 -> v2.maxContinuedBytes(100))
                .build();
    }

    private void connect(ChannelHandler handler, int xid, ChannelHandler above) {
        pipeline = new TestPipeline(handler);
        reverse = above;
        pipeline.channel.pipeline().addLast(above);
        pipeline.channel.pipeline().fireChannelActive();
        receive(
                new Rdma2Message.ConnProp(xid, GRANT, 0, List.of(TransportProperty.reverseLevel(ReverseLevel.CONT))),
                "");
    }

    private void connectRequester() {
        connect(new RpcRdmaRequesterHandler(config()), 0, new RpcRdmaReverseResponderHandler());
    }

    private void connectResponder() {
        connect(new RpcRdmaResponderHandler(config()), 7, new RpcRdmaReverseRequesterHandler());
    }

    @AfterEach
    void end() {
        pipeline.dropSends();
        pipeline.close();
    }

    private void receive(Rdma2Message message, String payload) {
        receive(() -> pipeline.receive(message, payload));
    }

    private void receive(Runnable arrival) {
        assertThat(creditsOfPeer).as("credits of the peer").isPositive();
        creditsOfPeer--;
        arrival.run();
        countGrants();
    }

    private void countGrants() {
        while (pipeline.sends() > 0) {
            creditsOfPeer += Integer.parseInt(pipeline.sent().substring(20, 24), 16);
        }
    }

    private Future<ByteBuf> call(int xid) {
        Future<ByteBuf> reply = RpcRdmaRequester.of(pipeline.channel).call(pipeline.call(xid));
        assertThat(pipeline.sends()).as("Sends of call " + xid).isOne();
        countGrants();
        return reply;
    }

    private void receiveCall(int xid, int flags, ChunkLists chunks, String payload) {
        receive(new Rdma2Message.Msg(xid, GRANT, flags, 0, chunks), payload);
    }

    private void receiveReply(int xid, int flags, String payload) {
        receiveCall(xid, Rdma2.RESPONSE | flags, ChunkLists.ABSENT, payload);
    }

    private void replaceReverse(ChannelHandler next) {
        pipeline.channel.pipeline().remove(reverse);
        reverse = next;
        pipeline.channel.pipeline().addLast(reverse);
    }

    @ParameterizedTest(name = "of a client: {0}, by {1}")
    @CsvSource({
        "true, reply",
        "true, error",
        "true, too long reply",
        "false, reply",
        "false, error",
        "false, too long reply"
    })
    void callThatIsAnsweredCountsNoMore(boolean client, String answer) {
        if (client) {
            connectRequester();
        } else {
            connectResponder();
        }
        for (int xid = 1; xid <= TIMES; xid++) {
            Future<ByteBuf> reply = call(xid);
            switch (answer) {
                case "reply" -> {
                    receiveReply(xid, 0, TestPipeline.replyHex(xid));
                    reply.getNow().release();
                }
                case "error" -> {
                    receive(Rdma2Message.ErrorMsg.of(xid, GRANT, Rdma2Error.SYSTEM), "");
                    assertThat(reply.cause()).isInstanceOf(RemoteErrorException.class);
                }
                default -> {
                    receiveReply(xid, Rdma2.MORE, TestPipeline.replyHex(xid) + "00".repeat(100));
                    assertThat(reply.cause()).isInstanceOf(MessageTooLargeException.class);
                    receiveReply(xid, 0, "00000000");
                }
            }
        }
    }

    /** Its peer owes an answer all the same. */
    @ParameterizedTest(name = "in fragments: {0}")
    @ValueSource(booleans = {false, true})
    void callThatIsAnsweredWhenItsHandlerWasRemovedCountsNoMore(boolean fragments) {
        connectResponder();
        for (int xid = 1; xid <= TIMES; xid++) {
            call(xid);
            replaceReverse(new RpcRdmaReverseRequesterHandler());
            receiveReply(xid, fragments ? Rdma2.MORE : 0, TestPipeline.replyHex(xid));
            if (fragments) {
                receiveReply(xid, 0, "00000000");
            }
        }
    }

    @ParameterizedTest(name = "with chunks: {0}")
    @ValueSource(booleans = {false, true})
    void callThatComesTwiceCostsNoCredit(boolean chunks) {
        connectResponder();
        receiveCall(1, 0, ChunkLists.ABSENT, TestPipeline.callHex(1));
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(1));
        for (int i = 0; i < TIMES; i++) {
            receiveCall(1, 0, chunks ? RESULT : ChunkLists.ABSENT, TestPipeline.callHex(1));
        }
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    /** Its first fragment is not wanted, and the next one cannot be decoded. */
    @Test
    void fragmentThatIsDroppedAnywayCostsNoCredit() {
        connectResponder();
        receiveCall(1, 0, ChunkLists.ABSENT, TestPipeline.callHex(1));
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(1));
        for (int i = 0; i < TIMES; i++) {
            receiveCall(
                    1, Rdma2.MORE, ChunkLists.ABSENT, TestPipeline.callHex(1).substring(0, 32));
            receive(() -> pipeline.receive(TestPipeline.words(1, 2, GRANT, Rdma2.MSG, Rdma2.MORE, 0, 5)));
        }
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    @Test
    void callWhoseHandlerIsRemovedCostsNoCredit() {
        connectRequester();
        for (int xid = 0; xid < TIMES; xid++) {
            receiveCall(xid, 0, ChunkLists.ABSENT, TestPipeline.callHex(xid));
            assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(xid));
            replaceReverse(new RpcRdmaReverseResponderHandler());
        }
    }
}
