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
package io.nettyrdma.verbs.choice;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The system properties of this project: all whose names begin with {@value #PREFIX}.
 *
 * <p>Threading: static.
 */
final class ProviderProperties {

    static final String PREFIX = "io.nettyrdma.";

    private ProviderProperties() {}

    /**
     * Refuses misspelt names.
     *
     * @param present names of system properties, of any origin
     * @param known   names that this project reads
     * @throws IllegalArgumentException if another name of this project is set; the message has it and the known ones
     */
    static void check(Collection<String> present, Set<String> known) {
        List<String> unknown = present.stream()
                .filter(name -> name.startsWith(PREFIX) && !known.contains(name))
                .sorted()
                .toList();
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("unknown system property: " + String.join(", ", unknown)
                    + " (expected: one of " + String.join(", ", new TreeSet<>(known)) + ')');
        }
    }
}
