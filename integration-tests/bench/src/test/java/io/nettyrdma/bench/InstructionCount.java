// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.nettyrdma.bench.VerbsPingPong.Exposure;
import java.io.PrintStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Counts the instructions per message, where a nanosecond is one: in the guest of {@code bench/instructions}, whose
 * help says why that holds and what is counted. Anywhere else it prints CPU time.
 *
 * <p>Each scenario has connections of its own and is warmed up by itself; then each has its round in turn, and when
 * nothing is compiled for that any more, the rounds count. A round's number is what both event loops have executed, in
 * the kernel too, divided by the messages. What the compilers and the garbage collector execute is not in it.
 *
 * <p>Threading: one thread calls all methods.
 */
final class InstructionCount implements AutoCloseable {

    /** Begins each line with a result; what follows is described at {@link Round}. */
    static final String RESULT = "count:";

    private static final String WARM_UP = "warm-up:";

    /** What the compilers may execute in a quiet round, as a part of all that is executed. */
    private static final double QUIET_SHARE = 0.02;

    /** So many quiet rounds of a scenario in succession, and then so many of all, end the warm-up. */
    private static final int QUIET_ROUNDS = 3;

    /** Rounds in which the compilers have to become quiet. */
    private static final int MOST_ROUNDS = 100;

    private static final long TIMEOUT_SECONDS = 600;

    static final List<Row> ECHO = List.of(
            new Row("64 bytes, 1 in flight", 2000, 20),
            new Row("64 bytes, 64 in flight", 16_000, 12),
            new Row("65,536 bytes, 16 in flight", 320, 15));

    static final List<Row> NULL =
            List.of(new Row("NULL calls, 1 in flight", 2000, 20), new Row("NULL calls, 64 in flight", 16_000, 12));

    /** What a program of verbs can do, too. */
    static final List<Row> PING_PONG = ECHO.subList(0, 1);

    private static final Set<String> EXPOSURES =
            Arrays.stream(Exposure.values()).map(Enum::name).collect(Collectors.toSet());

    private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

    /**
     * What is counted of a scenario.
     *
     * @param scenario     with the number of messages of a round
     * @param warmUpRounds rounds before its warm-up can end: enough for what runs once per message, or once per batch
     *                     of messages, to be compiled for good
     */
    record Row(Scenario scenario, int warmUpRounds) {

        Row(String scenario, int messages, int warmUpRounds) {
            this(Scenarios.named(scenario).withMessages(messages), warmUpRounds);
        }
    }

    /**
     * One round, in the order of a line's columns, which tabulators separate.
     *
     * @param scenario     its name
     * @param label        names what is counted
     * @param instructions of both loops, per message
     * @param share        what both loops executed of all that was executed, from 0 to 1
     * @param compiled     what the compilers executed of it, rounded to milliseconds
     */
    private record Round(String scenario, String label, double instructions, double share, double compiled) {

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT, "%s\t%s\t%.1f\t%.4f\t%.4f", scenario, label, instructions, share, compiled);
        }
    }

    /** What is counted. */
    interface Opener {
        CountedLoad open(Scenario scenario) throws Exception;
    }

    private final String label;
    private final Opener opener;
    private final double quietShare;
    private final PrintStream out;
    private final Map<Row, CountedLoad> connections = new LinkedHashMap<>();

    /**
     * @param label      names what is counted
     * @param quietShare a test gives what every round meets
     */
    InstructionCount(String label, Opener opener, double quietShare, PrintStream out) {
        this.label = label;
        this.opener = opener;
        this.quietShare = quietShare;
        this.out = out;
    }

    /** Counts so many rounds of each row. */
    void run(List<Row> rows, int rounds) throws Exception {
        for (Row row : rows) {
            connections.put(row, opener.open(row.scenario()));
            warmUp(List.of(row), row.warmUpRounds());
        }
        warmUp(rows, 0);
        for (int i = 0; i < rounds; i++) {
            turn(rows, RESULT);
        }
    }

    private void warmUp(List<Row> rows, int least) throws Exception {
        int quiet = 0;
        for (int i = 0; i < least || quiet < QUIET_ROUNDS; i++) {
            if (i == least + MOST_ROUNDS) {
                throw new IllegalStateException("the compilers still work after " + i + " rounds");
            }
            quiet = turn(rows, WARM_UP) <= quietShare ? quiet + 1 : 0;
        }
    }

    /** Has one round of each row; returns the largest share of the compilers. */
    private double turn(List<Row> rows, String prefix) throws Exception {
        double compiled = 0;
        for (Row row : rows) {
            Round round = round(row.scenario(), connections.get(row));
            out.println(prefix + round);
            compiled = Math.max(compiled, round.compiled());
        }
        return compiled;
    }

    private Round round(Scenario scenario, CountedLoad loaded) throws Exception {
        long compiledMillis = COMPILERS.getTotalCompilationTime();
        long cpu = loaded.cpuNanos();
        long started = System.nanoTime();
        loaded.turn(TIMEOUT_SECONDS);
        double elapsed = System.nanoTime() - started;
        double used = loaded.cpuNanos() - cpu;
        double compiled = (COMPILERS.getTotalCompilationTime() - compiledMillis) * 1e6;
        return new Round(scenario.name(), label, used / scenario.messages(), used / elapsed, compiled / elapsed);
    }

    @Override
    public void close() {
        connections.values().forEach(CountedLoad::close);
    }

    /** The opener of a stack, or of a ping-pong of verbs with what is exposed meanwhile. */
    static Opener opener(String name) {
        return EXPOSURES.contains(name)
                ? scenario -> new VerbsPingPong(scenario.messages(), Exposure.valueOf(name))
                : scenario -> new Connections(LoadedConnections.open(Stack.valueOf(name), scenario));
    }

    private record Connections(LoadedConnections loaded) implements CountedLoad {

        @Override
        public void turn(long timeoutSeconds) throws Exception {
            loaded.turn(timeoutSeconds);
        }

        @Override
        public long cpuNanos() {
            return loaded.cpuNanos();
        }

        @Override
        public void close() {
            loaded.close();
            loaded.load().forget();
        }
    }

    private static List<Row> rows(String name) {
        return switch (name) {
            case "echo" -> ECHO;
            case "null" -> NULL;
            case "ping-pong" -> PING_PONG;
            default -> throw new IllegalArgumentException("rows: " + name);
        };
    }

    /**
     * Arguments: name of the stack or of an {@link Exposure}; {@code echo}, {@code null} or {@code ping-pong}; rounds;
     * label.
     */
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[2]);
        try (InstructionCount count =
                new InstructionCount(arguments[3], opener(arguments[0]), QUIET_SHARE, System.out)) {
            count.run(rows(arguments[1]), rounds);
        }
        System.exit(0); // whatever threads are left
    }
}
