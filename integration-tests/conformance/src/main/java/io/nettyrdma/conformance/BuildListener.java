// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Follows the tests of a module, in a build that says by system properties which module this is and which build. */
public abstract class BuildListener implements TestExecutionListener {

    /** The directory that the build compiles the module into; {@code null} if the tests are not part of a build. */
    protected final @Nullable String target;

    /** The build that runs the tests; {@code null} if there is none. */
    protected final @Nullable String build;

    private volatile @Nullable TestPlan plan;

    /** For the JUnit Platform. */
    protected BuildListener() {
        this(System.getProperty("conformance.target"), System.getProperty("conformance.build"));
    }

    /** For tests. */
    protected BuildListener(@Nullable String target, @Nullable String build) {
        this.target = target;
        this.build = build;
    }

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
    }

    /** Returns the method that a test belongs to, as an invocation of a parameterized test does, or else its class. */
    protected final Optional<TestSource> sourceOf(TestIdentifier test) {
        TestPlan current = plan;
        Optional<TestIdentifier> at = Optional.of(test);
        while (at.isPresent() && current != null) {
            TestSource source = at.get().getSource().orElse(null);
            if (source instanceof MethodSource || source instanceof ClassSource) {
                return Optional.of(source);
            }
            at = current.getParent(at.get());
        }
        return Optional.empty();
    }
}
