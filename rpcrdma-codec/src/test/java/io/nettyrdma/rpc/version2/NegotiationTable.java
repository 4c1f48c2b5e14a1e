// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/**
 * A table of what happens: a row for each event, a column for each state. A cell says what becomes of the message, the
 * version that is decided ({@code v2}), whether properties are offered ({@code +offer}) and version 1 is remembered
 * ({@code +remember}), why the connection is closed ({@code !REASON}), and the next state if it is another one
 * ({@code >STATE}); a dot is nothing at all.
 */
final class NegotiationTable {

    private NegotiationTable() {}

    /** Arguments: event, state, cell; every event and every state has to be there, in one of the tables. */
    static <E extends Enum<E>, S extends Enum<S>> Stream<Arguments> cells(
            Class<E> events, Class<S> states, String... tables) {
        List<Arguments> cells = new ArrayList<>();
        for (S state : states.getEnumConstants()) {
            for (E event : events.getEnumConstants()) {
                cells.add(Arguments.of(event, state, cell(event.toString(), state.toString(), tables)));
            }
        }
        return cells.stream();
    }

    private static String cell(String event, String state, String... tables) {
        for (String table : tables) {
            List<String> columns =
                    List.of(table.lines().findFirst().orElseThrow().trim().split(" +"));
            if (columns.contains(state)) {
                String row = table.lines()
                        .filter(line -> line.startsWith(event + " "))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no row for " + event));
                return row.split(" +")[1 + columns.indexOf(state)];
            }
        }
        throw new AssertionError("no column for " + state);
    }

    /** What has happened, as a cell. */
    static String cell(NegotiationStep step, Object before, Object after) {
        String text = (step.handling() == NegotiationStep.Handling.NONE
                        ? ""
                        : step.handling().toString())
                + (step.version() == 0 ? "" : "v" + step.version())
                + (step.offers() ? "+offer" : "")
                + (step.remembers() ? "+remember" : "")
                + (step.ending() == null ? "" : "!" + step.ending())
                + (before == after ? "" : ">" + after);
        return text.isEmpty() ? "." : text;
    }
}
