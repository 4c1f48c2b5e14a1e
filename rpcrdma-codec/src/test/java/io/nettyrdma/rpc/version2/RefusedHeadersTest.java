// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.RpcRdmaReverseRequesterHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Headers and chunks that a responder of version 2 refuses, and in which forms calls go after that. */
class RefusedHeadersTest {

    private static final int XID = 0x0a0b_0c0d;
    private static final int GRANT = Rdma2.credits(64, 32);
    private static final int CONTINUABLE_BYTES = 50_000;
    private static final int TOO_LONG_TO_CONTINUE_BYTES = 200_000;

    private TestPipeline pipeline = new TestPipeline(TestLimits.requester(
            RpcRdmaConfig.builder()
                    .versions(2, 2)
                    .version2(v2 -> v2.maxContinuedBytes(100_000))
                    .build(),
            ctx -> new ExposedPlaces()));

    @AfterEach
    void end() {
        pipeline.dropSends();
        pipeline.close();
    }

    private void connect(int creditWord) {
        pipeline.openVersion2(0, creditWord);
    }

    private void call(int xid, int bytes) {
        pipeline.channel.writeAndFlush(pipeline.message(xid, 0, bytes));
    }

    private void refuse(int xid, Rdma2Error error) {
        pipeline.receive(Rdma2Message.ErrorMsg.of(xid, GRANT, error), "");
    }

    private void checkSentLong(int xid) {
        String sent = pipeline.sent();
        assertThat(sent).startsWith(TestPipeline.words(xid, 2));
        assertThat(sent.substring(24, 32)).as("header type").isEqualTo(TestPipeline.words(Rdma2.NOMSG));
        assertThat(pipeline.sends()).as("other Sends").isZero();
    }

    private void checkSentInFragments(int xid) {
        assertThat(pipeline.sends()).isGreaterThan(CONTINUABLE_BYTES / 4096);
        while (pipeline.sends() > 0) {
            String sent = pipeline.sent();
            assertThat(sent).startsWith(TestPipeline.words(xid, 2));
            assertThat(sent.substring(24, 32)).as("header type").isEqualTo(TestPipeline.words(Rdma2.MSG));
        }
    }

    private Throwable lastFailure() {
        List<Throwable> failures = pipeline.failures();
        return failures.get(failures.size() - 1);
    }

    @Test
    @Requirement("V2-140")
    void headerThatWasRefusedAfterItsCallTimedOutIsNotSentAgain() {
        connect(GRANT);
        call(XID, CONTINUABLE_BYTES);
        checkSentLong(XID);
        pipeline.pass(60, TimeUnit.SECONDS);
        assertThat(lastFailure()).isInstanceOf(CallTimeoutException.class);

        refuse(XID, Rdma2Error.INVAL_HTYPE);

        call(XID + 1, CONTINUABLE_BYTES);
        checkSentInFragments(XID + 1);
    }

    @Test
    @Requirement("V2-140")
    void callThatWaitedWithTheHeaderThatWasRefusedIsSentInFragments() {
        connect(Rdma2.credits(64, 1));
        call(XID, CONTINUABLE_BYTES);
        checkSentLong(XID);
        call(XID + 1, CONTINUABLE_BYTES);
        assertThat(pipeline.sends()).as("Sends without a credit").isZero();

        refuse(XID, Rdma2Error.INVAL_HTYPE);

        checkSentInFragments(XID + 1);
    }

    @Test
    @Requirement("V2-140")
    void callThatWaitedAndFitsNoOtherHeaderFailsWithItsLength() {
        connect(Rdma2.credits(64, 1));
        call(XID, CONTINUABLE_BYTES);
        checkSentLong(XID);
        call(XID + 1, TOO_LONG_TO_CONTINUE_BYTES);

        refuse(XID, Rdma2Error.INVAL_HTYPE);

        assertThat(pipeline.sends()).isZero();
        assertThat(lastFailure()).isInstanceOf(MessageTooLargeException.class);
        assertThat(pipeline.channel.isOpen()).isTrue();
    }

