// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.TOO_MANY_CALLS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.responder.ReverseCalls;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A requester that may speak both versions, and what its peer may say to its offer. */
class RequesterVersionsTest {

    private static final int XID = 0x0a0b_0c0d;
    private static final int GRANT = Rdma2.credits(64, 32);
    private static final int SECONDS = 3;

    private final RpcRdmaConfig config = TestLimits.negotiationTimeout(
                    RpcRdmaConfig.builder(), Duration.ofSeconds(SECONDS))
            .versions(1, 2)
            .build();
    private TestPipeline pipeline = connect();
    private int offerXid;

    private TestPipeline connect() {
        return connect(config);
    }

    private static TestPipeline connect(RpcRdmaConfig config) {
        TestPipeline connected = new TestPipeline(new RpcRdmaRequesterHandler(config));
        connected.channel.pipeline().fireChannelActive();
        return connected;
    }

    private void connectAgain(RpcRdmaConfig.Builder other) {
        pipeline.dropSends();
        pipeline.close();
        pipeline = connect(other.build());
    }

    @AfterEach
    void end() {
        pipeline.close();
    }

    private void call() {
        offerXid = (int) Long.parseLong(pipeline.sent().substring(0, 8), 16);
        pipeline.channel.writeAndFlush(pipeline.call(XID));
        assertThat(pipeline.sends()).as("calls wait for the version").isZero();
    }

    private void receiveProperties() {
        pipeline.receiveProperties(0, GRANT, TransportProperty.receiveBytes(8192));
    }

    private void receiveReply(int xid) {
        receiveFragment(xid, 0, ChunkLists.ABSENT, TestPipeline.replyHex(xid));
    }

    /** What the call fails with when the connection ends. */
    private Throwable failureOfConnection(ThrowingCallable event) {
        assertThatThrownBy(event).as("exceptionCaught").isInstanceOf(RpcRdmaException.class);
        assertThat(pipeline.channel.isOpen()).isFalse();
        return failure();
    }

    private Throwable failure() {
        return pipeline.failures().get(0);
    }

    @Test
    @Requirement({"V2-021", "V2-022", "V2-023", "V2-128"})
    void firstMessageIsAnOfferOfAtMost1024Octets() {
        String offer = pipeline.sent();

        assertThat(offer.length()).isLessThanOrEqualTo(2 * 1024);
        assertThat(offer.substring(8, 16)).isEqualTo("00000002");
        assertThat(offer.substring(24, 40)).isEqualTo("0000000500000000");
    }

