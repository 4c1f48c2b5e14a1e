// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static io.nettyrdma.engine.ChannelLifecycle.Reason;
import static io.nettyrdma.engine.ChannelLifecycle.State;
import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.error.RdmaWorkRequestException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every state with every event and every question, and every reason with every event in every state. */
class ChannelLifecycleTest {

    private static final Throwable CAUSE = new IllegalStateException("cause");

    private static final Map<String, Consumer<ChannelLifecycle>> EVENTS = Map.ofEntries(
            Map.entry("connect", ChannelLifecycle::connect),
            Map.entry("accept", ChannelLifecycle::accept),
            Map.entry("established", ChannelLifecycle::establish),
            Map.entry("peerGone", lifecycle -> lifecycle.onPeerGone(null)),
            Map.entry("goneWhy", lifecycle -> lifecycle.onPeerGone(CAUSE)),
            Map.entry("closing", ChannelLifecycle::startClosing),
            Map.entry("closed", ChannelLifecycle::close),
            Map.entry("sent", ChannelLifecycle::onSent),
            Map.entry("flushed", ChannelLifecycle::onFlushed),
            Map.entry("failure", lifecycle -> lifecycle.onFailure(CAUSE)),
            Map.entry("fatal", lifecycle -> lifecycle.onFatalFailure(CAUSE)),
            Map.entry("told", ChannelLifecycle::takeFailure));

    private static final Map<String, Predicate<ChannelLifecycle>> QUESTIONS = Map.ofEntries(
            Map.entry("isOpen", ChannelLifecycle::isOpen),
            Map.entry("isSending", ChannelLifecycle::isSending),
            Map.entry("isEndingIt", ChannelLifecycle::isEndingConnection),
            Map.entry("mayConnect", ChannelLifecycle::mayConnect),
            Map.entry("connects", ChannelLifecycle::isConnecting),
            Map.entry("mayAccept", ChannelLifecycle::mayAccept),
            Map.entry("awaitsPeer", ChannelLifecycle::awaitsConnection),
            Map.entry("isActive", ChannelLifecycle::isActive),
            Map.entry("isConnected", ChannelLifecycle::isConnected),
            Map.entry("isPeerGone", ChannelLifecycle::isPeerGone),
            Map.entry("isClosing", ChannelLifecycle::isClosing),
            Map.entry("isEnding", ChannelLifecycle::isEnding),
            Map.entry("mayTakeOn", ChannelLifecycle::mayTakeOn),
            Map.entry("mayPost", ChannelLifecycle::mayPost),
            Map.entry("mayDeliver", ChannelLifecycle::mayDeliver),
            Map.entry("isFailing", lifecycle -> lifecycle.failure() != null),
            Map.entry("awaitsWhy", ChannelLifecycle::awaitsReason));

    // What a state becomes; a dot is the same state.
    private static final String STATES =
            """
            from          | connect    | accept    | established | peerGone      | closing | closed  | sent
            OPEN          | CONNECTING | .         | .           | .             | .       | CLOSED  | .
            CONNECTING    | .          | .         | ACTIVE      | .             | .       | CLOSED  | .
            REQUESTED     | .          | ACCEPTING | .           | .             | .       | CLOSED  | .
            ACCEPTING     | .          | .         | ACTIVE      | .             | .       | CLOSED  | .
            ACTIVE        | .          | .         | .           | PEER_GONE     | CLOSING | SENDING | .
            PEER_GONE     | .          | .         | .           | .             | .       | ENDING  | .
            CLOSING       | .          | .         | .           | CLOSING_ALONE | .       | SENDING | .
            CLOSING_ALONE | .          | .         | .           | .             | .       | ENDING  | .
            SENDING       | .          | .         | .           | ENDING        | .       | .       | ENDING
            ENDING        | .          | .         | .           | .             | .       | .       | .
            CLOSED        | .          | .         | .           | .             | .       | .       | .
            """;