    /** Refused for its reply only, when another call has shown what the responder does not know. */
    @Test
    @Requirement({"V2-140", "V2-147"})
    void callIsNotRepeatedWithTheHeaderThatWasRefused() {
        connect(GRANT);
        call(XID, CONTINUABLE_BYTES);
        checkSentLong(XID);
        pipeline.channel.writeAndFlush(
                RpcRdmaCall.of(pipeline.message(XID + 1, 0, CONTINUABLE_BYTES)).repeatable());
        checkSentLong(XID + 1);
        refuse(XID, Rdma2Error.INVAL_HTYPE);

        refuse(XID + 1, Rdma2Error.replyResource(TOO_LONG_TO_CONTINUE_BYTES));

        checkSentInFragments(XID + 1);
    }

    @Test
    @Requirement("V2-147")
    void longCallIsNotSentAgainAsAChunkWhereNoReadChunksAreTaken() {
        connect(GRANT);
        call(XID, TOO_LONG_TO_CONTINUE_BYTES);
        checkSentLong(XID);

        refuse(XID, new Rdma2Error(Rdma2ErrorCode.READ_CHUNKS, 0, 0));

        assertThat(pipeline.sends()).as("the same Send again").isZero();
        assertThat(lastFailure())
                .isInstanceOf(RemoteErrorException.class)
                .hasMessageContaining("RDMA2_ERR_READ_CHUNKS");
    }

    @Test
    @Requirement("V2-147")
    void longCallIsContinuedWhereNoReadChunksAreTaken() {
        connect(GRANT);
        call(XID, CONTINUABLE_BYTES);
        checkSentLong(XID);

        refuse(XID, new Rdma2Error(Rdma2ErrorCode.READ_CHUNKS, 0, 0));

        checkSentInFragments(XID);
    }

    @Test
    @Requirement("V2-140")
    void callThatWaitedWithTheOnlyHeaderThereIsEndsWithTheConnection() {
        connect(Rdma2.credits(64, 1));
        call(XID, 40);
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 2));
        call(XID + 1, 40);

        refuse(XID, Rdma2Error.INVAL_HTYPE);

        assertThat(pipeline.sends()).isZero();
        assertThat(pipeline.channel.isOpen()).isFalse();
        assertThat(pipeline.failures())
                .<Object>extracting(Throwable::getClass)
                .containsExactlyInAnyOrder(RemoteErrorException.class, ConnectionLostException.class);
    }

    @Test
    @Requirement("V2-140")
    void reverseCallsEndWhereTheClientRefusesTheHeaderTheyAllHave() {
        pipeline.close();
        RpcRdmaConfig config =
                RpcRdmaConfig.builder().versions(2, 2).reverseCredits(2).build();
        pipeline = new TestPipeline(new RpcRdmaResponderHandler(config));
        pipeline.channel.pipeline().addLast(new RpcRdmaReverseRequesterHandler());
        pipeline.openVersion2(7, GRANT, TransportProperty.reverseLevel(ReverseLevel.SIMPLE));
        Future<ByteBuf> refused = RpcRdmaRequester.of(pipeline.channel).call(pipeline.call(XID));
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 2));

        pipeline.receive(Rdma2Message.ErrorMsg.of(XID, GRANT, Rdma2Error.INVAL_HTYPE), "");

        assertThat(refused.cause()).isInstanceOf(RemoteErrorException.class);
        assertThat(RpcRdmaRequester.of(pipeline.channel)
                        .call(pipeline.call(XID + 1))
                        .cause())
                .isInstanceOf(ConnectionLostException.class)
                .hasRootCauseMessage("the peer does not take the header that calls have");
        assertThat(pipeline.sends()).isZero();
        pipeline.receiveCallOfVersion2(5, GRANT);
        assertThat(pipeline.delivered()).as("a forward call").isEqualTo(TestPipeline.callHex(5));
    }
}
