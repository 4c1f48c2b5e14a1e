// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import io.nettyrdma.conformance.TaggedTest.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes down which tagged tests have run in a module, and how they ended. The JUnit Platform finds it by its service
 * file. It does nothing unless the build says which module this is and which build: a test started from an editor
 * leaves no results behind.
 *
 * <p>Threading: tests may run in parallel.
 */
public final class ConformanceListener extends BuildListener {

    private final Map<String, Outcome> outcomes = new ConcurrentHashMap<>();
    // Surefire repeats failed tests in a plan of their own, which has the last word on them.
    private final Map<String, Outcome> outcomesOfPlan = new ConcurrentHashMap<>();
    // Found once: with several virtual machines for one module, each class of tests is a plan of its own.
    private @Nullable Map<String, TaggedTest> tagged;

    /** For the JUnit Platform. */
    public ConformanceListener() {}

    ConformanceListener(@Nullable String target, @Nullable String build) {
        super(target, build);
    }

    @Override
    public void executionSkipped(TestIdentifier identifier, String reason) {
        record(identifier, Outcome.SKIPPED);
    }

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
        switch (result.getStatus()) {
            case FAILED -> record(identifier, Outcome.FAILED);
            case ABORTED -> record(identifier, Outcome.SKIPPED);
            case SUCCESSFUL -> {
                // A container that ended well says nothing: it may have held no test at all.
                if (identifier.isTest()) {
                    record(identifier, Outcome.PASSED);
                }
            }
        }
    }

    /** An invocation of a parameterized test counts for its method. */
    private void record(TestIdentifier identifier, Outcome outcome) {
        if (sourceOf(identifier).orElse(null) instanceof MethodSource source) {
            String name = TaggedTests.name(source.getJavaClass(), source.getMethodName());
            outcomesOfPlan.merge(name, outcome, Outcome::and);
        }
    }

    @Override
    public void testPlanExecutionFinished(TestPlan testPlan) {
        outcomes.putAll(outcomesOfPlan);
        outcomesOfPlan.clear();
        if (target == null || build == null) {
            return;
        }
        Path directory = Path.of(target);
        Path file = ResultFile.file(directory, Lane.tested());
        try {
            if (tagged == null) {
                tagged = TaggedTests.in(directory.resolve("test-classes"));
            }
            Map<String, TaggedTest> tests = new TreeMap<>(tagged);
            outcomes.forEach((name, outcome) -> tests.computeIfPresent(name, (key, test) -> test.and(outcome)));
            new ResultFile(build, tests.values()).addTo(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }
}