    // No failure, no reason: where the answer is yes.
    private static final String ANSWERS =
            """
            question    OPEN CONNECTING REQUESTED ACCEPTING ACTIVE PEER_GONE CLOSING CLOSING_ALONE SENDING ENDING CLOSED
            isOpen      yes  yes        yes       yes       yes    yes       yes     yes           .       .      .
            isSending   .    .          .         .         .      .         .       .             yes     .      .
            isEndingIt  .    .          .         .         .      .         .       .             .       yes    .
            mayConnect  yes  .          .         .         .      .         .       .             .       .      .
            connects    .    yes        .         .         .      .         .       .             .       .      .
            mayAccept   .    .          yes       .         .      .         .       .             .       .      .
            awaitsPeer  .    yes        .         yes       .      .         .       .             .       .      .
            isActive    .    .          .         .         yes    yes       yes     yes           .       .      .
            isConnected .    .          .         .         yes    .         yes     .             .       .      .
            isPeerGone  .    .          .         .         .      yes       .       yes           .       .      .
            isClosing   .    .          .         .         .      .         yes     yes           .       .      .
            isEnding    .    .          .         .         .      yes       yes     yes           yes     yes    yes
            mayTakeOn   yes  yes        yes       yes       yes    yes       .       .             .       .      .
            mayPost     .    .          .         .         yes    yes       .       .             .       .      .
            mayDeliver  .    .          .         .         yes    yes       yes     yes           .       .      .
            isFailing   .    .          .         .         .      .         .       .             .       .      .
            awaitsWhy   .    .          .         .         .      .         .       .             .       .      .
            """;

    // What a reason becomes in each state; a dot is the same reason. Where a reason cannot be, there is no row.
    private static final String REASONS =
            """
            state         | from    | flushed | failure | goneWhy | fatal | told | closed
            OPEN          | NONE    | AWAITED | KNOWN   | KNOWN   | KNOWN | .    | .
            OPEN          | KNOWN   | .       | .       | .       | .     | NONE | NONE
            CONNECTING    | NONE    | AWAITED | KNOWN   | KNOWN   | KNOWN | .    | .
            CONNECTING    | AWAITED | .       | KNOWN   | KNOWN   | KNOWN | .    | NONE
            CONNECTING    | KNOWN   | .       | .       | .       | .     | NONE | NONE
            REQUESTED     | NONE    | AWAITED | KNOWN   | KNOWN   | KNOWN | .    | .
            REQUESTED     | KNOWN   | .       | .       | .       | .     | NONE | NONE
            ACCEPTING     | NONE    | AWAITED | KNOWN   | KNOWN   | KNOWN | .    | .
            ACCEPTING     | AWAITED | .       | KNOWN   | KNOWN   | KNOWN | .    | NONE
            ACCEPTING     | KNOWN   | .       | .       | .       | .     | NONE | NONE
            ACTIVE        | NONE    | AWAITED | KNOWN   | KNOWN   | KNOWN | .    | .
            ACTIVE        | AWAITED | .       | KNOWN   | KNOWN   | KNOWN | .    | NONE
            ACTIVE        | KNOWN   | .       | .       | .       | .     | NONE | NONE
            PEER_GONE     | NONE    | .       | KNOWN   | KNOWN   | KNOWN | .    | .
            PEER_GONE     | AWAITED | .       | KNOWN   | KNOWN   | KNOWN | .    | NONE
            PEER_GONE     | KNOWN   | .       | .       | .       | .     | NONE | NONE
            CLOSING       | NONE    | .       | .       | .       | .     | .    | .
            CLOSING       | AWAITED | .       | KNOWN   | KNOWN   | KNOWN | .    | NONE
            CLOSING       | KNOWN   | .       | .       | .       | .     | NONE | NONE
            CLOSING_ALONE | NONE    | .       | .       | .       | .     | .    | .
            CLOSING_ALONE | AWAITED | .       | KNOWN   | KNOWN   | KNOWN | .    | NONE
            CLOSING_ALONE | KNOWN   | .       | .       | .       | .     | NONE | NONE
            SENDING       | NONE    | .       | .       | .       | .     | .    | .
            ENDING        | NONE    | .       | .       | .       | .     | .    | .
            CLOSED        | NONE    | .       | .       | .       | .     | .    | .
            """;

    private record Table(List<String> head, List<List<String>> rows) {

