// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.engine.ResponderEngine.Disposal;
import io.nettyrdma.rpc.engine.ResponderEngine.Reception;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.Rejection.Reaction;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ResponderEngineTest {

    private static final PlainSegment MEMORY = new PlainSegment(5, 5000, 1L << 40);
    private static final PlainSegment UNUSED = new PlainSegment(5, 0, 1L << 40);
    private static final ChunkLists OFFERS =
            new ChunkLists(List.of(), List.of(new WriteChunk(List.of(MEMORY))), new WriteChunk(List.of(MEMORY)));

    private final ResponderEngine engine = new ResponderEngine(3, 4, 100_000);

    @BeforeEach
    void setParameters() {
        engine.setParameters(RpcRdmaEncoder.LISTS_OFFSET, 1024, 1024, 0, false);
    }

    static Stream<Arguments> table() {
        ReadSegment argument = new ReadSegment(40, MEMORY);
        ChunkLists readList = new ChunkLists(List.of(argument), List.of(), null);
        ChunkLists longCall = new ChunkLists(List.of(new ReadSegment(0, MEMORY)), List.of(), null);
        ChunkLists tooLong =
                new ChunkLists(List.of(new ReadSegment(0, new PlainSegment(5, 100_001, 0))), List.of(), null);
        return Stream.of(
                Arguments.of(call(1, ChunkLists.ABSENT), Reception.Deliver.class, null),
                Arguments.of(call(1, OFFERS), Reception.Deliver.class, null),
                Arguments.of(call(1, readList), Reception.Pull.class, null),
                Arguments.of(new RpcRdmaMessage.NoMsg(1, 1, 1, longCall), Reception.Pull.class, null),
                Arguments.of(new RpcRdmaMessage.NoMsg(1, 1, 1, tooLong), Reception.Reject.class, Reaction.ERR_CHUNK),
                Arguments.of(new RpcRdmaMessage.ErrorMsg(1, 1, 1, null), Reception.Discard.class, null));
    }

    @ParameterizedTest
    @MethodSource("table")
    @Requirement("V1-031")
    void everyMessageHasItsReception(RpcRdmaMessage message, Class<?> expected, Reaction reaction) {
        Reception reception = engine.received(message, 40, 0, OwedAnswer.NOT_COUNTED);

        assertThat(reception).isInstanceOf(expected);
        if (reception instanceof Reception.Reject reject) {
            assertThat(reject.rejection().reaction()).isEqualTo(reaction);
        }
        boolean taken = expected == Reception.Deliver.class || expected == Reception.Pull.class;
        assertThat(engine.callsInProgress()).isEqualTo(taken ? 1 : 0);
    }

    @Test
    void callIsNotRepliedToBeforeItIsPulled() {
        ChunkLists longCall = new ChunkLists(List.of(new ReadSegment(0, MEMORY)), List.of(), null);
        Reception.Pull pull = (Reception.Pull) received(new RpcRdmaMessage.NoMsg(1, 1, 1, longCall));

        assertThat(replied(1, 24)).isNull();
        assertThat(engine.call(1)).isNull();
        assertThat(engine.pulled(pull.call())).isTrue();
        assertThat(replied(1, 24)).isInstanceOf(ReplyPlan.class);
    }

    @Test
    void callThatIsPulledAfterTheEndIsNotWanted() {
        ChunkLists longCall = new ChunkLists(List.of(new ReadSegment(0, MEMORY)), List.of(), null);
        Reception.Pull pull = (Reception.Pull) received(new RpcRdmaMessage.NoMsg(1, 1, 1, longCall));
        engine.endAll();

        assertThat(engine.pulled(pull.call())).isFalse();
        assertThat(engine.ended(pull.call())).isFalse();
    }

    @Test
    @Requirement("V1-001")
    void secondCallWithTheXidOfOneInProgressIsDiscarded() {
        received(call(1, ChunkLists.ABSENT));

        assertThat(received(call(1, ChunkLists.ABSENT))).isInstanceOf(Reception.Discard.class);
        assertThat(replied(1, 24)).isInstanceOf(ReplyPlan.class);
        assertThat(replied(1, 24)).isNull();
        assertThat(received(call(1, ChunkLists.ABSENT))).isInstanceOf(Reception.Deliver.class);
    }

    @Test
    @Requirement("V1-001")
    void errorIsNotSentInPlaceOfTheReplyToACallInProgress() {
        received(call(1, ChunkLists.ABSENT));
        ChunkLists longCall = new ChunkLists(List.of(new ReadSegment(0, MEMORY)), List.of(), null);

        assertThat(received(new RpcRdmaMessage.NoMsg(1, 1, 1, longCall))).isInstanceOf(Reception.Discard.class);
    }

    @Test
    @Requirement("V1-019")
    void replyWithoutACallIsNotSent() {
        assertThat(replied(1, 24)).isNull();
        assertThat(engine.call(1)).isNull();
    }

    @Test
    @Requirement({"V1-051", "V1-089", "V1-094", "V1-100"})
    void offeredChunksAreReturnedUnused() {
        received(call(1, OFFERS));

        assertThat(replied(1, 24))
                .isEqualTo(new ReplyPlan(
                        false,
                        List.of(),
                        List.of(),
                        new ChunkLists(
                                List.of(), List.of(new WriteChunk(List.of(UNUSED))), new WriteChunk(List.of(UNUSED)))));
    }

    @Test
    @Requirement({"V1-087", "V1-117", "BIS-013"})
    void replyUpToTheThresholdIsSentAndLongerOnesAreErrors() {
        engine.setParameters(RpcRdmaEncoder.LISTS_OFFSET, 2048, 2048, 0, false);
        received(call(1, ChunkLists.ABSENT));
        received(call(2, ChunkLists.ABSENT));

        assertThat(replied(1, 2048 - 28)).isInstanceOf(ReplyPlan.class);
        assertThat(replied(2, 2048 - 24))
                .isEqualTo(new Disposal.SendErrChunk(2052, 2048, "inline threshold", new ReplyShortage(0, 2024)));
        assertThat(engine.callsInProgress()).isZero();
    }

    @Test
    @Requirement("V1-087")
    void returnedChunksCountForTheThreshold() {
        received(call(1, OFFERS));

        // 28 octets of header, 24 more for the write chunk, 20 for the reply chunk
        assertThat(((ReplyPlan) replied(1, 1024 - 72)).isLong()).isFalse();
        received(call(1, OFFERS));
        assertThat(((ReplyPlan) replied(1, 1024 - 68)).isLong()).isTrue();
    }

    @Test
    void readingStopsAtTheLimitAndResumesBelow() {
        for (int xid = 1; xid <= 3; xid++) {
            received(call(xid, ChunkLists.ABSENT));
            assertThat(engine.mayRead()).isTrue();
        }
        received(call(4, ChunkLists.ABSENT));
        assertThat(engine.mayRead()).isFalse();

        engine.ended(Objects.requireNonNull(engine.call(2)));
        assertThat(engine.mayRead()).isTrue();
    }

    @Test
    @Requirement("V1-015")
    void grantDoesNotDependOnWhatIsInProgress() {
        for (int xid = 1; xid <= 4; xid++) {
            received(call(xid, ChunkLists.ABSENT));
            assertThat(engine.credits()).isEqualTo(3);
        }
    }

    @Test
    @Requirement("V1-013")
    void grantIsNeverZero() {
        assertThatThrownBy(() -> new ResponderEngine(0, 4, 100)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ResponderEngine(3, 2, 100)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void connectionLossForgetsTheCalls() {
        received(call(1, ChunkLists.ABSENT));

        engine.endAll();

        assertThat(replied(1, 24)).isNull();
    }

    private Reception received(RpcRdmaMessage message) {
        return engine.received(message, 40, 0, OwedAnswer.NOT_COUNTED);
    }

    /** Replies to a call; {@code null} if it is not in progress. */
    private Disposal replied(int xid, int bytes) {
        ResponderCall call = engine.call(xid);
        if (call == null) {
            return null;
        }
        Disposal disposal = engine.plan(call, bytes, List.of());
        assertThat(engine.ended(call)).isTrue();
        return disposal;
    }

    private static RpcRdmaMessage call(int xid, ChunkLists chunks) {
        return new RpcRdmaMessage.Msg(xid, 1, 1, chunks);
    }
}
