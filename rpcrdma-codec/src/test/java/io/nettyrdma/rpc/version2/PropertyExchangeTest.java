// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.version2.PropertyExchange.Decision;
import io.nettyrdma.rpc.version2.PropertyExchange.Phase;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PropertyExchangeTest {

    private static final int CONNPROP = 5;
    private static final int MSG = 0;

    private final InboundSequence sequence = new InboundSequence();
    private final PropertyExchange exchange =
            new PropertyExchange(new TestWire(), new Rdma2Decoder(Rdma2Limits.NO_CHUNKS, Direction.CALL), sequence);

    private Decision receive(boolean more, int bytes) {
        return exchange.receive(1, CONNPROP, more, bytes);
    }

    @ParameterizedTest
    @CsvSource({
        "NONE, APPLIED_MORE, MORE",
        "NONE, APPLIED, FINAL",
        "NONE, PRESUMED, FINAL",
        "NONE, REJECTED, NONE",
        "MORE, APPLIED_MORE, MORE",
        "MORE, APPLIED, FINAL",
        "MORE, PRESUMED, FINAL",
        "MORE, REJECTED, MORE"
    })
    @Requirement("V2-113")
    void peerIsFinalWithTheFirstSetThatNoOtherFollows(Phase before, String event, Phase after) {
        if (before == Phase.MORE) {
            assertThat(receive(false, 12)).isEqualTo(Decision.COMPLETE);
            exchange.onApplied(true);
        }
        assertThat(exchange.phase()).isEqualTo(before);

        assertThat(receive(false, 12)).isEqualTo(Decision.COMPLETE);
        switch (event) {
            case "APPLIED_MORE" -> exchange.onApplied(true);
            case "APPLIED" -> exchange.onApplied(false);
            case "PRESUMED" -> exchange.onPresumed();
            default -> {} // rejected: nothing is applied, nor is what it says of others
        }

        assertThat(exchange.phase()).isEqualTo(after);
    }

    @Test
    @Requirement("V2-115")
    void nothingIsTakenAfterTheFinalSet() {
        exchange.onApplied(false);

        assertThat(receive(false, 12)).isEqualTo(Decision.AFTER_FINAL);
        assertThat(receive(true, 12)).isEqualTo(Decision.AFTER_FINAL);
        assertThat(sequence.isJoining()).isFalse();
        assertThat(receive(false, 12)).as("the rest of what was answered").isEqualTo(Decision.DROP);
    }

    /** Their shape comes before their sequence (C48), and is looked at where they are whole. */
    @ParameterizedTest(name = "of a responder: {0}, flags {1}, {2}")
    @CsvSource({
        "true, 0, 00000001, 2",
        "true, 0, 00000001_00000001_00000008_00000000_00000000, 3",
        "true, 2, 00000001, 4",
        "false, 0, 00000001, 2",
        "false, 0, 00000001_00000001_00000008_00000000_00000000, 3",
        "false, 2, 00000001, 4"
    })
    @Requirement("V2-115")
    void malformedPropertiesThatComeTooLateAreAnsweredForTheirShape(
            boolean ofResponder, int flags, String set, int error) {
        RpcRdmaConfig config = RpcRdmaConfig.builder().versions(1, 2).build();
        int grant = Rdma2.credits(64, 32);
        try (TestPipeline pipeline = new TestPipeline(
                ofResponder ? new RpcRdmaResponderHandler(config) : new RpcRdmaRequesterHandler(config))) {
            pipeline.openVersion2(ofResponder ? 7 : 0, grant);

            pipeline.receive(TestPipeline.words(9, 2, grant, CONNPROP, flags) + set.replace("_", ""));

            assertThat(pipeline.sent())
                    .startsWith(TestPipeline.words(9, 2))
                    .endsWith(TestPipeline.words(4, Rdma2.RESPONSE, error));
            assertThat(pipeline.channel.isOpen()).isTrue();
        }
    }

    @Test
    @Requirement("V2-115")
    void propertiesTooLateBreakWhatIsUnderWay() {
        exchange.onApplied(false);
        int msg = CONNPROP + 1;
        sequence.receive(5, msg, false, true, 12, 100);

        assertThat(receive(false, 12)).isEqualTo(Decision.AFTER_FINAL_BROKEN);
        assertThat(sequence.lostXid()).isEqualTo(5);
        assertThat(sequence.isJoining()).isFalse();
    }

    @Test
    @Requirement("V2-176")
    void continuedSetIsCompleteWithItsLastFragment() {
        assertThat(receive(true, 3000)).isEqualTo(Decision.KEEP);
        assertThat(receive(true, 3000)).isEqualTo(Decision.KEEP);
        assertThat(receive(false, 8)).isEqualTo(Decision.COMPLETE);
        assertThat(sequence.lengthBytes()).isEqualTo(6008);
    }

    @Test
    @Requirement("V2-176")
    void continuedSetIsBrokenByAnyOtherMessage() {
        receive(true, 3000);

        assertThat(exchange.receive(2, CONNPROP, false, 8)).isEqualTo(Decision.BROKEN);
        assertThat(sequence.lostXid()).isOne();
        assertThat(receive(true, 8)).isEqualTo(Decision.DROP);
        assertThat(receive(false, 8)).isEqualTo(Decision.DROP);

        receive(true, 3000);
        assertThat(sequence.receive(1, MSG, false, false, 40, 1000)).isEqualTo(InboundSequence.Decision.BROKEN);
    }

    @Test
    void messagesAreBounded() {
        for (int i = 0; i < PropertyExchange.MAX_MESSAGES; i++) {
            assertThat(receive(false, 4)).isEqualTo(Decision.COMPLETE);
            exchange.onApplied(true);
        }
        assertThat(receive(false, 4)).isEqualTo(Decision.TOO_MUCH);
    }

    @Test
    void octetsOfAllSetsAreBounded() {
        assertThat(receive(false, PropertyExchange.MAX_BYTES - 4)).isEqualTo(Decision.COMPLETE);
        assertThat(receive(true, 4)).isEqualTo(Decision.KEEP);
        assertThat(receive(false, 1)).isEqualTo(Decision.TOO_MUCH);
    }
}
