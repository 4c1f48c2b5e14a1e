// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import static io.nettyrdma.stream.HalfCloseState.State.CLOSED;
import static io.nettyrdma.stream.HalfCloseState.State.INPUT_SHUTDOWN;
import static io.nettyrdma.stream.HalfCloseState.State.OPEN;
import static io.nettyrdma.stream.HalfCloseState.State.OUTPUT_SHUTDOWN;
import static io.nettyrdma.stream.HalfCloseState.State.PEER_DISCONNECTED;
import static io.nettyrdma.stream.HalfCloseState.State.PEER_SHUTDOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.stream.HalfCloseState.Action;
import io.nettyrdma.stream.HalfCloseState.State;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every state with every event, and every path of events to the end. */
class HalfCloseStateTest {

    private enum Event {
        SHUTDOWN_OUTPUT,
        SHUTDOWN_INPUT,
        CLOSE,
        ABORT,
        LOST,
        GONE,
        DATA,
        LIMIT,
        IOMAP,
        PEER_SHUTDOWN,
        PEER_DISCONNECT,
        PEER_ABORT,
        INVALID;

        Set<Action> happen(HalfCloseState machine) throws StreamProtocolException {
            return switch (this) {
                case SHUTDOWN_OUTPUT -> machine.shutdownOutput();
                case SHUTDOWN_INPUT -> machine.shutdownInput();
                case CLOSE -> machine.close();
                case ABORT -> machine.abort();
                case LOST -> machine.loseConnection(false);
                case GONE -> machine.loseConnection(true);
                case DATA -> machine.receive(StreamWord.data(5));
                case LIMIT -> machine.receive(StreamWord.limit(384));
                case IOMAP -> machine.receive(0xc000_0000);
                case PEER_SHUTDOWN -> machine.receive(StreamWord.SHUTDOWN);
                case PEER_DISCONNECT -> machine.receive(StreamWord.DISCONNECT);
                case PEER_ABORT -> machine.receive(StreamWord.ABORT);
                case INVALID -> machine.receive(0x2000_0005);
            };
        }
    }

    /**
     * The state and the event; the state behind it, and the actions. An exclamation mark: the word is refused. Where
     * the stream has ended, nothing happens but for what is here.
     */
    private static final String TABLE =
            """
            OPEN SHUTDOWN_OUTPUT: OUTPUT_SHUTDOWN SEND_SHUTDOWN
            OPEN SHUTDOWN_INPUT: INPUT_SHUTDOWN
            OPEN CLOSE: CLOSED SEND_DISCONNECT
            OPEN ABORT: CLOSED SEND_ABORT SEND_DISCONNECT
            OPEN LOST: CLOSED REFUSE RESET
            OPEN GONE: PEER_DISCONNECTED REFUSE END_INPUT
            OPEN DATA: OPEN TAKE
            OPEN LIMIT: OPEN TAKE
            OPEN IOMAP: OPEN TAKE
            OPEN PEER_SHUTDOWN: PEER_SHUTDOWN END_INPUT
            OPEN PEER_DISCONNECT: PEER_DISCONNECTED REFUSE END_INPUT
            OPEN PEER_ABORT: CLOSED REFUSE RESET
            OPEN INVALID: OPEN !
            OUTPUT_SHUTDOWN SHUTDOWN_OUTPUT: OUTPUT_SHUTDOWN
            OUTPUT_SHUTDOWN SHUTDOWN_INPUT: CLOSED SEND_DISCONNECT
            OUTPUT_SHUTDOWN CLOSE: CLOSED SEND_DISCONNECT
            OUTPUT_SHUTDOWN ABORT: CLOSED SEND_ABORT SEND_DISCONNECT
            OUTPUT_SHUTDOWN LOST: CLOSED REFUSE RESET
            OUTPUT_SHUTDOWN GONE: PEER_DISCONNECTED REFUSE END_INPUT
            OUTPUT_SHUTDOWN DATA: OUTPUT_SHUTDOWN TAKE
            OUTPUT_SHUTDOWN LIMIT: OUTPUT_SHUTDOWN TAKE
            OUTPUT_SHUTDOWN IOMAP: OUTPUT_SHUTDOWN TAKE
            OUTPUT_SHUTDOWN PEER_SHUTDOWN: CLOSED SEND_DISCONNECT END_INPUT
            OUTPUT_SHUTDOWN PEER_DISCONNECT: PEER_DISCONNECTED REFUSE END_INPUT
            OUTPUT_SHUTDOWN PEER_ABORT: CLOSED REFUSE RESET
            OUTPUT_SHUTDOWN INVALID: OUTPUT_SHUTDOWN !
            INPUT_SHUTDOWN SHUTDOWN_OUTPUT: CLOSED SEND_DISCONNECT
            INPUT_SHUTDOWN SHUTDOWN_INPUT: INPUT_SHUTDOWN
            INPUT_SHUTDOWN CLOSE: CLOSED SEND_DISCONNECT
            INPUT_SHUTDOWN ABORT: CLOSED SEND_ABORT SEND_DISCONNECT
            INPUT_SHUTDOWN LOST: CLOSED REFUSE RESET
            INPUT_SHUTDOWN GONE: PEER_DISCONNECTED REFUSE END_INPUT
            INPUT_SHUTDOWN DATA: INPUT_SHUTDOWN DROP
            INPUT_SHUTDOWN LIMIT: INPUT_SHUTDOWN TAKE
            INPUT_SHUTDOWN IOMAP: INPUT_SHUTDOWN TAKE
            INPUT_SHUTDOWN PEER_SHUTDOWN: PEER_SHUTDOWN END_INPUT
            INPUT_SHUTDOWN PEER_DISCONNECT: PEER_DISCONNECTED REFUSE END_INPUT
            INPUT_SHUTDOWN PEER_ABORT: CLOSED REFUSE RESET
            INPUT_SHUTDOWN INVALID: INPUT_SHUTDOWN !
            PEER_SHUTDOWN SHUTDOWN_OUTPUT: CLOSED SEND_DISCONNECT
            PEER_SHUTDOWN SHUTDOWN_INPUT: PEER_SHUTDOWN
            PEER_SHUTDOWN CLOSE: CLOSED SEND_DISCONNECT
            PEER_SHUTDOWN ABORT: CLOSED SEND_ABORT SEND_DISCONNECT
            PEER_SHUTDOWN LOST: CLOSED REFUSE RESET
            PEER_SHUTDOWN GONE: PEER_DISCONNECTED REFUSE END_INPUT
            PEER_SHUTDOWN DATA: PEER_SHUTDOWN !
            PEER_SHUTDOWN LIMIT: PEER_SHUTDOWN TAKE
            PEER_SHUTDOWN IOMAP: PEER_SHUTDOWN TAKE
            PEER_SHUTDOWN PEER_SHUTDOWN: PEER_SHUTDOWN
            PEER_SHUTDOWN PEER_DISCONNECT: PEER_DISCONNECTED REFUSE END_INPUT
            PEER_SHUTDOWN PEER_ABORT: CLOSED REFUSE RESET
            PEER_SHUTDOWN INVALID: PEER_SHUTDOWN !
            PEER_DISCONNECTED CLOSE: CLOSED
            PEER_DISCONNECTED ABORT: CLOSED
            """;

