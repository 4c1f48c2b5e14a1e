// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.channel.Rdma;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/**
 * Runs a command if it can run. An option that is not {@link InRange} gets one line. Without an RDMA
 * provider, one line says why, and what to do. A command that runs out of memory or threads fails as any other.
 */
final class CheckedRun implements IExecutionStrategy {

    private final IExecutionStrategy next = new RunLast();

    @Override
    public int execute(ParseResult parsed) {
        for (CommandLine line : parsed.asCommandLineList()) {
            if (!line.isUsageHelpRequested() && !line.isVersionHelpRequested()) {
                line.getCommandSpec().options().forEach(option -> check(line, option));
                if (line.getSubcommands().isEmpty() && usesRdma(line)) {
                    checkProvider(line);
                }
            }
        }
        try {
            return next.execute(parsed);
        } catch (OutOfMemoryError e) { // which picocli would pass on, as it does with all errors
            String text = "out of memory: " + e.getMessage();
            throw new ExecutionException(parsed.commandSpec().commandLine(), text, new IOException(text, e));
        }
    }

    private static boolean usesRdma(CommandLine line) {
        return !(line.getCommand() instanceof ChoosesTransport chooses) || chooses.usesRdma();
    }

    private static void checkProvider(CommandLine line) {
        @Nullable Throwable cause = Rdma.unavailabilityCause();
        if (cause != null) {
            String text = "RDMA is not available: " + cause.getMessage()
                    + "; to use the software provider, which needs no device, set"
                    + " JAVA_OPTS=-Dio.nettyrdma.provider=soft";
            throw new ExecutionException(line, text, new IOException(text, cause));
        }
    }

    private static void check(CommandLine line, OptionSpec option) {
        @Nullable
        InRange range =
                option.userObject() instanceof AnnotatedElement field ? field.getAnnotation(InRange.class) : null;
        if (range == null) {
            return;
        }
        @Nullable Integer value = option.getValue();
        if (value != null && (value < range.from() || value > range.to())) {
            throw new ParameterException(line, option.longestName() + " must be " + describe(range) + ", not " + value);
        }
    }

    private static String describe(InRange range) {
        if (range.to() < Integer.MAX_VALUE) {
            return range.from() + " to " + range.to();
        }
        return range.from() == 1 ? "positive" : "at least " + range.from();
    }
}
