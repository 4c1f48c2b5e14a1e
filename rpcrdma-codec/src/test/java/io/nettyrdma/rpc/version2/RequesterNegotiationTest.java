// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.version2.RequesterNegotiation.State;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each event in each state; 1..2 where nothing else is said. */
class RequesterNegotiationTest {

    private static final int XID = 7;
    private static final NegotiationStep NOTHING = NegotiationStep.of(NegotiationStep.Handling.NONE);

    enum Event {
        CONNECT,
        CONNECT_REMEMBERED,
        PROPERTIES,
        CALL,
        REPLY,
        REFRESH,
        ERROR,
        ERROR_OF_A_CALL,
        ERR_VERS,
        ERR_VERS_OF_OTHERS,
        ERR_CHUNK,
        ERR_CHUNK_OF_OTHERS,
        VERSION_1,
        REJECTED,
        OTHER_VERSION,
        DISCARDED,
        EXCHANGED,
        TIMER,
        DISCONNECT
    }

    private static final String TABLE =
            """
                                 IDLE            OFFERED                                     VERSION_1  CLOSED
            CONNECT              +offer>OFFERED  .                                           .          .
            CONNECT_REMEMBERED   v1>VERSION_1    .                                           .          .
            PROPERTIES           DISCARD         PROPERTIESv2>PROPERTIES                     DISCARD    DISCARD
            CALL                 DISCARD         HOLD                                        DISCARD    DISCARD
            REPLY                DISCARD         DISCARD                                     DISCARD    DISCARD
            REFRESH              DISCARD         CREDITS                                     DISCARD    DISCARD
            ERROR                DISCARD         CREDITS+remember!PROPERTIES_REFUSED>CLOSED  DISCARD    DISCARD
            ERROR_OF_A_CALL      DISCARD         CREDITS+remember!PROPERTIES_REFUSED>CLOSED  DISCARD    DISCARD
            ERR_VERS             DISCARD         CREDITSv1+remember>VERSION_1                DELIVER    DISCARD
            ERR_VERS_OF_OTHERS   DISCARD         DISCARD                                     DELIVER    DISCARD
            ERR_CHUNK            DISCARD         CREDITSv1+remember>VERSION_1                DELIVER    DISCARD
            ERR_CHUNK_OF_OTHERS  DISCARD         DISCARD                                     DELIVER    DISCARD
            VERSION_1            DISCARD         DISCARD                                     DELIVER    DISCARD
            REJECTED             DISCARD         ERRORv2>PROPERTIES                          DISCARD    DISCARD
            OTHER_VERSION        DISCARD         DISCARD                                     DISCARD    DISCARD
            DISCARDED            DISCARD         DISCARD                                     DISCARD    DISCARD
            EXCHANGED            .               .                                           .          .
            TIMER                .               +remember!NO_ANSWER>CLOSED                  .          .
            DISCONNECT           >CLOSED         +remember>CLOSED                            >CLOSED    .
            """;

    private static final String TABLE_OF_VERSION_2 =
            """
                                 PROPERTIES                                  OPEN
            CONNECT              .                                           .
            CONNECT_REMEMBERED   .                                           .
            PROPERTIES           PROPERTIES                                  PROPERTIES
            CALL                 HOLD                                        DELIVER
            REPLY                DISCARD                                     DELIVER
            REFRESH              CREDITS                                     CREDITS
            ERROR                CREDITS+remember!PROPERTIES_REFUSED>CLOSED  CREDITS+remember!PROPERTIES_REFUSED>CLOSED
            ERROR_OF_A_CALL      CREDITS+remember!PROPERTIES_REFUSED>CLOSED  DELIVER
            ERR_VERS             DELIVER!VERSION_REFUSED>CLOSED              DELIVER!VERSION_REFUSED>CLOSED
            ERR_VERS_OF_OTHERS   DELIVER!VERSION_REFUSED>CLOSED              DELIVER!VERSION_REFUSED>CLOSED
            ERR_CHUNK            DISCARD                                     DISCARD
            ERR_CHUNK_OF_OTHERS  DISCARD                                     DISCARD
            VERSION_1            DISCARD                                     DISCARD
            REJECTED             ERROR                                       ERROR
            OTHER_VERSION        DISCARD                                     DISCARD
            DISCARDED            DISCARD                                     DISCARD
            EXCHANGED            >OPEN                                       .
            TIMER                !PROPERTIES_TOO_SLOW>CLOSED                 .
            DISCONNECT           >CLOSED                                     >CLOSED
            """;

    static Stream<Arguments> table() {
        return NegotiationTable.cells(Event.class, State.class, TABLE, TABLE_OF_VERSION_2);
    }

