// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A competitor in a JVM of its own, where the compiler sees one transport only, as in the programs that use it. It
 * waits for its turns without using the processor.
 */
final class StackProcess implements AutoCloseable {

    private static final String RESULT = "result:";
    private static final int END_SECONDS = 30;

    private final Process process;
    private final Writer turns;
    private final BufferedReader output;

    private StackProcess(Process process) {
        this.process = process;
        turns = process.outputWriter(StandardCharsets.UTF_8);
        output = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts the JVM, with the options of this one. */
    static StackProcess start(Scenario scenario, Stack stack) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (argument.startsWith("-X") || argument.startsWith("-Dio.netty")) {
                command.add(argument);
            }
        }
        command.addAll(stack.options());
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                StackProcess.class.getName(),
                scenario.name(),
                stack.name()));
        return new StackProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Has one turn of so many messages. */
    EchoResult run(int messages) throws IOException {
        turns.write(messages + "\n");
        turns.flush();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(RESULT)) {
                return EchoResult.parse(line.substring(RESULT.length()));
            }
        }
        throw new IOException("the process of a transport ended before its turn did; its errors are above");
    }

    @Override
    public void close() throws IOException {
        try {
            turns.close();
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("the process of a transport does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }

    /** Arguments: name of the scenario, name of the stack; standard input: messages of each turn. */
    public static void main(String[] arguments) throws Exception {
        Scenario scenario = Scenarios.named(arguments[0]);
        Stack stack = Stack.valueOf(arguments[1]);
        PrintStream out = System.out;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            EchoResult result = new EchoRun(stack, scenario.withMessages(Integer.parseInt(line)))
                    .run(EchoBenchmark.TIMEOUT_SECONDS);
            out.println(RESULT + result.format());
        }
        System.exit(0); // whatever threads a failed turn has left
    }
}
