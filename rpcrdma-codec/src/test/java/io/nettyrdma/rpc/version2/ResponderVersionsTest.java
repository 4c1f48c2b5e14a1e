// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.NOT_NEGOTIATED;
import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.TOO_MANY_PROPERTIES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.kit.PeerMemory;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A responder that may speak both versions, and what its peer may begin with. */
class ResponderVersionsTest {

    private static final int XID = 0x0a0b_0c0d;
    private static final int GRANT = Rdma2.credits(64, 32);
    private static final int SECONDS = 3;
    private static final int MOST_SETS = 16;

    private final RpcRdmaResponderHandler handler = new RpcRdmaResponderHandler(
            TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Duration.ofSeconds(SECONDS))
                    .versions(1, 2)
                    .build());
    private TestPipeline pipeline = new TestPipeline(handler);

    ResponderVersionsTest() {
        pipeline.channel.pipeline().fireChannelActive();
    }

    private void connectAgain(RpcRdmaConfig.Builder config) {
        connectAgain(config, new PeerMemory());
    }

    private void connectAgain(RpcRdmaConfig.Builder config, PeerMemory memory) {
        pipeline.close();
        pipeline = new TestPipeline(
                new RpcRdmaResponderHandler(config.versions(2, 2).build()), memory);
        pipeline.channel.pipeline().fireChannelActive();
    }

    @AfterEach
    void end() {
        pipeline.close();
    }

    private void receiveProperties(int flags) {
        pipeline.receive(new Rdma2Message.ConnProp(7, GRANT, flags, List.of(TransportProperty.sendBytes(8192))), "");
    }

    private void receiveCall(int xid) {
        pipeline.receiveCallOfVersion2(xid, GRANT);
    }

    @Test
    @Requirement({"V2-029", "V2-030"})
    void firstMessageOfVersion1FixesIt() {
        pipeline.receiveCall(XID);
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(XID));

        receiveProperties(0);

        assertThat(pipeline.sent()).isEqualTo(TestPipeline.words(7, 2, 64, 4, 1, 1, 1));
    }

    @Test
    @Requirement({"V2-025", "V2-137", "V2-171"})
    void otherVersionsAreRefusedWithTheRangeAndFixNothing() {
        pipeline.receive(TestPipeline.words(XID, 3, 9, 0, 0, 0, 0));
        assertThat(pipeline.sent()).isEqualTo(TestPipeline.words(XID, 3, 64, 4, 1, 1, 2));

        pipeline.receiveCall(XID);

        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(XID));
    }

    @Test
    @Requirement({"V2-024", "V2-029", "V2-055", "V2-116", "V2-128"})
    void offerIsAnsweredByPropertiesAndCallsByReplies() {
        receiveProperties(0);
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(0, 2)).contains("0000000500000000");
        receiveCall(XID);
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(XID));

        pipeline.channel.writeOutbound(pipeline.reply(XID));

        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 2)).endsWith(TestPipeline.replyHex(XID));
    }

    @Test
    @Requirement("V2-116")
    void callThatComesBeforeTheLastPropertiesWaitsForThem() {
        receiveProperties(Rdma2.TPMORE);
        receiveCall(XID);
        assertThat(pipeline.delivered()).isEqualTo("none");

        receiveProperties(0);

        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(XID));
        pipeline.dropSends();
    }

    @Test
    void callAsFirstMessageMeansDefaultsAndThenPropertiesComeTooLate() {
        receiveCall(XID);
        assertThat(pipeline.sent()).as("own properties").startsWith(TestPipeline.words(0, 2));
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(XID));

        receiveProperties(0);

        assertThat(pipeline.sent())
                .as("INVAL_HTYPE")
                .startsWith(TestPipeline.words(7, 2))
                .endsWith("00000004");
    }

    @Test
    void propertiesWithoutEndEndTheConnection() {
        for (int i = 0; i < MOST_SETS; i++) {
            receiveProperties(Rdma2.TPMORE);
        }

        assertThatThrownBy(() -> receiveProperties(Rdma2.TPMORE))
                .hasFieldOrPropertyWithValue("reason", TOO_MANY_PROPERTIES);
        assertThat(pipeline.channel.isOpen()).isFalse();
        pipeline.dropSends();
    }

    @Test
    void propertiesThatDoNotComeToAnEndInTimeEndTheConnection() {
        receiveProperties(Rdma2.TPMORE);
        receiveCall(XID);

        pipeline.channel.advanceTimeBy(SECONDS, TimeUnit.SECONDS);
        pipeline.channel.runScheduledPendingTasks();

        assertThatThrownBy(pipeline.channel::checkException).hasFieldOrPropertyWithValue("reason", NOT_NEGOTIATED);
        assertThat(pipeline.channel.isOpen()).isFalse();
        assertThat(pipeline.delivered()).isEqualTo("none");
        pipeline.dropSends();
    }

    private void receiveFragment(int xid, String payload) {
        pipeline.receive(new Rdma2Message.Msg(xid, GRANT, Rdma2.MORE, 0, ChunkLists.ABSENT), payload);
    }

    /** The next message is an error with this code, and grants one credit. */
    private void checkErrorGrantsOne(int xid, int code) {
        String error = pipeline.sent();
        assertThat(error).startsWith(TestPipeline.words(xid, 2)).endsWith(TestPipeline.words(4, 1, code));
        assertThat(error.substring(20, 24)).as("granted").isEqualTo("0001");
    }

    /** The properties of this side, which answer first ones of the peer, must not give back their credit. */
    @ParameterizedTest(name = "within properties: {0}, a call: {1}")
    @CsvSource({"false, true, 5", "false, false, 4", "true, true, 5", "true, false, 5"})
    @Requirement({"V2-015", "V2-104", "V2-105"})
    void messageInsideAnotherIsRefusedWithItByErrorsThatGrantOneCreditEach(
            boolean withinProperties, boolean call, int error) {
        if (withinProperties) {
            pipeline.receive(TestPipeline.words(XID, 2, GRANT, 5, Rdma2.MORE, 1, 2));
            assertThat(pipeline.sent()).as("own properties").startsWith(TestPipeline.words(0, 2));
        } else {
            receiveProperties(0);
            pipeline.dropSends();
            receiveFragment(XID, TestPipeline.callHex(XID).substring(0, 32));
        }

        if (call) {
            receiveCall(7);
        } else {
            receiveProperties(0);
        }

        checkErrorGrantsOne(XID, 5);
        checkErrorGrantsOne(7, error);
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    /** The properties of this side, which answer the first message, must not give back its credit. */
    @Test
    @Requirement("V2-015")
    void errorAboutAFirstFragmentGrantsACreditBehindTheProperties() {
        receiveFragment(XID, TestPipeline.callHex(XID + 1).substring(0, 32));

        assertThat(pipeline.sent()).as("own properties").startsWith(TestPipeline.words(0, 2));
        checkErrorGrantsOne(XID, 2);
    }

    /** Every message that is no fragment grants something. */
    @Test
    @Requirement("V2-015")
    void grantOfAnErrorIsLeftOverFromThePropertiesBeforeIt() {
        pipeline.receive(TestPipeline.words(7, 2, GRANT, 5, 0, 1, 2, 3, 4096));

        pipeline.sent();
        String error = pipeline.sent();
        assertThat(error).startsWith(TestPipeline.words(7, 2)).endsWith("00000003");
        assertThat(error.substring(20, 24)).isEqualTo("0001");
    }

    /** The only credit there is belongs to the call (C44). */
    @Test
    @Requirement("V2-015")
    void answerToAFirstMessageGivesTheOnlyCreditBack() {
        for (boolean whole : new boolean[] {true, false}) {
            connectAgain(RpcRdmaConfig.builder().creditsGranted(1));
            if (whole) {
                receiveCall(XID);
            } else {
                receiveFragment(XID, TestPipeline.callHex(XID + 1).substring(0, 32));
            }

            assertThat(pipeline.sent().substring(16, 32)).as("own properties").isEqualTo("0002000000000005");
            if (whole) {
                assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(XID));
                pipeline.channel.writeOutbound(pipeline.reply(XID));
                assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 2, 0x0002_0001));
            } else {
                checkErrorGrantsOne(XID, 2);
            }
        }
    }

    /** The rest of the set needs it (C44). */
    @Test
    @Requirement({"V2-018", "V2-112"})
    void refreshGivesTheOnlyCreditBackToAFirstPartOfProperties() {
        connectAgain(RpcRdmaConfig.builder().creditsGranted(1));

        pipeline.receive(TestPipeline.words(7, 2, GRANT, 5, Rdma2.MORE, 1, 2));

        assertThat(pipeline.sent().substring(16, 32)).as("own properties").isEqualTo("0002000000000005");
        assertThat(pipeline.sent().substring(8, 32)).as("refresh").isEqualTo("000000020002000100000001");
    }

    /** What is begun has the XID of the message that ends it, so one answer is enough. */
    @Test
    @Requirement("V2-115")
    void propertiesInsideACallOfTheSameXidEndIt() {
        receiveProperties(0);
        pipeline.dropSends();
        pipeline.receive(
                new Rdma2Message.Msg(7, GRANT, Rdma2.MORE, 0, ChunkLists.ABSENT),
                TestPipeline.callHex(7).substring(0, 32));

        receiveProperties(0);
        receiveCall(XID);

        assertThat(pipeline.sent())
                .as("INVAL_HTYPE")
                .startsWith(TestPipeline.words(7, 2))
                .endsWith("00000004");
        assertThat(pipeline.sends()).isZero();
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(XID));
        pipeline.receive(new Rdma2Message.Msg(XID + 1, GRANT, 0, 0, ChunkLists.ABSENT), TestPipeline.callHex(XID));
        assertThat(pipeline.sent())
                .as("BAD_XDR")
                .startsWith(TestPipeline.words(XID + 1, 2))
                .endsWith("00000002");
    }

    /** The peer may begin the set again, when what is left of the broken one has come. */
    @Test
    @Requirement("V2-176")
    void setThatACallHasBrokenCountsForNothing() {
        pipeline.receive(TestPipeline.words(7, 2, GRANT, 5, Rdma2.MORE, 1, 2));
        pipeline.dropSends();

        receiveCall(XID);
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(7, 2)).endsWith("00000005");
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 2)).endsWith("00000005");
        pipeline.receive(TestPipeline.words(7, 2, GRANT, 5, 0, 4, 8192));
        receiveProperties(0);
        receiveCall(XID + 1);

        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(XID + 1));
    }

    /** A responder offers no version, so no error that it receives is an ERR_VERS of all versions. */
    @Test
    @Requirement({"V2-136", "V2-170"})
    void errorThatCannotBeDecodedLeavesTheExchangeOfPropertiesAlone() {
        receiveProperties(Rdma2.TPMORE);

        pipeline.receive(TestPipeline.words(7, 2, GRANT, 4, 1, 77, 80));
        receiveProperties(0);
        receiveCall(XID);

        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(XID));
        assertThat(pipeline.channel.isOpen()).isTrue();
        pipeline.dropSends();
    }

    /** Octets of any length that make no sense in version 2 fix nothing, and nobody is told of credits. */
    @Test
    @Requirement("V2-024")
    void nothingIsSentToAPeerWhoseVersionIsUnknown() {
        assertThat(pipeline.sends()).as("before the first message").isZero();
        pipeline.receive("00000001");
        pipeline.receive(Rdma2Message.ErrorMsg.of(XID, GRANT, Rdma2Error.SYSTEM), "");

        assertThat(pipeline.sends()).isZero();
    }

    /** What fits one Send is not continued: 4096 octets, or what the peer takes. */
    @ParameterizedTest
    @CsvSource({"0, 8192, 10", "4060, 8192, 10", "4061, 8192, 7", "2012, 2048, 10", "2013, 2048, 7"})
    @Requirement({"V2-148", "V2-149"})
    void writeChunkWhereNoneIsTakenNeedsAReplyChunkUnlessRepliesAreContinued(
            int maxContinuedBytes, int peerReceives, int code) {
        connectAgain(TestLimits.maxWriteChunks(RpcRdmaConfig.builder(), 0)
                .inlineSendBytes(4096)
                .version2(v2 -> v2.maxContinuedBytes(maxContinuedBytes)));
        pipeline.receiveProperties(7, GRANT, TransportProperty.receiveBytes(peerReceives));
        pipeline.dropSends();
        WriteChunk chunk = new WriteChunk(List.of(new PlainSegment(9, 10_000, 0)));

        pipeline.receive(
                new Rdma2Message.Msg(XID, GRANT, 0, 0, new ChunkLists(List.of(), List.of(chunk), null)),
                TestPipeline.callHex(XID));

        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 2)).endsWith(TestPipeline.words(4, 1, code, 0));
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    @Test
    @Requirement({"V2-018", "V2-112", "V2-124"})
    void refreshGoesAtTheEndOfABatchThatLeavesThePeerNoCredit() {
        connectAgain(RpcRdmaConfig.builder().creditsGranted(4));
        receiveCall(XID);
        pipeline.delivered();
        pipeline.channel.writeAndFlush(pipeline.reply(XID)); // in no batch
        pipeline.dropSends();

        String call = TestPipeline.callHex(XID + 1);
        for (int i = 0; i < 4; i++) {
            ByteBuf fragment = pipeline.alloc.directBuffer();
            Rdma2Encoder.encodeMsg(XID + 1, 0x0090_0000, Rdma2.MORE, 0, ChunkLists.ABSENT, fragment);
            fragment.writeBytes(ByteBufUtil.decodeHexDump(call.substring(8 * i, 8 * i + 8)));
            pipeline.channel.pipeline().fireChannelRead(fragment);
        }
        pipeline.channel.pipeline().fireChannelReadComplete();

        assertThat(pipeline.sent())
                .as("refresh")
                .startsWith(TestPipeline.words(0, 2))
                .endsWith("00000001" + "00".repeat(20));
    }

    /** What was framed in version 2 is no buffer, and is let go of all the same. */
    @Test
    @Requirement({"V2-065", "V2-180"})
    void repliesWhoseWritesWaitWhenTheConnectionEndsAreReleased() {
        PeerMemory memory = new PeerMemory().holdingWrites();
        connectAgain(TestLimits.maxPushingWrites(RpcRdmaConfig.builder(), 1), memory);
        receiveProperties(0);
        pipeline.dropSends();
        WriteChunk room = new WriteChunk(List.of(new PlainSegment(9, 10_000, 0)));
        for (int xid = XID; xid < XID + 2; xid++) {
            pipeline.receive(
                    new Rdma2Message.Msg(xid, GRANT, 0, 0, new ChunkLists(List.of(), List.of(), room)),
                    TestPipeline.callHex(xid));
            pipeline.delivered();
            pipeline.channel.writeAndFlush(pipeline.reply(xid).writeZero(8000));
        }
        assertThat(pipeline.sends()).isZero();

        pipeline.channel.close();
        while (memory.writesWaiting() > 0) {
            memory.completeWrite();
        }
    }
}