    @ParameterizedTest
    @MethodSource("table")
    @Requirement({"V2-026", "V2-027", "V2-030", "V2-116"})
    void eventHasTheEffectOfTheTable(Event event, State state, String cell) {
        RequesterNegotiation negotiation = in(state);

        NegotiationStep step =
                switch (event) {
                    case CONNECT -> negotiation.connect(false, XID);
                    case CONNECT_REMEMBERED -> negotiation.connect(true, XID);
                    case ERR_VERS -> negotiation.receiveErrVers(XID, 1, 1);
                    case ERR_VERS_OF_OTHERS -> negotiation.receiveErrVers(XID + 1, 1, 1);
                    case ERROR_OF_A_CALL -> negotiation.receive(MessageKind.ERROR, XID + 1);
                    case ERR_CHUNK_OF_OTHERS -> negotiation.receive(MessageKind.ERR_CHUNK, XID + 1);
                    case EXCHANGED -> {
                        negotiation.onPropertiesExchanged();
                        yield NOTHING;
                    }
                    case TIMER -> negotiation.expire();
                    case DISCONNECT -> negotiation.disconnect(true);
                    default -> negotiation.receive(MessageKind.valueOf(event.toString()), XID);
                };

        assertThat(NegotiationTable.cell(step, state, negotiation.state())).isEqualTo(cell);
    }

    private static RequesterNegotiation in(State state) {
        RequesterNegotiation negotiation = new RequesterNegotiation(new AllowedVersions(1, 2));
        if (state == State.VERSION_1 || state == State.CLOSED) {
            negotiation.connect(true, XID);
        } else if (state != State.IDLE) {
            negotiation.connect(false, XID);
        }
        if (state == State.PROPERTIES || state == State.OPEN) {
            negotiation.receive(MessageKind.PROPERTIES, 0);
        }
        if (state == State.OPEN) {
            negotiation.onPropertiesExchanged();
        }
        if (state == State.CLOSED) {
            negotiation.disconnect(true);
        }
        assertThat(negotiation.state()).isEqualTo(state);
        return negotiation;
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, true",
        "1, 1, true",
        "1, 2, true", // not the one that was refused
        "0, 0, false",
        "2, 2, false",
        "3, 4294967295, false",
        "2, 1, false"
    })
    @Requirement({"V2-026", "V2-138"})
    void onlyAVersionInTheRangeIsUsed(long lowest, long highest, boolean goesOn) {
        RequesterNegotiation negotiation = in(State.OFFERED);

        NegotiationStep step = negotiation.receiveErrVers(XID, lowest, highest);

        assertThat(NegotiationTable.cell(step, State.OFFERED, negotiation.state()))
                .isEqualTo(goesOn ? "CREDITSv1+remember>VERSION_1" : "CREDITS!NO_COMMON_VERSION>CLOSED");
    }

    @Test
    void versionOneAloneIsNotOffered() {
        RequesterNegotiation negotiation = new RequesterNegotiation(new AllowedVersions(1, 1));

        NegotiationStep step = negotiation.connect(false, XID);

        assertThat(NegotiationTable.cell(step, State.IDLE, negotiation.state())).isEqualTo("v1>VERSION_1");
    }

    @Test
    @Requirement("V2-138")
    void versionTwoAloneDoesNotFallBackAndHasNothingToRemember() {
        assertThat(only2().receiveErrVers(XID, 1, 1).ending()).isEqualTo(NegotiationStep.Ending.NO_COMMON_VERSION);
        assertThat(only2().receive(MessageKind.ERR_CHUNK, XID).ending())
                .isEqualTo(NegotiationStep.Ending.NO_COMMON_VERSION);
        assertThat(only2().expire().remembers()).isFalse();
        assertThat(only2().disconnect(true).remembers()).isFalse();
        assertThat(only2().receive(MessageKind.ERROR, XID).remembers()).isFalse();
        assertThat(new RequesterNegotiation(new AllowedVersions(2, 2))
                        .connect(true, XID)
                        .offers())
                .isTrue();
    }

    private static RequesterNegotiation only2() {
        RequesterNegotiation negotiation = new RequesterNegotiation(new AllowedVersions(2, 2));
        negotiation.connect(false, XID);
        return negotiation;
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "1, 3", "2, 1"})
    void rangeIsOfVersionsThatThereAre(int lowest, int highest) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AllowedVersions(lowest, highest))
                .withMessageContaining("version: " + highest + " (expected:")
                .withMessageContaining(" to 2)");
    }

    @Test
    void peerIsNotToBlameWhenThisSideEndsTheConnection() {
        RequesterNegotiation negotiation = new RequesterNegotiation(new AllowedVersions(1, 2));
        negotiation.connect(false, XID);

        assertThat(negotiation.disconnect(false).remembers()).isFalse();
    }
}
