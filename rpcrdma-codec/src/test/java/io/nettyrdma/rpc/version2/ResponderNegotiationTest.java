// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.version2.ResponderNegotiation.State;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each event in each state; 1..2 where nothing else is said. */
class ResponderNegotiationTest {

    private static final NegotiationStep NOTHING = NegotiationStep.of(NegotiationStep.Handling.NONE);

    enum Event {
        VERSION_1,
        PROPERTIES,
        CALL,
        REFRESH,
        REPLY,
        ERROR,
        ERR_VERS,
        ERR_CHUNK,
        REJECTED,
        OTHER_VERSION,
        DISCARDED,
        EXCHANGED,
        TIMER,
        DISCONNECT
    }

    private static final String TABLE =
            """
                          UNDECIDED                      PROPERTIES                  OPEN         VERSION_1  CLOSED
            VERSION_1     DELIVERv1>VERSION_1            ERR_VERS                    ERR_VERS     DELIVER    DISCARD
            PROPERTIES    PROPERTIESv2+offer>PROPERTIES  PROPERTIES                  PROPERTIES   ERR_VERS   DISCARD
            CALL          DELIVERv2+offer>OPEN           HOLD                        DELIVER      ERR_VERS   DISCARD
            REFRESH       CREDITSv2+offer>PROPERTIES     CREDITS                     CREDITS      DISCARD    DISCARD
            REPLY         DISCARD                        DISCARD                     DELIVER      DISCARD    DISCARD
            ERROR         DISCARD                        !PROPERTIES_REFUSED>CLOSED  DELIVER      DISCARD    DISCARD
            ERR_VERS      DISCARD                        !PROPERTIES_REFUSED>CLOSED  DELIVER      DISCARD    DISCARD
            ERR_CHUNK     DISCARD                        DISCARD                     DISCARD      DISCARD    DISCARD
            REJECTED      ERRORv2+offer>PROPERTIES       ERROR                       ERROR        ERR_VERS   DISCARD
            OTHER_VERSION ERR_VERS                       ERR_VERS                    ERR_VERS     ERR_VERS   DISCARD
            DISCARDED     DISCARD                        DISCARD                     DISCARD      DISCARD    DISCARD
            EXCHANGED     .                              >OPEN                       .            .          .
            TIMER         .                              !PROPERTIES_TOO_SLOW>CLOSED .            .          .
            DISCONNECT    >CLOSED                        >CLOSED                     >CLOSED      >CLOSED    .
            """;

    static Stream<Arguments> table() {
        return NegotiationTable.cells(Event.class, State.class, TABLE);
    }

    @ParameterizedTest
    @MethodSource("table")
    @Requirement({"V2-024", "V2-029", "V2-030", "V2-116", "V2-137"})
    void eventHasTheEffectOfTheTable(Event event, State state, String cell) {
        ResponderNegotiation negotiation = in(state);

        NegotiationStep step =
                switch (event) {
                    case EXCHANGED -> {
                        negotiation.onPropertiesExchanged();
                        yield NOTHING;
                    }
                    case TIMER -> negotiation.expire();
                    case DISCONNECT -> {
                        negotiation.disconnect(true);
                        yield NOTHING;
                    }
                    default -> negotiation.receive(MessageKind.valueOf(event.toString()), 0);
                };

        assertThat(NegotiationTable.cell(step, state, negotiation.state())).isEqualTo(cell);
    }

    private static ResponderNegotiation in(State state) {
        ResponderNegotiation negotiation = new ResponderNegotiation(new AllowedVersions(1, 2));
        switch (state) {
            case UNDECIDED -> {}
            case PROPERTIES -> {
                negotiation.receive(MessageKind.PROPERTIES, 0);
                negotiation.onPropertiesApplied();
            }
            case OPEN -> negotiation.receive(MessageKind.CALL, 0);
            case VERSION_1 -> negotiation.receive(MessageKind.VERSION_1, 0);
            case CLOSED -> negotiation.disconnect(true);
        }
        assertThat(negotiation.state()).isEqualTo(state);
        return negotiation;
    }

    /** A set that was rejected or is not whole, or a refresh, is no set: who goes on with a call has the defaults. */
    @ParameterizedTest
    @EnumSource(names = {"REFRESH", "REJECTED", "PROPERTIES"})
    void callOfAPeerWithoutPropertiesOpensTheConnection(MessageKind first) {
        ResponderNegotiation negotiation = new ResponderNegotiation(new AllowedVersions(1, 2));
        negotiation.receive(first, 0);

        NegotiationStep step = negotiation.receive(MessageKind.CALL, 0);

        assertThat(NegotiationTable.cell(step, State.PROPERTIES, negotiation.state()))
                .isEqualTo("DELIVER>OPEN");
    }

    @ParameterizedTest
    @EnumSource(names = {"REPLY", "ERROR", "ERR_VERS", "ERR_CHUNK", "REFRESH", "DISCARDED"})
    void answersAreNotAnsweredWhereVersion2IsNotAllowed(MessageKind kind) {
        NegotiationStep step = new ResponderNegotiation(new AllowedVersions(1, 1)).receive(kind, 0);

        assertThat(step.handling()).isEqualTo(NegotiationStep.Handling.DISCARD);
    }

    @ParameterizedTest
    @CsvSource({"UNDECIDED, 1, 2", "PROPERTIES, 2, 2", "OPEN, 2, 2", "VERSION_1, 1, 1", "CLOSED, 1, 2"})
    @Requirement({"V2-030", "V2-137"})
    void errVersNamesWhatIsSpoken(State state, int lowest, int highest) {
        assertThat(in(state).lowestSpoken()).isEqualTo(lowest);
        assertThat(in(state).highestSpoken()).isEqualTo(highest);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, PROPERTIES", "1, 1, CALL", "1, 1, REJECTED", "2, 2, VERSION_1", "2, 2, OTHER_VERSION"})
    @Requirement({"V2-025", "V2-137"})
    void versionThatIsNotAllowedIsRefusedAndFixesNothing(int lowest, int highest, MessageKind kind) {
        ResponderNegotiation negotiation = new ResponderNegotiation(new AllowedVersions(lowest, highest));

        NegotiationStep step = negotiation.receive(kind, 0);

        assertThat(NegotiationTable.cell(step, State.UNDECIDED, negotiation.state()))
                .isEqualTo("ERR_VERS");
        assertThat(negotiation.lowestSpoken()).isEqualTo(lowest);
        assertThat(negotiation.highestSpoken()).isEqualTo(highest);
    }
}