        static Table of(String text) {
            List<List<String>> lines = new ArrayList<>();
            for (String line : text.strip().split("\n")) {
                lines.add(List.of(line.strip().split("[ |]+")));
            }
            return new Table(lines.get(0), lines.subList(1, lines.size()));
        }
    }

    /** A channel that has come to {@code state} on its shortest way. */
    private static ChannelLifecycle in(State state) {
        return in(state, Reason.NONE);
    }

    private static void happen(ChannelLifecycle lifecycle, String events) {
        for (String event : events.split(" ")) {
            if (!event.isEmpty()) {
                EVENTS.get(event).accept(lifecycle);
            }
        }
    }

    /** A channel in {@code state} with {@code reason}, of which it has learnt as early as can be. */
    private static ChannelLifecycle in(State state, Reason reason) {
        ChannelLifecycle lifecycle = state == State.REQUESTED || state == State.ACCEPTING
                ? ChannelLifecycle.requested()
                : ChannelLifecycle.open();
        String why = reason == Reason.NONE ? "" : "flushed";
        String way =
                switch (state) {
                    case OPEN, REQUESTED -> why;
                    case CONNECTING -> "connect " + why;
                    case ACCEPTING -> "accept " + why;
                    case ACTIVE -> "connect established " + why;
                    case PEER_GONE -> "connect established " + why + " peerGone";
                    case CLOSING -> "connect established " + why + " closing";
                    case CLOSING_ALONE -> "connect established " + why + " closing peerGone";
                    case SENDING -> "connect established " + why + " closed";
                    case ENDING -> "connect established " + why + " closed sent";
                    case CLOSED -> why + " closed";
                };
        happen(lifecycle, way);
        if (reason == Reason.KNOWN) {
            happen(lifecycle, "failure");
        }
        assertThat(lifecycle.state()).isEqualTo(state);
        assertThat(lifecycle.reason()).isEqualTo(reason);
        return lifecycle;
    }

    @TestFactory
    List<DynamicTest> everyEventMovesEveryStateAsTheTableSays() {
        List<DynamicTest> tests = new ArrayList<>();
        Table table = Table.of(STATES);
        assertThat(table.rows()).hasSameSizeAs(State.values());
        for (List<String> row : table.rows()) {
            State from = State.valueOf(row.get(0));
            for (int i = 1; i < row.size(); i++) {
                String event = table.head().get(i);
                State to = row.get(i).equals(".") ? from : State.valueOf(row.get(i));
                tests.add(DynamicTest.dynamicTest(from + ", " + event, () -> {
                    ChannelLifecycle lifecycle = in(from);
                    happen(lifecycle, event);
                    assertThat(lifecycle.state()).isEqualTo(to);
                    assertThat(lifecycle.reason()).isEqualTo(Reason.NONE);
                }));
            }
        }
        return tests;
    }

    /** What {@link #STATES} says; with or without a reason, the peer is gone. */
    private static State after(State state, String event) {
        Table table = Table.of(STATES);
        int column = table.head().indexOf(event.equals("goneWhy") || event.equals("fatal") ? "peerGone" : event);
        String to = column < 0 ? "." : table.rows().get(state.ordinal()).get(column);
        return to.equals(".") ? state : State.valueOf(to);
    }

    @TestFactory
    List<DynamicTest> everyQuestionIsAnsweredInEveryStateAsTheTableSays() {
        List<DynamicTest> tests = new ArrayList<>();
        Table table = Table.of(ANSWERS);
        assertThat(table.rows()).extracting(row -> row.get(0)).containsExactlyInAnyOrderElementsOf(QUESTIONS.keySet());
        for (List<String> row : table.rows()) {
            for (int i = 1; i < row.size(); i++) {
                State state = State.valueOf(table.head().get(i));
                boolean answer = row.get(i).equals("yes");
                tests.add(DynamicTest.dynamicTest(state + ", " + row.get(0), () -> assertThat(
                                QUESTIONS.get(row.get(0)).test(in(state)))
                        .isEqualTo(answer)));
            }
        }
        return tests;
    }

