// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets a class run only with all traits at once: its sweeps and floods take tens of seconds, too
 * many to repeat them for each trait alone.
 */
public final class AllTraitsOnly implements ExecutionCondition {

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return StrictDevice.shared().traits().equals(Trait.all())
                ? ConditionEvaluationResult.enabled("all traits at once")
                : ConditionEvaluationResult.disabled("takes too long to be repeated for each trait");
    }
}