    static Stream<String> rows() {
        Stream<String> ended = Stream.of(State.PEER_DISCONNECTED, State.CLOSED)
                .flatMap(state -> Stream.of(Event.values()).map(event -> state + " " + event + ": " + state))
                .filter(row ->
                        TABLE.lines().noneMatch(line -> line.startsWith(row.substring(0, row.indexOf(':') + 1))));
        return Stream.concat(TABLE.lines(), ended);
    }

    private static HalfCloseState in(State state) throws StreamProtocolException {
        HalfCloseState machine = new HalfCloseState();
        switch (state) {
            case OPEN -> {}
            case OUTPUT_SHUTDOWN -> machine.shutdownOutput();
            case INPUT_SHUTDOWN -> machine.shutdownInput();
            case PEER_SHUTDOWN -> machine.receive(StreamWord.SHUTDOWN);
            case PEER_DISCONNECTED -> machine.receive(StreamWord.DISCONNECT);
            case CLOSED -> machine.close();
        }
        assertThat(machine.state()).isEqualTo(state);
        return machine;
    }

    @ParameterizedTest
    @MethodSource("rows")
    void eventHasItsActions(String row) throws Exception {
        String[] pair = row.substring(0, row.indexOf(':')).split(" ");
        HalfCloseState machine = in(State.valueOf(pair[0]));
        assertThat(row).isEqualTo(String.join(" ", pair) + ": " + result(machine, Event.valueOf(pair[1])));
    }

    private static String result(HalfCloseState machine, Event event) {
        StringBuilder actions = new StringBuilder();
        try {
            // In the order of the constants, in which the caller takes them.
            new TreeSet<>(event.happen(machine))
                    .forEach(it -> actions.append(' ').append(it));
        } catch (StreamProtocolException e) {
            actions.append(" !");
        }
        return machine.state() + actions.toString();
    }

    @Test
    void tableHasEveryPairOnce() {
        assertThat(rows().map(row -> row.substring(0, row.indexOf(':'))))
                .doesNotHaveDuplicates()
                .hasSize(State.values().length * Event.values().length);
    }

    /** All sequences of five events: one DISCONNECT at most, nothing behind it, and none missing. */
    @Test
    void everyPathToTheEndHasADisconnect() throws Exception {
        int paths = 0;
        for (int number = 0; number < Math.pow(Event.values().length, 5); number++) {
            paths += followPath(number) ? 1 : 0;
        }
        assertThat(paths).isGreaterThan(100_000);
    }

    private static boolean followPath(int number) throws StreamProtocolException {
        HalfCloseState machine = new HalfCloseState();
        boolean disconnected = false;
        boolean excused = false;
        int rest = number;
        for (int i = 0; i < 5; i++) {
            Event event = Event.values()[rest % Event.values().length];
            rest /= Event.values().length;
            boolean open = !machine.hasEnded();
            Set<Action> actions;
            try {
                actions = event.happen(machine);
            } catch (StreamProtocolException e) {
                actions = machine.close();
            }
            boolean sends = actions.stream()
                    .anyMatch(it -> List.of(Action.SEND_ABORT, Action.SEND_DISCONNECT, Action.SEND_SHUTDOWN)
                            .contains(it));
            assertThat(sends && disconnected).isFalse();
            disconnected |= actions.contains(Action.SEND_DISCONNECT);
            excused |= open
                    && List.of(Event.LOST, Event.GONE, Event.PEER_ABORT, Event.PEER_DISCONNECT)
                            .contains(event);
            assertThat(machine.hasEnded()).isEqualTo(disconnected || excused);
        }
        return machine.hasEnded();
    }

    @Test
    void refusedWordIsNamed() throws Exception {
        assertThatThrownBy(() -> new HalfCloseState().receive(0xa000_0005))
                .hasMessage("word of the peer: 0xa0000005 (expected: DATA of 1 byte or more, LIMIT, IOMAP, SHUTDOWN,"
                        + " DISCONNECT or ABORT)");
        HalfCloseState machine = in(PEER_SHUTDOWN);
        assertThatThrownBy(() -> machine.receive(5))
                .hasMessage("DATA of the peer: 5 bytes (expected: none behind SHUTDOWN)");
    }
}
