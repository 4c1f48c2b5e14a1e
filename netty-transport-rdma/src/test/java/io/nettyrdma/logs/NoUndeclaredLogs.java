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
