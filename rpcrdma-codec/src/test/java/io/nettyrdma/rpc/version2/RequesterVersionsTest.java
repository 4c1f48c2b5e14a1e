// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

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
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.error.RemoteVersionException;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.error.TooManyCallsException;
import io.nettyrdma.rpc.error.VersionNegotiationException;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.message.RpcCallFailedEvent;
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
        TestPipeline connected = new TestPipeline(new RpcRdmaRequesterHandler(config));
        connected.channel.pipeline().fireChannelActive();
        return connected;
    }

    @AfterEach
    void end() {
        pipeline.close();
    }

    private void call() {
        offerXid = (int) Long.parseLong(pipeline.sent().substring(0, 8), 16);
        pipeline.channel.writeOneOutbound(pipeline.call(XID));
        pipeline.channel.flush();
        assertThat(pipeline.sends()).as("calls wait for the version").isZero();
    }

    private void receiveProperties() {
        pipeline.receive(new Rdma2Message.ConnProp(0, GRANT, 0, List.of(TransportProperty.receiveBytes(8192))), "");
    }

    /** What the call fails with when the connection ends. */
    private Throwable failureOfConnection(ThrowingCallable event) {
        assertThatThrownBy(event).as("exceptionCaught").isInstanceOf(RpcRdmaException.class);
        assertThat(pipeline.channel.isOpen()).isFalse();
        return failure();
    }

    private Throwable failure() {
        return pipeline.events.stream()
                .filter(RpcCallFailedEvent.class::isInstance)
                .map(event -> ((RpcCallFailedEvent) event).cause())
                .findFirst()
                .orElseThrow();
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
        pipeline.receive(
                new Rdma2Message.Msg(XID, GRANT, Rdma2.RESPONSE, 0, ChunkLists.ABSENT), TestPipeline.replyHex(XID));
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(XID));
    }

    /** As all versions have it, and as the draft has it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"V2-026", "V2-138"})
    void callGoesOutInVersion1WhereTheOfferIsRefused(boolean layoutOfDraft) {
        call();

        pipeline.receive(
                layoutOfDraft
                        ? TestPipeline.words(offerXid, 2, GRANT, 4, 1, 1, 1, 1)
                        : TestPipeline.words(offerXid, 2, 64, 4, 1, 1, 1));

        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 1, 128, 0));
        pipeline.receiveReply(XID, 64);
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(XID));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Requirement("V2-027")
    void callGoesOutInVersion1WhereTheOfferIsTakenForABrokenCall(int version) {
        call();

        pipeline.receive(TestPipeline.words(offerXid, version, 64, 4, 2));

        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 1, 128, 0));
        pipeline.receiveReply(XID, 64);
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(XID));
    }

    @Test
    void refusalOfAnotherMessageIsNone() {
        call();

        pipeline.receive(TestPipeline.words(offerXid + 1, 2, 64, 4, 1, 1, 1));
        assertThat(pipeline.sends()).isZero();
        receiveProperties();

        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 2));
    }

    @Test
    @Requirement("V2-138")
    void callFailsWhereThePeerSpeaksNeither() {
        call();

        assertThat(failureOfConnection(() -> pipeline.receive(TestPipeline.words(offerXid, 2, 64, 4, 1, 3, 4))))
                .isInstanceOf(ConnectionLostException.class)
                .hasCauseInstanceOf(RemoteVersionException.class);
    }

    @Test
    @Requirement("V2-027")
    void nextConnectionBeginsWithVersion1AfterSilence() {
        call();

        pipeline.channel.advanceTimeBy(SECONDS, TimeUnit.SECONDS);
        pipeline.channel.runScheduledPendingTasks();

        assertThat(failureOfConnection(pipeline.channel::checkException))
                .hasCauseInstanceOf(VersionNegotiationException.class);
        pipeline.close();
        pipeline = connect();
        pipeline.channel.writeOneOutbound(pipeline.call(XID));
        pipeline.channel.flush();
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 1, 128, 0));
    }

    @Test
    @Requirement("V2-027")
    void nextConnectionBeginsWithVersion1AfterThePeerHasHungUp() {
        pipeline.sent();
        pipeline.channel.pipeline().fireChannelInactive();
        pipeline.close();

        pipeline = connect();

        assertThat(pipeline.sends()).isZero();
    }

    @Test
    void nextConnectionOffersVersion2AgainAfterThisSideHasHungUp() {
        pipeline.sent();
        pipeline.channel.close();
        pipeline.close();

        pipeline = connect();

        assertThat(pipeline.sends()).isOne();
        pipeline.dropSends();
    }

    @Test
    void callTimesOutWhileItWaitsForTheVersion() {
        RpcRdmaConfig brief = RpcRdmaConfig.builder()
                .versions(1, 2)
                .callTimeout(Duration.ofSeconds(1))
                .build();
        pipeline.dropSends();
        pipeline.close();
        pipeline = new TestPipeline(new RpcRdmaRequesterHandler(brief));
        pipeline.channel.pipeline().fireChannelActive();
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
        ChannelFuture written = pipeline.channel.writeOneOutbound(pipeline.call(XID));
        pipeline.channel.flush();

        assertThat(written.cancel(false)).isTrue();
        receiveProperties();

        assertThat(pipeline.sends()).isZero();
        assertThat(pipeline.events).noneMatch(RpcCallFailedEvent.class::isInstance);
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

    /** Error codes that are unknown, have no argument, or lack one: as long as an ERR_VERS of all versions. */
    @ParameterizedTest
    @ValueSource(ints = {77, 9, 2, 1, 0})
    @Requirement({"V2-136", "V2-170"})
    void errorThatCannotBeDecodedLeavesTheCallsOfAnOpenConnectionAlone(int code) {
        call();
        receiveProperties();
        pipeline.sent();

        pipeline.receive(TestPipeline.words(XID, 2, GRANT, 4, 1, code, 80));
        pipeline.receive(TestPipeline.words(XID, 2, GRANT, 4, 1, code, 1));
        pipeline.receive(
                new Rdma2Message.Msg(XID, GRANT, Rdma2.RESPONSE, 0, ChunkLists.ABSENT), TestPipeline.replyHex(XID));

        assertThat(pipeline.channel.isOpen()).isTrue();
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(XID));
        assertThat(pipeline.events).noneMatch(RpcCallFailedEvent.class::isInstance);
    }

    /** Of versions in which this side has sent nothing. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    @Requirement("V2-030")
    void refusalOfAnotherVersionLeavesTheCallsOfAnOpenConnectionAlone(int version) {
        call();
        receiveProperties();
        pipeline.sent();

        pipeline.receive(TestPipeline.words(XID, version, 64, 4, 1, 2, 2));
        pipeline.receive(
                new Rdma2Message.Msg(XID, GRANT, Rdma2.RESPONSE, 0, ChunkLists.ABSENT), TestPipeline.replyHex(XID));

        assertThat(pipeline.channel.isOpen()).isTrue();
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(XID));
    }

    /** It names versions 9 to 1, so it is no ERR_VERS, and it is too short for a WRITE_RESOURCE. */
    @Test
    @Requirement("V2-136")
    void errorWhoseLowestVersionIsAboveTheHighestIsNoAnswerToTheOffer() {
        call();

        pipeline.receive(TestPipeline.words(offerXid, 2, GRANT, 4, 1, 9, 1));
        receiveProperties();

        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 2)).endsWith(TestPipeline.callHex(XID));
    }

    @Test
    void errorAboutTheOfferEndsTheConnection() {
        call();

        assertThat(failureOfConnection(
                        () -> pipeline.receive(Rdma2Message.ErrorMsg.of(offerXid, GRANT, Rdma2Error.BAD_PROPVAL), "")))
                .hasCauseInstanceOf(VersionNegotiationException.class);
    }

    @Test
    void callOfAHandlerThatWasAddedToAnActiveChannelIsSent() {
        call();
        pipeline.receive(TestPipeline.words(offerXid, 2, 64, 4, 1, 1, 1));
        pipeline.dropSends();
        pipeline.close();
        pipeline = new TestPipeline(new RpcRdmaRequesterHandler(config)); // the peer is remembered

        pipeline.channel.writeOneOutbound(pipeline.call(XID));
        pipeline.channel.flush();

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
        pipeline.channel.writeOneOutbound(pipeline.message(XID, 0, longest - 36));
        pipeline.channel.flush();
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 2)).hasSize(2 * longest);

        pipeline.channel.writeOneOutbound(pipeline.message(XID + 1, 0, longest - 32));
        pipeline.channel.flush();
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
        pipeline.channel.pipeline().fireChannelActive();
        pipeline.dropSends();
        pipeline.receive(new Rdma2Message.ConnProp(0, GRANT, 0, List.of()), "");

        pipeline.channel.writeOneOutbound(pipeline.message(XID, 0, 5000));
        pipeline.channel.flush();

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

        pipeline.channel.writeOneOutbound(pipeline.message(XID + 1, 0, 996));
        pipeline.channel.flush();
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
        pipeline.receive(new Rdma2Message.ConnProp(0, Rdma2.credits(64, 2), 0, List.of()), "");
        for (int xid = XID; xid < XID + 3; xid++) {
            pipeline.channel.writeOneOutbound(pipeline.call(xid));
        }
        pipeline.channel.flush();
        assertThat(pipeline.sends()).isEqualTo(2);
        pipeline.dropSends();

        pipeline.pass(60, TimeUnit.SECONDS);

        assertThat(pipeline.channel.isOpen()).isFalse();
        assertThat(pipeline.events.stream().filter(RpcCallFailedEvent.class::isInstance))
                .hasSize(3);
    }

    /** The peer takes Sends of 1024 octets, and has one credit for a call of 8 KiB. */
    private void stallACall() {
        pipeline.sent();
        pipeline.receive(
                new Rdma2Message.ConnProp(0, Rdma2.credits(64, 1), 0, List.of(TransportProperty.receiveBytes(1024))),
                "");
        pipeline.channel.writeOneOutbound(pipeline.message(XID, 0, 8192));
        pipeline.channel.flush();
        assertThat(pipeline.sends()).as("fragments").isOne();
        pipeline.dropSends();
    }

    private void callBehind(int xid) {
        pipeline.channel.writeOneOutbound(pipeline.call(xid));
        pipeline.channel.flush();
        assertThat(pipeline.sends()).isZero();
    }

    private List<Throwable> failures() {
        return pipeline.events.stream()
                .filter(RpcCallFailedEvent.class::isInstance)
                .map(event -> ((RpcCallFailedEvent) event).cause())
                .toList();
    }

    @Test
    @Requirement("V2-111")
    void callThatTimesOutBetweenItsFragmentsFailsAlone() {
        stallACall();
        pipeline.pass(30, TimeUnit.SECONDS);
        callBehind(XID + 1);

        pipeline.pass(30, TimeUnit.SECONDS);

        assertThat(failures()).hasSize(1).hasOnlyElementsOfType(CallTimeoutException.class);
        assertThat(pipeline.channel.isOpen()).isTrue();
        pipeline.receive(new Rdma2Message.CreditGrant(GRANT), "");
        for (int fragment = 2; fragment <= 9; fragment++) {
            assertThat(pipeline.sent()).as("fragment %d", fragment).startsWith(TestPipeline.words(XID, 2));
        }
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID + 1, 2));
        pipeline.receive(
                new Rdma2Message.Msg(XID + 1, GRANT, Rdma2.RESPONSE, 0, ChunkLists.ABSENT),
                TestPipeline.replyHex(XID + 1));
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
        assertThat(failures()).hasSize(2);
        assertThat(pipeline.channel.isOpen())
                .as("one call has waited since the first one was given up")
                .isTrue();
        callBehind(XID + 3);

        pipeline.pass(30, TimeUnit.SECONDS);

        assertThat(pipeline.channel.isOpen()).isFalse();
        assertThat(failures()).hasSize(4);
        assertThat(failures().get(3))
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

        assertThat(failures()).hasSize(2).hasOnlyElementsOfType(CallTimeoutException.class);
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
        pipeline.receive(new Rdma2Message.Msg(xid, GRANT, 0, 0, ChunkLists.ABSENT), TestPipeline.callHex(xid));
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

        assertThatThrownBy(() -> receiveReverseCall(most + 1)).isInstanceOf(TooManyCallsException.class);

        assertThat(pipeline.channel.isOpen()).isFalse();
    }

    @Test
    @Requirement("V2-075")
    void reverseCallWithAChunkIsAnsweredWhereNoneWereAnnounced() {
        connectWithReverseResponder();
        ChunkLists chunks = new ChunkLists(List.of(), List.of(), new WriteChunk(List.of(new PlainSegment(1, 4096, 0))));

        pipeline.receive(new Rdma2Message.Msg(7, GRANT, 0, 0, chunks), TestPipeline.callHex(7));

        assertThat(pipeline.sent().substring(24)).isEqualTo(TestPipeline.words(4, 1, 10, 0));
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    /** Without chunks and fragments, only a shorter reply would help. */
    @ParameterizedTest
    @CsvSource({"SIMPLE, 10", "CONT, 7"})
    @Requirement({"V2-075", "V2-148", "V2-149"})
    void reverseCallWithAWriteChunkIsRefusedByWhatItsReplyCouldUse(ReverseLevel level, int code) {
        connectWithReverseResponder(level);
        WriteChunk chunk = new WriteChunk(List.of(new PlainSegment(1, 4096, 0)));

        pipeline.receive(
                new Rdma2Message.Msg(7, GRANT, 0, 0, new ChunkLists(List.of(), List.of(chunk), null)),
                TestPipeline.callHex(7));

        assertThat(pipeline.sent().substring(24)).isEqualTo(TestPipeline.words(4, 1, code, 0));
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    /** Their shape comes before their sequence (C48), and is looked at where they are whole. */
    @ParameterizedTest
    @CsvSource({"0, 00000001, 2", "0, 00000001_00000001_00000008_00000000_00000000, 3", "2, 00000001, 4"})
    @Requirement("V2-115")
    void malformedPropertiesThatComeTooLateAreAnsweredForTheirShape(int flags, String set, int error) {
        receiveProperties();
        pipeline.dropSends();

        pipeline.receive(TestPipeline.words(9, 2, GRANT, Rdma2.CONNPROP, flags) + set.replace("_", ""));

        assertThat(pipeline.sent())
                .startsWith(TestPipeline.words(9, 2))
                .endsWith(TestPipeline.words(4, Rdma2.RESPONSE, error));
        assertThat(pipeline.channel.isOpen()).isTrue();
    }

    private void receiveFragment(int xid, int flags, ChunkLists chunks, String payloadHex) {
        pipeline.receive(new Rdma2Message.Msg(xid, GRANT, Rdma2.RESPONSE | flags, 0, chunks), payloadHex);
    }

    @Test
    @Requirement("V2-110")
    void replyThatIsContinuedForTooLongFailsByTheOptionThatLimitsIt() {
        pipeline.dropSends();
        pipeline.close();
        pipeline = new TestPipeline(new RpcRdmaRequesterHandler(RpcRdmaConfig.builder()
                .versions(1, 2)
                .version2(v2 -> v2.maxContinuedBytes(32))
                .build()));
        pipeline.channel.pipeline().fireChannelActive();
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

        assertThat(failures()).hasSize(1).hasOnlyElementsOfType(MalformedRpcMessageException.class);
        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(pipeline.sends()).isZero();
    }

    /** Both replies are lost: the one that is broken, and the one that breaks it (C15). */
    @Test
    @Requirement("V2-109")
    void callFailsWhenItsReplyBeginsWithAFragmentThatHasChunksWithinAnotherReply() {
        call();
        receiveProperties();
        pipeline.channel.writeOneOutbound(pipeline.call(XID + 1));
        pipeline.channel.flush();
        pipeline.dropSends();
        receiveFragment(XID, Rdma2.MORE, ChunkLists.ABSENT, TestPipeline.replyHex(XID));

        receiveFragmentWithAChunk(XID + 1);

        assertThat(failures()).hasSize(2).hasOnlyElementsOfType(MalformedRpcMessageException.class);
        assertThat(pipeline.sends()).isZero();
    }

    /** Nobody waits for it: the rest of it is dropped. */
    @Test
    void fragmentsOfAReplyToNoCallAreNotKept() {
        call();
        receiveProperties();
        pipeline.sent();

        pipeline.receive(
                new Rdma2Message.Msg(99, GRANT, Rdma2.RESPONSE | Rdma2.MORE, 0, ChunkLists.ABSENT), "00000063");
        pipeline.receive(new Rdma2Message.Msg(99, GRANT, Rdma2.RESPONSE, 0, ChunkLists.ABSENT), "00000001");
        pipeline.receive(
                new Rdma2Message.Msg(XID, GRANT, Rdma2.RESPONSE, 0, ChunkLists.ABSENT), TestPipeline.replyHex(XID));

        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(XID));
        assertThat(pipeline.events).noneMatch(RpcCallFailedEvent.class::isInstance);
    }

    /** This side ends the connection, which says nothing of the versions of its peer. */
    @Test
    @Requirement("V2-027")
    void peerThatCallsTooOftenBeforeItAnswersTheOfferIsOfferedVersion2Again() {
        call();
        assertThat(failureOfConnection(() -> {
                    for (int xid = 0; xid <= 64; xid++) {
                        pipeline.receive(
                                new Rdma2Message.Msg(xid, GRANT, 0, 0, ChunkLists.ABSENT), TestPipeline.callHex(xid));
                    }
                }))
                .rootCause()
                .hasMessageContaining("too many calls");

        pipeline = connect();

        firstMessageIsAnOfferOfAtMost1024Octets();
    }
}
