/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.engine.ResponderEngine.Disposal;
import io.nettyrdma.rpc.engine.ResponderEngine.Reception;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.Decoded;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.PlainSegment;
import io.nettyrdma.rpc.wire.ReadSegment;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.Rejection.Reaction;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.WriteChunk;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ResponderEngineTest {

    private static final PlainSegment MEMORY = new PlainSegment(5, 5000, 1L << 40);
    private static final PlainSegment UNUSED = new PlainSegment(5, 0, 1L << 40);
    private static final ChunkLists OFFERS =
            new ChunkLists(List.of(), List.of(new WriteChunk(List.of(MEMORY))), new WriteChunk(List.of(MEMORY)));

    private final ResponderEngine engine = new ResponderEngine(3, 4);

    static Stream<Arguments> table() {
        ReadSegment argument = new ReadSegment(40, MEMORY);
        ChunkLists readList = new ChunkLists(List.of(argument), List.of(), null);
        ChunkLists longCall = new ChunkLists(List.of(new ReadSegment(0, MEMORY)), List.of(), null);
        return Stream.of(
                Arguments.of(call(1, ChunkLists.ABSENT), Reception.DELIVER),
                Arguments.of(call(1, OFFERS), Reception.DELIVER),
                Arguments.of(call(1, readList), Reception.SEND_ERR_CHUNK),
                Arguments.of(new RpcRdmaMessage.NoMsg(1, 1, 1, longCall), Reception.SEND_ERR_CHUNK),
                Arguments.of(new RpcRdmaMessage.ErrorMsg(1, 1, 1, null), Reception.DISCARD),
                Arguments.of(rejection(Reaction.DISCARD), Reception.DISCARD),
                Arguments.of(rejection(Reaction.ERR_CHUNK), Reception.SEND_ERR_CHUNK),
                Arguments.of(rejection(Reaction.ERR_VERS), Reception.SEND_ERR_VERS));
    }

    @ParameterizedTest
    @MethodSource("table")
    @Requirement({"V1-106", "V1-132", "V1-133"})
    void everyMessageHasItsReception(Decoded decoded, Reception expected) {
        assertThat(engine.received(decoded)).isEqualTo(expected);
        assertThat(engine.callsInProgress()).isEqualTo(expected == Reception.DELIVER ? 1 : 0);
    }

    @Test
    @Requirement("V1-001")
    void secondCallWithTheXidOfOneInProgressIsDiscarded() {
        engine.received(call(1, ChunkLists.ABSENT));

        assertThat(engine.received(call(1, ChunkLists.ABSENT))).isEqualTo(Reception.DISCARD);
        assertThat(engine.replied(1, 24)).isInstanceOf(Disposal.SendInline.class);
        assertThat(engine.replied(1, 24)).isInstanceOf(Disposal.Drop.class);
        assertThat(engine.received(call(1, ChunkLists.ABSENT))).isEqualTo(Reception.DELIVER);
    }

    @Test
    @Requirement("V1-001")
    void errorIsNotSentInPlaceOfTheReplyToACallInProgress() {
        engine.received(call(1, ChunkLists.ABSENT));
        ChunkLists longCall = new ChunkLists(List.of(new ReadSegment(0, MEMORY)), List.of(), null);

        assertThat(engine.received(new RpcRdmaMessage.NoMsg(1, 1, 1, longCall))).isEqualTo(Reception.DISCARD);
    }

    @Test
    @Requirement("V1-019")
    void replyWithoutACallIsNotSent() {
        assertThat(engine.replied(1, 24)).isInstanceOf(Disposal.Drop.class);
        assertThat(engine.abandoned(1)).isFalse();
    }

    @Test
    @Requirement({"V1-051", "V1-089", "V1-094", "V1-100"})
    void offeredChunksAreReturnedUnused() {
        engine.received(call(1, OFFERS));

        assertThat(engine.replied(1, 24))
                .isEqualTo(new Disposal.SendInline(new ChunkLists(
                        List.of(), List.of(new WriteChunk(List.of(UNUSED))), new WriteChunk(List.of(UNUSED)))));
    }

    @Test
    @Requirement({"V1-087", "V1-117", "BIS-013"})
    void replyUpToTheThresholdIsSentAndLongerOnesAreErrors() {
        engine.setThresholds(new InlineThresholds(4096, 2048));
        engine.received(call(1, ChunkLists.ABSENT));
        engine.received(call(2, ChunkLists.ABSENT));

        assertThat(engine.replied(1, 2048 - 28)).isInstanceOf(Disposal.SendInline.class);
        assertThat(engine.replied(2, 2048 - 24)).isEqualTo(new Disposal.SendErrChunk(2052, 2048));
        assertThat(engine.callsInProgress()).isZero();
    }

    @Test
    @Requirement("V1-087")
    void returnedChunksCountForTheThreshold() {
        engine.received(call(1, OFFERS));

        // 28 octets of header, 24 more for the write chunk, 20 for the reply chunk
        assertThat(engine.replied(1, 1024 - 72)).isInstanceOf(Disposal.SendInline.class);
        engine.received(call(1, OFFERS));
        assertThat(engine.replied(1, 1024 - 68)).isInstanceOf(Disposal.SendErrChunk.class);
    }

    @Test
    void readingStopsAtTheLimitAndResumesBelow() {
        for (int xid = 1; xid <= 3; xid++) {
            engine.received(call(xid, ChunkLists.ABSENT));
            assertThat(engine.mayRead()).isTrue();
        }
        engine.received(call(4, ChunkLists.ABSENT));
        assertThat(engine.mayRead()).isFalse();

        engine.abandoned(2);
        assertThat(engine.mayRead()).isTrue();
    }

    @Test
    @Requirement("V1-015")
    void grantDoesNotDependOnWhatIsInProgress() {
        for (int xid = 1; xid <= 4; xid++) {
            engine.received(call(xid, ChunkLists.ABSENT));
            assertThat(engine.credits()).isEqualTo(3);
        }
    }

    @Test
    @Requirement("V1-013")
    void grantIsNeverZero() {
        assertThatThrownBy(() -> new ResponderEngine(0, 4)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ResponderEngine(3, 2)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void connectionLossForgetsTheCalls() {
        engine.received(call(1, ChunkLists.ABSENT));

        engine.connectionLost();

        assertThat(engine.replied(1, 24)).isInstanceOf(Disposal.Drop.class);
    }

    private static RpcRdmaMessage call(int xid, ChunkLists chunks) {
        return new RpcRdmaMessage.Msg(xid, 1, 1, chunks);
    }

    private static Rejection rejection(Reaction reaction) {
        return new Rejection(reaction, 1, 1, "test", 0, 0, 0);
    }
}
