// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.io.IOException;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Boots the guest when the first test asks for it and gives the same one to all of this JVM. It ends with the JVM, as
 * Surefire runs each class as a plan of its own where it has two JVMs, and boots would be a good part of the minutes.
 */
final class LabExtension implements ExecutionCondition, ParameterResolver {
    private static final Logger LOGGER = LoggerFactory.getLogger(LabExtension.class);

    private static LabGuest guest;

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        try {
            LabRequirements.requireGuest();
            LabRequirements.requireCapture();
            return ConditionEvaluationResult.enabled("the lab is prepared");
        } catch (TestAbortedException e) {
            // A condition and not an assumption in a @BeforeAll, which Surefire reports as zero tests, without the
            // reason.
            LOGGER.warn("{} skipped: {}", context.getDisplayName(), e.getMessage());
            return ConditionEvaluationResult.disabled(e.getMessage());
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == LabGuest.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return guest();
    }

    private static synchronized LabGuest guest() {
        // A guest that one test crashed must not fail the others, so they get a new one.
        if (guest == null || !guest.isAlive()) {
            try {
                if (guest != null) {
                    guest.close();
                }
                guest = LabGuest.boot();
            } catch (IOException e) {
                throw new IllegalStateException("the lab's guest did not boot", e);
            }
        }
        return guest;
    }
}
