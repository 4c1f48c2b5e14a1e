// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.verbs.strict.StrictSeed;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * The tests of a class run over several providers: a JVM for each, with one provider for all of its tests. Every build
 * runs them over the software provider, and again over the strict device; {@code -Dtest.over=} chooses one provider,
 * by a name of {@link Lane} in lower case. Tests that are also tagged {@code contract} run over other providers, too,
 * but where {@link NotOver} gives a reason.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Tag("over")
@ExtendWith({Over.Chosen.class, StrictSeed.class})
public @interface Over {

    /** Skips classes that do not run over the provider of this JVM. */
    final class Chosen implements ExecutionCondition {

        private static final ConditionEvaluationResult ENABLED = ConditionEvaluationResult.enabled("runs over each");

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            Lane lane = Lane.tested();
            if (lane.isOfOtherBuilds() && !context.getTags().contains("contract")) {
                return ConditionEvaluationResult.disabled("no contract");
            }
            return AnnotationSupport.findRepeatableAnnotations(context.getTestClass(), NotOver.class).stream()
                    .filter(missing -> Arrays.asList(missing.value()).contains(lane))
                    .findFirst()
                    .map(missing -> ConditionEvaluationResult.disabled(missing.reason()))
                    .orElse(ENABLED);
        }
    }
}