    @TestFactory
    List<DynamicTest> everyEventChangesWhatIsKnownOfTheReasonAsTheTableSays() {
        List<DynamicTest> tests = new ArrayList<>();
        Table table = Table.of(REASONS);
        for (List<String> row : table.rows()) {
            State state = State.valueOf(row.get(0));
            Reason from = Reason.valueOf(row.get(1));
            for (int i = 2; i < row.size(); i++) {
                String event = table.head().get(i);
                Reason to = row.get(i).equals(".") ? from : Reason.valueOf(row.get(i));
                tests.add(DynamicTest.dynamicTest(state + ", " + from + ", " + event, () -> {
                    ChannelLifecycle lifecycle = in(state, from);
                    happen(lifecycle, event);
                    assertThat(lifecycle.reason()).isEqualTo(to);
                    assertThat(lifecycle.state()).isEqualTo(after(state, event));
                    assertThat(lifecycle.failure() != null).isEqualTo(to == Reason.KNOWN);
                }));
            }
        }
        return tests;
    }

    @Test
    void eventsSayWhetherTheyHaveMovedTheState() {
        ChannelLifecycle active = in(State.CONNECTING);
        assertThat(active.connect()).isFalse();
        assertThat(active.establish()).isTrue();
        assertThat(active.establish()).isFalse();
        assertThat(active.startClosing()).isTrue();
        assertThat(active.startClosing()).isFalse();
        assertThat(active.close()).isTrue();
        assertThat(active.close()).isFalse();
        assertThat(in(State.OPEN).connect()).isTrue();
        assertThat(in(State.REQUESTED).accept()).isTrue();
        assertThat(in(State.ACCEPTING).accept()).isFalse();
    }

    @Test
    void firstFailureCountsAndIsTakenOnce() {
        ChannelLifecycle active = in(State.ACTIVE);
        active.onFailure(CAUSE);
        active.onFailure(new IllegalStateException("another"));
        assertThat(active.takeFailure()).isSameAs(CAUSE);
        assertThat(active.takeFailure()).isNull();
    }

    @Test
    void fatalFailureCountsMoreThanTheFirst() {
        ChannelLifecycle active = in(State.ACTIVE);
        active.onFailure(new IllegalStateException("another"));
        active.onFatalFailure(CAUSE);
        assertThat(active.takeFailure()).isSameAs(CAUSE);
    }

    @Test
    void lossOfTheConnectionExplainsARequestThatHasFailed() {
        ChannelLifecycle active = in(State.ACTIVE);
        RdmaWorkRequestException failed = new RdmaWorkRequestException("work request", 12, false, null);
        IOException lost = new IOException("lost");
        active.onFailure(failed);
        active.onPeerGone(lost);
        assertThat(active.takeFailure()).isSameAs(lost).hasSuppressedException(failed);
    }

    @Test
    void lossOfTheConnectionDoesNotHideAnotherFailure() {
        ChannelLifecycle active = in(State.ACTIVE);
        active.onFailure(CAUSE);
        active.onPeerGone(new IOException("lost"));
        assertThat(active.takeFailure()).isSameAs(CAUSE);
    }

    @Test
    void lossOfTheConnectionIsTheReasonThatACloseMayWaitFor() {
        ChannelLifecycle closing = in(State.CLOSING, Reason.AWAITED);
        assertThat(closing.awaitsReason()).isTrue();
        IOException lost = new IOException("lost");
        closing.onPeerGone(lost);
        assertThat(closing.awaitsReason()).isFalse();
        assertThat(closing.takeFailure()).isSameAs(lost);
    }

    @Test
    void endOfThePeerWithoutAReasonEndsTheWaitForOne() {
        ChannelLifecycle active = in(State.ACTIVE, Reason.AWAITED);
        assertThat(active.awaitsReason()).isTrue();
        active.onPeerGone(null);
        assertThat(active.awaitsReason()).isFalse();
        assertThat(active.takeFailure()).isNull();
    }

    @Test
    void nothingMoreIsPostedOnceAFailureIsKnown() {
        ChannelLifecycle active = in(State.ACTIVE);
        active.onFlushed();
        assertThat(active.mayPost()).isTrue();
        active.onFailure(CAUSE);
        assertThat(active.mayPost()).isFalse();
    }
}
