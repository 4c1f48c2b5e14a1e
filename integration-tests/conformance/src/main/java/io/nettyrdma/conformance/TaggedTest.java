// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import java.util.Set;

/**
 * A test method that carries ids, and what became of it.
 *
 * @param name    class and method, {@code a.b.CTest#method}
 * @param lab     whether it needs the Linux lab
 * @param outcome of all its invocations together
 * @param ids     the requirements it claims to prove
 */
record TaggedTest(String name, boolean lab, Outcome outcome, Set<String> ids) {

    /** In ascending order of what counts when a method has several invocations. */
    enum Outcome {
        /** Not run: filtered out, or never reached. */
        ABSENT,
        SKIPPED,
        PASSED,
        FAILED;

        Outcome and(Outcome other) {
            return compareTo(other) >= 0 ? this : other;
        }
    }

    TaggedTest and(Outcome another) {
        return new TaggedTest(name, lab, outcome.and(another), ids);
    }

    /** {@code CTest.method}. */
    String shortName() {
        return name.substring(name.lastIndexOf('.', name.indexOf('#')) + 1).replace('#', '.');
    }
}
