// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.contracts;

import io.nettyrdma.conformance.BuildListener;
import io.nettyrdma.conformance.Lane;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes down which tests of contracts did not apply to a provider, and why. The JUnit Platform finds it by its service
 * file. Without the properties {@code conformance.target} and {@code conformance.build} it does nothing.
 *
 * <p>Threading: tests may run in parallel.
 */
public final class ContractListener extends BuildListener {

    /** Stands for all tests of a class. */
    static final String ALL = "*";

    private static final String ASSUMPTION = "Assumption failed: ";

    /** A test method, or {@link #ALL} of a class, with all its invocations. */
    private static final class Invocations {
        private final SortedSet<String> reasons = new ConcurrentSkipListSet<>();
        private volatile boolean applied;

        String reason() {
            return (applied ? "in part: " : "") + String.join("; ", reasons);
        }
    }

    private final Map<Class<?>, Map<String, Invocations>> classes = new ConcurrentHashMap<>();

    /** For the JUnit Platform. */
    public ContractListener() {}

    ContractListener(@Nullable String target, @Nullable String build) {
        super(target, build);
    }

    @Override
    public void executionSkipped(TestIdentifier identifier, String reason) {
        record(identifier, reason);
    }

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
            String message = result.getThrowable().map(Throwable::getMessage).orElse("no reason given");
            record(identifier, message.startsWith(ASSUMPTION) ? message.substring(ASSUMPTION.length()) : message);
        } else if (identifier.isTest()) {
            record(identifier, null);
        }
    }

    /** @param reason why it does not apply; {@code null} if it does, however it ended */
    private void record(TestIdentifier identifier, @Nullable String reason) {
        TestSource source = sourceOf(identifier).orElse(null);
        if (source instanceof MethodSource method) {
            record(method.getJavaClass(), method.getMethodName(), reason);
        } else if (source instanceof ClassSource type) {
            record(type.getJavaClass(), ALL, reason);
        }
    }

    private void record(Class<?> type, String method, @Nullable String reason) {
        if (!ContractClasses.isContract(type)) {
            return;
        }
        Invocations invocations = classes.computeIfAbsent(type, it -> new ConcurrentHashMap<>())
                .computeIfAbsent(method, it -> new Invocations());
        if (reason == null) {
            invocations.applied = true;
        } else {
            invocations.reasons.add(reason.replaceAll("\\s+", " "));
        }
    }

    @Override
    public void testPlanExecutionFinished(TestPlan testPlan) {
        if (target == null || build == null) {
            return;
        }
        try {
            for (Map.Entry<Class<?>, Map<String, Invocations>> entry : classes.entrySet()) {
                SortedMap<String, String> reasons = new TreeMap<>();
                entry.getValue().forEach((method, invocations) -> {
                    if (!invocations.reasons.isEmpty()) {
                        reasons.put(method, invocations.reason());
                    }
                });
                Path directory =
                        Path.of(target, ContractResults.DIRECTORY, Lane.tested().lowerCase());
                new ContractResults(build, reasons).write(directory, entry.getKey());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
