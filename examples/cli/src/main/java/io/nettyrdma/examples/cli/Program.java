// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.channel.Rdma;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What all commands have in common: what they print, and what is checked before they run. An option that is not
 * {@link InRange}, and RDMA without a provider, get one line. A command that runs out of memory or threads fails as any
 * other.
 */
@Command(
        mixinStandardHelpOptions = true,
        versionProvider = LibraryVersion.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:it went well",
            "1:it failed; the last line says why",
            "2:the command line is wrong; the first line says why",
            "130:Ctrl-C ended it"
        })
abstract class Program implements Callable<Integer> {

    private static final long CLEAN_END_SECONDS = 30;

    @Spec
    CommandSpec spec;

    /** Part of a command. */
    interface Work {
        void run() throws Exception;
    }

    abstract void run() throws Exception;

    /** What the program ends with if nothing has failed. */
    int exitCode() {
        return 0;
    }

    /** Whether it needs a provider with the options that it has. */
    boolean usesRdma() {
        return true;
    }

    /** Prints a whole line, whichever thread it comes from. */
    synchronized void print(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }

    ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }

    @Override
    public final Integer call() throws Exception {
        spec.options().forEach(this::check);
        spec.args().forEach(this::checkPath);
        @Nullable Throwable cause = usesRdma() ? Rdma.unavailabilityCause() : null;
        if (cause != null) {
            throw new IOException(
                    "RDMA is not available: " + cause.getMessage()
                            + "; to use the software provider, which needs no device, set"
                            + " JAVA_OPTS=-Dio.nettyrdma.provider=soft",
                    cause);
        }
        try {
            run();
        } catch (OutOfMemoryError e) { // which picocli would pass on, as it does with all errors
            throw new IOException("out of memory: " + e.getMessage(), e);
        }
        return exitCode();
    }

    /** The empty path is that of the folder at hand, and comes from a variable that is not set. */
    private void checkPath(ArgSpec argument) {
        @Nullable Object value = argument.getValue();
        if (value instanceof Path path && path.toString().isEmpty()) {
            throw wrong((argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel())
                    + " is empty");
        }
    }

    private void check(OptionSpec option) {
        @Nullable
        InRange range =
                option.userObject() instanceof AnnotatedElement field ? field.getAnnotation(InRange.class) : null;
        if (range == null) {
            return;
        }
        @Nullable Integer value = option.getValue();
        if (value != null && (value < range.from() || value > range.to())) {
            String allowed = range.to() < Integer.MAX_VALUE
                    ? range.from() + " to " + range.to()
                    : range.from() == 1 ? "positive" : "at least " + range.from();
            throw wrong(option.longestName() + " must be " + allowed + ", not " + value);
        }
    }

    /** For programs that use the loopback address, which no device serves. */
    static void preferSoftware() {
        if (System.getProperty(Rdma.PROVIDER_PROPERTY) == null) {
            System.setProperty(Rdma.PROVIDER_PROPERTY, "soft");
        }
    }

    /** Turns Ctrl-C into an interrupt of this thread, and lets {@code work} clean up before the program ends. */
    static void endCleanly(Work work) throws Exception {
        Thread thread = Thread.currentThread();
        CountDownLatch ended = new CountDownLatch(1);
        Thread hook = new Thread(() -> {
            thread.interrupt();
            try {
                if (!ended.await(CLEAN_END_SECONDS, TimeUnit.SECONDS)) {
                    System.err.println("error: could not clean up in time");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the end of the JVM does not wait
            }
        });
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            work.run();
        } finally {
            ended.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The program is ending already, and the hook with it.
            }
        }
    }
}
