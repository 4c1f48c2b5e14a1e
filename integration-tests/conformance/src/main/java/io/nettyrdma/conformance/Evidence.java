// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import io.nettyrdma.conformance.TaggedTest.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What this build and the last run of the lab have shown.
 *
 * @param build   the build that asks
 * @param modules results by module
 * @param lab     tests that passed when the lab last ran, with their ids then
 */
record Evidence(String build, Map<String, ResultFile> modules, Map<String, Set<String>> lab) {

    /** The module with the lab's tests; no other has to run any when the lab does. */
    private static final String LAB_MODULE = "integration-tests/lab";

    /** All tagged tests of the modules that ran in this build. */
    List<TaggedTest> tests() {
        return modules.values().stream()
                .filter(this::isOfThisBuild)
                .map(ResultFile::tests)
                .flatMap(Collection::stream)
                .toList();
    }

    private boolean isOfThisBuild(ResultFile results) {
        return results.build().equals(build);
    }

    /** Why nothing can be concluded about the tests outside, or inside, the lab; empty if something can. */
    List<String> gaps(boolean inLab) {
        List<String> gaps = new ArrayList<>();
        modules.forEach((module, results) -> {
            if (!isOfThisBuild(results)) {
                if (!inLab || module.equals(LAB_MODULE)) {
                    gaps.add(module + " was not tested in this build");
                }
                return;
            }
            for (TaggedTest test : results.tests()) {
                if (test.lab() == inLab && test.outcome() != Outcome.PASSED) {
                    gaps.add(test.shortName() + " is " + test.outcome().name().toLowerCase(Locale.ROOT));
                }
            }
        });
        return gaps;
    }

    /** The tests that prove an id, by id; those of the lab are marked. */
    Map<String, SortedSet<String>> byId() {
        Map<String, SortedSet<String>> tests = new TreeMap<>();
        for (TaggedTest test : tests()) {
            Set<String> ids = new TreeSet<>(test.ids());
            if (test.lab()) {
                // A claim counts if it was there when the lab ran and has not been withdrawn since.
                ids.retainAll(lab.getOrDefault(test.name(), Set.of()));
            }
            String name = test.shortName() + (test.lab() ? " (lab)" : "");
            ids.forEach(id -> tests.computeIfAbsent(id, key -> new TreeSet<>()).add(name));
        }
        return tests;
    }
}
