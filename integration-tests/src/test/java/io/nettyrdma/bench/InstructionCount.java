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
package io.nettyrdma.bench;

import java.io.PrintStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Counts the instructions per message, where a nanosecond is one: in the guest of {@code integration-tests/instructions},
 * whose help says why that holds and what is counted. Anywhere else it prints CPU time.
 *
 * <p>Each scenario has connections of its own. All are warmed up before the first counts; then each has its round in turn.
 * A round's number is what both event loops have executed, in the kernel too, divided by the messages. What the compilers
 * and the garbage collector execute is not in it; how much that was can be seen from the share of the loops.
 */
final class InstructionCount {

    /** Begins each line with a result; what follows is described at {@link Round}. */
    static final String RESULT = "count:";

    /** What the compilers may execute in a quiet round, as a part of all that is executed. */
    private static final double QUIET_SHARE = 0.02;

    /** So many quiet rounds in succession end the warm-up. */
    private static final int QUIET_ROUNDS = 3;

    private static final int MOST_ROUNDS = 100;
    private static final long TIMEOUT_SECONDS = 600;

    /**
     * What is counted of a scenario.
     *
     * @param scenario with the number of messages of a round
     * @param warmUp   messages before the warm-up can end: enough for what runs once per message, or once per batch of
     *                 messages, to be compiled for good
     */
    record Row(Scenario scenario, int warmUp) {

        Row(String scenario, int messages, int warmUp) {
            this(EchoBenchmark.named(scenario).withMessages(messages), warmUp);
        }
    }

    /**
     * One round, in the order of a line's columns, which tabulators separate.
     *
     * @param scenario     its name
     * @param stack        label of the stack
     * @param instructions of both loops, per message
     * @param share        what both loops executed of all that was executed, from 0 to 1
     */
    private record Round(String scenario, String stack, double instructions, double share) {

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%s\t%s\t%.1f\t%.4f", scenario, stack, instructions, share);
        }
    }

    static final List<Row> ECHO = List.of(
            new Row("64 octets, 1 in flight", 2000, 40_000),
            new Row("64 octets, 64 in flight", 16_000, 192_000),
            new Row("65,536 octets, 16 in flight", 320, 4800));

    static final List<Row> NULL = List.of(
            new Row("NULL calls, 1 in flight", 2000, 40_000), new Row("NULL calls, 64 in flight", 16_000, 192_000));

    private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

    private final Row row;
    private final Stack stack;
    private final LoadedConnections connections;

    private final double quietShare;

    private InstructionCount(Row row, Stack stack, double quietShare) throws InterruptedException {
        this.row = row;
        this.stack = stack;
        this.quietShare = quietShare;
        connections = LoadedConnections.open(stack, row.scenario());
    }

    /**
     * Counts so many rounds of each row.
     *
     * @param quietShare what the compilers may execute in a quiet round, as a part of all that is executed
     */
    static void count(Stack stack, List<Row> rows, int rounds, double quietShare, PrintStream out) throws Exception {
        List<InstructionCount> counts = new ArrayList<>();
        try {
            for (Row row : rows) {
                InstructionCount count = new InstructionCount(row, stack, quietShare);
                counts.add(count);
                count.warmUp(out);
            }
            for (int i = 0; i < rounds; i++) {
                for (InstructionCount count : counts) {
                    out.println(RESULT + count.round());
                }
            }
        } finally {
            for (InstructionCount count : counts) {
                count.connections.close();
                count.connections.load().forget();
            }
        }
    }

    private void warmUp(PrintStream out) throws Exception {
        int quiet = 0;
        int messages = row.scenario().messages();
        for (int i = 0; quiet < QUIET_ROUNDS || (long) i * messages < row.warmUp(); i++) {
            if (i == Math.max(MOST_ROUNDS, 2 * row.warmUp() / messages)) {
                throw new IllegalStateException(
                        row.scenario().name() + ": the compilers still work after " + i + " rounds");
            }
            long started = System.nanoTime();
            long compiled = COMPILERS.getTotalCompilationTime();
            out.println("warm-up:" + round());
            double compiledNanos = (COMPILERS.getTotalCompilationTime() - compiled) * 1e6;
            quiet = compiledNanos <= quietShare * (System.nanoTime() - started) ? quiet + 1 : 0;
        }
    }

    private Round round() throws Exception {
        long cpu = connections.cpuNanos();
        long started = System.nanoTime();
        connections.turn(TIMEOUT_SECONDS);
        long elapsed = System.nanoTime() - started;
        long used = connections.cpuNanos() - cpu;
        Scenario scenario = row.scenario();
        return new Round(scenario.name(), stack.label(), (double) used / scenario.messages(), (double) used / elapsed);
    }

    /** Arguments: name of the stack, {@code echo} or {@code null}, rounds. */
    public static void main(String[] arguments) throws Exception {
        List<Row> rows = arguments[1].equals("echo") ? ECHO : NULL;
        count(Stack.valueOf(arguments[0]), rows, Integer.parseInt(arguments[2]), QUIET_SHARE, System.out);
        System.exit(0); // whatever threads a failed turn has left
    }
}
