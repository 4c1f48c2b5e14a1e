// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
