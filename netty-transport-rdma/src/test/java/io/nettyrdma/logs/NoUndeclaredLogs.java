// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.logs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.event.Level;

/**
 * Makes a line at level WARN or ERROR that no test has declared fail the test during which it was written, and so an
 * exception that ends a thread; whatever comes after the last test of a class fails the class. JUnit finds this
 * extension by itself, here and in modules that have the tests of this one on their class path.
 */
public final class NoUndeclaredLogs
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

    /** The name of the logger that is said to have written of exceptions that ended a thread. */
    public static final String UNCAUGHT = "uncaught";

    static {
        Logs.capture();
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, thrown) -> Logs.write(Level.ERROR, UNCAUGHT, thread.getName(), thrown));
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        Logs.begin(context.getDisplayName());
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        Logs.begin(context.getRequiredTestClass().getSimpleName() + ", " + context.getDisplayName());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (context.getExecutionException().isEmpty()) {
            Logs.declared().forEach(ExpectedLog::settle);
        } else {
            Logs.declared().forEach(ExpectedLog::forgo);
        }
        assertNothingUndeclared();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (context.getRequiredTestClass().getEnclosingClass() == null) {
            try {
                assertNothingUndeclared();
            } finally {
                Logs.forgetDeclared();
            }
            Logs.begin("what follows " + context.getDisplayName());
        }
    }

    /** The same for tests of another framework, to be called after them. It works once this class is initialized. */
    public static void assertNothingUndeclared() {
        assertThat(Logs.takeUndeclared())
                .as("lines at level WARN or ERROR that no test has declared")
                .isEmpty();
    }
}
