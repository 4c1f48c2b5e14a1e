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
