// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.logs;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * What loggers write while tests run, at level WARN or ERROR. A test declares the lines that it provokes; any other
 * fails it, or its class if it is written too late for that, see {@link NoUndeclaredLogs}. A declaration holds until
 * the end of the class, since what a test provokes may be written by threads that outlive it. In a JVM without that
 * extension, such as one that a test has started, lines are printed.
 *
 * <p>Threading: any. Tests run one after the other.
 */
public final class Logs {

    /**
     * What Netty writes of a promise whose event loop has ended before the promise's listener was added, as happens to
     * whoever is held up between the two while a test ends its groups. No test is about that.
     */
    private static final ExpectedLog AFTER_THE_LOOP = new ExpectedLog(
            "io.netty.util.concurrent.DefaultPromise.rejectedExecution", "Event loop shut down?", false);

    private static final List<LogLine> UNDECLARED = new ArrayList<>();
    private static final List<ExpectedLog> DECLARED = new ArrayList<>();
    private static boolean captured;
    private static String during = "the start";

    private Logs() {}

    /** Like {@link #expect(String, String)}, of the logger that a class has. */
    public static ExpectedLog expect(Class<?> logger, String part) {
        return expect(logger.getName(), part);
    }

    /**
     * Declares a line that the test provokes, before or after it is written. The test fails unless one is written, for
     * which its end waits.
     *
     * @param logger the logger's name
     * @param part what the message contains
     */
    public static ExpectedLog expect(String logger, String part) {
        return declare(new ExpectedLog(logger, part, true));
    }

    /** Declares a line that is written or not as the threads of the test happen to run: the test is about neither. */
    public static ExpectedLog allow(String logger, String part) {
        return declare(new ExpectedLog(logger, part, false));
    }

    /** Declares an exception that no handler of a pipeline takes, of which Netty warns. */
    public static ExpectedLog expectUnhandledException() {
        return expect("io.netty.channel.DefaultChannelPipeline", "An exceptionCaught() event was fired");
    }

    /** As {@link #allow}, of an exception that no handler of a pipeline takes: some devices end connections without. */
    public static ExpectedLog allowUnhandledException() {
        return allow("io.netty.channel.DefaultChannelPipeline", "An exceptionCaught() event was fired");
    }

    private static synchronized ExpectedLog declare(ExpectedLog expected) {
        UNDECLARED.removeIf(expected::take);
        DECLARED.add(0, expected); // before what earlier tests of the class have declared
        return expected;
    }

    static void write(Level level, String logger, String message, @Nullable Throwable thrown) {
        LogLine line;
        synchronized (Logs.class) {
            line = new LogLine(
                    level, logger, message, thrown, Thread.currentThread().getName(), during);
            if (captured) {
                if (DECLARED.stream().noneMatch(expected -> expected.take(line)) && !AFTER_THE_LOOP.take(line)) {
                    UNDECLARED.add(line);
                }
                return;
            }
        }
        System.err.println(line);
    }

    /** From now on lines are kept instead of printed; what is left when the JVM ends is printed then. */
    static void capture() {
        synchronized (Logs.class) {
            captured = true;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> takeUndeclared().forEach(System.err::println)));
    }

    static synchronized void begin(String test) {
        during = test;
    }

    static synchronized List<ExpectedLog> declared() {
        return List.copyOf(DECLARED);
    }

    static synchronized void forgetDeclared() {
        DECLARED.clear();
    }

    static synchronized List<LogLine> takeUndeclared() {
        List<LogLine> taken = List.copyOf(UNDECLARED);
        UNDECLARED.clear();
        return taken;
    }
}