    @Test
    @Requirement({"V2-020", "V2-055", "V2-116"})
    void callGoesOutInVersion2WhenPropertiesAreExchanged() {
        call();

        receiveProperties();

        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 2)).endsWith(TestPipeline.callHex(XID));
        receiveReply(XID);
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(XID));
    }

    /** The words behind the XID of the offer, or another one: V is the grant of version 2. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            ERR_VERS as all versions have it        | 0 | 2 64 4 1 1 1  | 1
            ERR_VERS as the draft has it            | 0 | 2 V 4 1 1 1 1 | 1
            ERR_CHUNK of version 1                  | 0 | 1 64 4 2      | 1
            ERR_CHUNK of version 2                  | 0 | 2 64 4 2      | 1
            ERR_VERS about another message          | 1 | 2 64 4 1 1 1  | 2
            versions 9 to 1: short WRITE_RESOURCE   | 0 | 2 V 4 1 9 1   | 2
            """)
    @Requirement({"V2-026", "V2-027", "V2-136", "V2-138"})
    void callGoesOutInTheVersionThatTheAnswerToTheOfferLeaves(
            String answer, int behindOffer, String words, int version) {
        call();
        int[] answered = Stream.of(words.split(" "))
                .mapToInt(word -> word.equals("V") ? GRANT : Integer.parseInt(word))
                .toArray();

        pipeline.receive(TestPipeline.words(offerXid + behindOffer) + TestPipeline.words(answered));

        if (version == 1) {
            assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 1, 128, 0));
            pipeline.receiveReply(XID, 64);
        } else {
            assertThat(pipeline.sends()).as("calls before properties").isZero();
            receiveProperties();
            assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 2)).endsWith(TestPipeline.callHex(XID));
            receiveReply(XID);
        }
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(XID));
    }

    @Test
    @Requirement("V2-138")
    void callFailsWhereThePeerSpeaksNeither() {
        call();

        assertThat(failureOfConnection(() -> pipeline.receive(TestPipeline.words(offerXid, 2, 64, 4, 1, 3, 4))))
                .isInstanceOf(ConnectionLostException.class)
                .hasCauseInstanceOf(RemoteErrorException.class);
    }

    @Test
    void errorAboutTheOfferEndsTheConnection() {
        call();

        assertThat(failureOfConnection(
                        () -> pipeline.receive(Rdma2Message.ErrorMsg.of(offerXid, GRANT, Rdma2Error.BAD_PROPVAL), "")))
                .hasCauseInstanceOf(ConnectionFailedException.class);
    }

    @Test
    @Requirement("V2-027")
    void nextConnectionBeginsWithVersion1AfterSilence() {
        call();

        pipeline.channel.advanceTimeBy(SECONDS, TimeUnit.SECONDS);
        pipeline.channel.runScheduledPendingTasks();

        assertThat(failureOfConnection(pipeline.channel::checkException))
                .hasCauseInstanceOf(ConnectionFailedException.class);
        pipeline.close();
        pipeline = connect();
        pipeline.channel.writeAndFlush(pipeline.call(XID));
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 1, 128, 0));
    }

    @ParameterizedTest(name = "by the peer: {0}")
    @ValueSource(booleans = {true, false})
    @Requirement("V2-027")
    void nextConnectionBeginsWithVersion1OnlyIfThePeerHasHungUp(boolean peer) {
        pipeline.sent();
        if (peer) {
            pipeline.channel.pipeline().fireChannelInactive();
        } else {
            pipeline.channel.close();
        }
        pipeline.close();

        pipeline = connect();

        assertThat(pipeline.sends()).as("offers").isEqualTo(peer ? 0 : 1);
        pipeline.dropSends();
    }

    @Test
    void callTimesOutWhileItWaitsForTheVersion() {
        connectAgain(RpcRdmaConfig.builder().versions(1, 2).callTimeout(Duration.ofSeconds(1)));
        call();

        pipeline.channel.advanceTimeBy(1, TimeUnit.SECONDS);
        pipeline.channel.runScheduledPendingTasks();

        assertThat(failure()).isInstanceOf(CallTimeoutException.class);
        receiveProperties();
        assertThat(pipeline.sends()).isZero();
    }

    @Test
    void callThatWasWithdrawnWhileItWaitedIsNotSent() {
        pipeline.sent();
        ChannelFuture written = pipeline.channel.writeAndFlush(pipeline.call(XID));

        assertThat(written.cancel(false)).isTrue();
        receiveProperties();

        assertThat(pipeline.sends()).isZero();
        assertThat(pipeline.failures()).isEmpty();
    }

    @Test
    @Requirement({"V2-139", "V2-158"})
    void errorEndsItsCallByItsName() {
        call();
        receiveProperties();
        pipeline.sent();

        pipeline.receive(Rdma2Message.ErrorMsg.of(XID, GRANT, Rdma2Error.SYSTEM), "");

        assertThat(failure()).isInstanceOf(RemoteErrorException.class).hasMessageContaining("RDMA2_ERR_SYSTEM");
        assertThat(pipeline.channel.isOpen()).isTrue();
    }

    /**
     * Error codes that are unknown, have no argument, or lack one, as long as an ERR_VERS of all versions; and refusals
     * of versions in which this side has sent nothing.
     */
    @ParameterizedTest
    @CsvSource({
        "2, 77, 80",
        "2, 77, 1",
        "2, 9, 80",
        "2, 9, 1",
        "2, 2, 80",
        "2, 2, 1",
        "2, 1, 80",
        "2, 1, 1",
        "2, 0, 80",
        "2, 0, 1",
        "1, 2, 2",
        "3, 2, 2"
    })
    @Requirement({"V2-030", "V2-136", "V2-170"})
    void errorThatIsNotForThisSideLeavesTheCallsOfAnOpenConnectionAlone(int version, int code, int argument) {
        call();
        receiveProperties();
        pipeline.sent();

        pipeline.receive(TestPipeline.words(XID, version, GRANT, 4, 1, code, argument));
        receiveReply(XID);

        assertThat(pipeline.channel.isOpen()).isTrue();
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(XID));
        assertThat(pipeline.failures()).isEmpty();
    }

    @Test
    void callOfAHandlerThatWasAddedToAnActiveChannelIsSent() {
        call();
        pipeline.receive(TestPipeline.words(offerXid, 2, 64, 4, 1, 1, 1));
        pipeline.dropSends();
        pipeline.close();
        pipeline = new TestPipeline(new RpcRdmaRequesterHandler(config)); // the peer is remembered

        pipeline.channel.writeAndFlush(pipeline.call(XID));

        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 1, 128, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {2048, 4096, 8192})
    @Requirement({"V2-019", "V2-028", "V2-086", "V2-087"})
    void sendsAreAsLongAsThePeerReceivesAndThisSideSends(int receives) {
        int longest = Math.min(receives, 4096);
        pipeline.sent();
        pipeline.receive(
                new Rdma2Message.ConnProp(
                        0, GRANT, 0, receives == 4096 ? List.of() : List.of(TransportProperty.receiveBytes(receives))),
                "");
        pipeline.channel.writeAndFlush(pipeline.message(XID, 0, longest - 36));
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 2)).hasSize(2 * longest);

        pipeline.channel.writeAndFlush(pipeline.message(XID + 1, 0, longest - 32));
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID + 1, 2)).hasSize(2 * longest);
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID + 1, 2)).hasSize(2 * (36 + 4));
    }

    /** The private data of connection management are of version 1 alone. */
    @Test
    @Requirement("PD-019")
    void sizesInPrivateDataMeanNothingInVersion2() {
        pipeline.dropSends();
        pipeline.close();
        RpcRdmaConfig large =
                RpcRdmaConfig.builder().versions(2, 2).inlineSendBytes(16384).build();
        pipeline = new TestPipeline(new RpcRdmaRequesterHandler(large));
        pipeline.peerSays(new CmPrivateData(false, 16384, 16384));
        pipeline.openVersion2(0, GRANT);

        pipeline.channel.writeAndFlush(pipeline.message(XID, 0, 5000));

        assertThat(pipeline.sent()).as("first fragment").hasSize(2 * 4096);
        assertThat(pipeline.sends()).as("fragments behind it").isOne();
        pipeline.dropSends();
    }

    @Test
    @Requirement("V2-028")
    void thresholdIsThatOfVersion1WhereTheOfferIsRefused() {
        call();
        pipeline.receive(TestPipeline.words(offerXid, 2, 64, 4, 1, 1, 1));
        pipeline.dropSends();
        pipeline.receiveReply(XID, 64);
        pipeline.delivered();

        pipeline.channel.writeAndFlush(pipeline.message(XID + 1, 0, 996));
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID + 1, 1)).hasSize(2 * 1024);
        assertThat(pipeline.channel
                        .writeAndFlush(pipeline.message(XID + 2, 0, 1000))
                        .cause())
                .isInstanceOf(MessageTooLargeException.class);
    }

    /** The peer tells of 64 credits and grants 2: what it does not answer in time is the end. */
    @Test
    @Requirement("V2-175")
    void connectionEndsWhenCallsThatTimedOutHaveAllCredits() {
        pipeline.sent();
        pipeline.receiveProperties(0, Rdma2.credits(64, 2));
        for (int xid = XID; xid < XID + 3; xid++) {
            pipeline.channel.writeOneOutbound(pipeline.call(xid));
        }
        pipeline.channel.flush();
        assertThat(pipeline.sends()).isEqualTo(2);
        pipeline.dropSends();

        pipeline.pass(60, TimeUnit.SECONDS);

        assertThat(pipeline.channel.isOpen()).isFalse();
        assertThat(pipeline.failures()).hasSize(3);
    }

    /** The peer takes Sends of 1024 octets, and has one credit for a call of 8 KiB. */
    private void stallACall() {
        pipeline.sent();
        pipeline.receiveProperties(0, Rdma2.credits(64, 1), TransportProperty.receiveBytes(1024));
        pipeline.channel.writeAndFlush(pipeline.message(XID, 0, 8192));
        assertThat(pipeline.sends()).as("fragments").isOne();
        pipeline.dropSends();
    }

    private void callBehind(int xid) {
        pipeline.channel.writeAndFlush(pipeline.call(xid));
        assertThat(pipeline.sends()).isZero();
    }

    @Test
    @Requirement("V2-111")
    void callThatTimesOutBetweenItsFragmentsFailsAlone() {
        stallACall();
        pipeline.pass(30, TimeUnit.SECONDS);
        callBehind(XID + 1);

        pipeline.pass(30, TimeUnit.SECONDS);

        assertThat(pipeline.failures()).hasSize(1).hasOnlyElementsOfType(CallTimeoutException.class);
        assertThat(pipeline.channel.isOpen()).isTrue();
        pipeline.receive(new Rdma2Message.CreditGrant(GRANT), "");
        for (int fragment = 2; fragment <= 9; fragment++) {
            assertThat(pipeline.sent()).as("fragment %d", fragment).startsWith(TestPipeline.words(XID, 2));
        }
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID + 1, 2));
        receiveReply(XID + 1);
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(XID + 1));
    }

    @Test
    void connectionEndsWhenAnotherCallTimesOutBehindTheRestOfOneThatWasGivenUp() {
        stallACall();
        pipeline.pass(30, TimeUnit.SECONDS);
        callBehind(XID + 1);
        pipeline.pass(30, TimeUnit.SECONDS);
        callBehind(XID + 2);
        pipeline.pass(30, TimeUnit.SECONDS);
        assertThat(pipeline.failures()).hasSize(2);
        assertThat(pipeline.channel.isOpen())
                .as("one call has waited since the first one was given up")
                .isTrue();
        callBehind(XID + 3);

        pipeline.pass(30, TimeUnit.SECONDS);

        assertThat(pipeline.channel.isOpen()).isFalse();
        assertThat(pipeline.failures()).hasSize(4);
        assertThat(pipeline.failures().get(3))
                .isInstanceOf(ConnectionLostException.class)
                .hasRootCauseMessage("the peer has granted no credit for the rest of a call that timed out or was"
                        + " cancelled, while a later call timed out, too");
    }

    @Test
    void connectionGoesOnWhileTheRestOfACallThatWasGivenUpIsGrantedSlowly() {
        stallACall();
        pipeline.pass(60, TimeUnit.SECONDS);
        callBehind(XID + 1);
        pipeline.pass(30, TimeUnit.SECONDS);
        pipeline.receive(new Rdma2Message.CreditGrant(Rdma2.credits(64, 1)), "");
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 2));

        pipeline.pass(30, TimeUnit.SECONDS);

        assertThat(pipeline.failures()).hasSize(2).hasOnlyElementsOfType(CallTimeoutException.class);
        assertThat(pipeline.channel.isOpen()).isTrue();
    }

    private void connectWithReverseResponder() {
        connectWithReverseResponder(ReverseLevel.CONT);
    }

    private void connectWithReverseResponder(ReverseLevel level) {
        pipeline.close();
        RpcRdmaConfig reverse = TestLimits.receiveReserve(RpcRdmaConfig.builder(), 1)
                .versions(2, 2)
                .reverseCredits(2)
                .version2(v2 -> v2.reverseLevel(level))
                .build();
        pipeline = new TestPipeline(new RpcRdmaRequesterHandler(reverse));
        pipeline.channel.pipeline().addLast(new RpcRdmaReverseResponderHandler());
        pipeline.channel.pipeline().fireChannelActive();
        pipeline.sent();
        receiveProperties();
    }

    private void receiveReverseCall(int xid) {
        pipeline.receiveCallOfVersion2(xid, GRANT);
    }

    /** 2 for calls, 16 for fragments, and a reserve of 1. */
    @Test
    @Requirement("V2-157")
    void reverseCallThatIsOneTooManyIsAnsweredAndTheOthersGoOn() {
        connectWithReverseResponder();
        for (int xid = 1; xid <= 19; xid++) {
            receiveReverseCall(xid);
            assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(xid));
        }
        pipeline.dropSends(); // refreshes

        receiveReverseCall(20);

        assertThat(pipeline.delivered()).isEqualTo("none");
        String error = pipeline.sent();
        assertThat(error.substring(0, 8)).isEqualTo(TestPipeline.words(20));
        assertThat(error.substring(24)).isEqualTo(TestPipeline.words(4, 1, 100));
        pipeline.channel.writeOutbound(pipeline.reply(7));
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(7, 2));
        assertThat(pipeline.channel.isOpen()).isTrue();
    }

    @Test
    void serverThatTakesNoneOfTheRepliesToItsCallsLosesTheConnection() {
        connectWithReverseResponder();
        pipeline.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void flush(ChannelHandlerContext ctx) {} // so that no Send completes
        });
        int most = 19 + ReverseCalls.MAX_UNSENT_REPLIES;
        for (int xid = 1; xid <= most; xid++) {
            receiveReverseCall(xid);
            assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(xid));
            pipeline.channel.write(pipeline.reply(xid));
        }

        assertThatThrownBy(() -> receiveReverseCall(most + 1)).hasFieldOrPropertyWithValue("reason", TOO_MANY_CALLS);

        assertThat(pipeline.channel.isOpen()).isFalse();
    }

    /** Without chunks and fragments, only a shorter reply would help. */
    @ParameterizedTest
    @CsvSource({"SIMPLE, false, 10", "CONT, false, 7", "CONT, true, 10"})
    @Requirement({"V2-075", "V2-148", "V2-149"})
    void reverseCallWithAChunkIsRefusedByWhatItsReplyCouldUse(ReverseLevel level, boolean forReply, int code) {
        connectWithReverseResponder(level);
        WriteChunk chunk = new WriteChunk(List.of(new PlainSegment(1, 4096, 0)));
        ChunkLists chunks = new ChunkLists(List.of(), forReply ? List.of() : List.of(chunk), forReply ? chunk : null);

        pipeline.receive(new Rdma2Message.Msg(7, GRANT, 0, 0, chunks), TestPipeline.callHex(7));

        assertThat(pipeline.sent().substring(24)).isEqualTo(TestPipeline.words(4, 1, code, 0));
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    private void receiveFragment(int xid, int flags, ChunkLists chunks, String payloadHex) {
        pipeline.receive(new Rdma2Message.Msg(xid, GRANT, Rdma2.RESPONSE | flags, 0, chunks), payloadHex);
    }

    @Test
    @Requirement("V2-110")
    void replyThatIsContinuedForTooLongFailsByTheOptionThatLimitsIt() {
        connectAgain(RpcRdmaConfig.builder().versions(1, 2).version2(v2 -> v2.maxContinuedBytes(32)));
        call();
        receiveProperties();
        pipeline.sent();

        receiveFragment(XID, Rdma2.MORE, ChunkLists.ABSENT, TestPipeline.replyHex(XID));
        receiveFragment(XID, Rdma2.MORE, ChunkLists.ABSENT, "00".repeat(16));

        assertThat(failure())
                .isInstanceOf(MessageTooLargeException.class)
                .hasMessageContaining(
                        "the reply has 40 bytes or more, RpcRdmaVersion2Settings.maxContinuedBytes is 32");
    }

    private void receiveFragmentWithAChunk(int xid) {
        int flags = Rdma2.RESPONSE | Rdma2.MORE;
        String replyChunk = TestPipeline.words(1, 1, 7, 64, 0, 0);
        pipeline.receive(
                TestPipeline.words(xid, 2, GRANT, Rdma2.MSG, flags, 0, 0, 0) + replyChunk + TestPipeline.replyHex(xid));
    }

    @Test
    @Requirement("V2-109")
    void callFailsWhenItsReplyBeginsWithAFragmentThatHasChunks() {
        call();
        receiveProperties();
        pipeline.sent();

        receiveFragmentWithAChunk(XID);
        receiveFragment(XID, 0, ChunkLists.ABSENT, "00000000");

        assertThat(pipeline.failures()).hasSize(1).hasOnlyElementsOfType(MalformedRpcMessageException.class);
        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(pipeline.sends()).isZero();
    }

    /** Both replies are lost: the one that is broken, and the one that breaks it (C15). */
    @Test
    @Requirement("V2-109")
    void callFailsWhenItsReplyBeginsWithAFragmentThatHasChunksWithinAnotherReply() {
        call();
        receiveProperties();
        pipeline.channel.writeAndFlush(pipeline.call(XID + 1));
        pipeline.dropSends();
        receiveFragment(XID, Rdma2.MORE, ChunkLists.ABSENT, TestPipeline.replyHex(XID));

        receiveFragmentWithAChunk(XID + 1);

        assertThat(pipeline.failures()).hasSize(2).hasOnlyElementsOfType(MalformedRpcMessageException.class);
        assertThat(pipeline.sends()).isZero();
    }

    /** Nobody waits for it: the rest of it is dropped. */
    @Test
    void fragmentsOfAReplyToNoCallAreNotKept() {
        call();
        receiveProperties();
        pipeline.sent();

        receiveFragment(99, Rdma2.MORE, ChunkLists.ABSENT, "00000063");
        receiveFragment(99, 0, ChunkLists.ABSENT, "00000001");
        receiveReply(XID);

        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(XID));
        assertThat(pipeline.failures()).isEmpty();
    }

    /** This side ends the connection, which says nothing of the versions of its peer. */
    @Test
    @Requirement("V2-027")
    void peerThatCallsTooOftenBeforeItAnswersTheOfferIsOfferedVersion2Again() {
        call();
        assertThat(failureOfConnection(() -> {
                    for (int xid = 0; xid <= 64; xid++) {
                        pipeline.receiveCallOfVersion2(xid, GRANT);
                    }
                }))
                .rootCause()
                .hasMessageContaining("too many calls");

        pipeline = connect();

        firstMessageIsAnOfferOfAtMost1024Octets();
    }
}
