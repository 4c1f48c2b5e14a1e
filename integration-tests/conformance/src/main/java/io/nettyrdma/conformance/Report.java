// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Joins requirements, hand-written statuses and evidence; finds what does not fit, and writes the table. */
final class Report {

    private static final String TESTED = "tested";
    private static final String NONE = "none";
    private static final List<String> STATUSES = List.of(TESTED, "reviewed", "exception", "open", NONE);

    private final List<RequirementRow> rows;
    private final List<StatusLine> lines;
    private final Map<String, SortedSet<String>> tests;

    Report(List<RequirementRow> rows, List<StatusLine> lines, Map<String, SortedSet<String>> tests) {
        this.rows = rows;
        this.lines = lines;
        this.tests = tests;
    }

    /** What can be wrong even if not all tests have run. */
    List<String> unknownIds(List<TaggedTest> tagged) {
        Set<String> known = new TreeSet<>();
        rows.forEach(row -> known.add(row.id()));
        List<String> problems = new ArrayList<>();
        for (TaggedTest test : tagged) {
            for (String id : test.ids()) {
                if (!known.contains(id)) {
                    problems.add(test.shortName() + " carries the unknown id " + id);
                }
            }
        }
        for (StatusLine line : lines) {
            if (!known.contains(line.first()) || !known.contains(line.last())) {
                problems.add("status.csv has a status for unknown ids: " + line.first() + ".." + line.last());
            }
        }
        return problems;
    }

    /** What is wrong if all tests have run. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (RequirementRow row : rows) {
            List<StatusLine> written = written(row);
            if (written.size() > 1) {
                problems.add(row.id() + " has several statuses in status.csv: " + written);
            } else if (written.isEmpty() && !tests.containsKey(row.id()) && row.isMandatory()) {
                problems.add(row.id() + " is a " + row.level() + " without a test and without a line in status.csv");
            } else if (tests.containsKey(row.id())
                    && written.stream().anyMatch(line -> line.kind() == StatusLine.Kind.REVIEWED)) {
                problems.add(row.id() + " has tests now, its line in status.csv can go");
            }
        }
        return problems;
    }

    private List<StatusLine> written(RequirementRow row) {
        return lines.stream().filter(line -> line.covers(row.id())).toList();
    }

    /** What somebody wrote stands before what tests show: they may show a part of it. */
    private String status(RequirementRow row) {
        List<StatusLine> written = written(row);
        if (!written.isEmpty()) {
            return written.get(0).toString();
        }
        return tests.containsKey(row.id()) ? TESTED : NONE;
    }

    String text() {
        StringBuilder out = new StringBuilder(
                """
                # Conformance

                The texts of the requirements are in integration-tests/conformance/requirements.csv, what tests cannot
                show in status.csv beside it. A row is tested if tests that carry its id passed; tests marked (lab)
                passed when the Linux lab last ran. Tests of a row that is open show a part of it.

                """);
        summary(out);
        out.append("\n| id | level | role | status | tests |\n|---|---|---|---|---|\n");
        for (RequirementRow row : rows) {
            String names = String.join(", ", tests.getOrDefault(row.id(), new TreeSet<>()));
            out.append(String.join(" | ", "| " + row.id(), row.level(), row.role(), status(row), names))
                    .append(names.isEmpty() ? "|\n" : " |\n");
        }
        return out.toString();
    }

    private void summary(StringBuilder out) {
        Map<String, Map<String, Integer>> counts = new TreeMap<>();
        for (RequirementRow row : rows) {
            counts.computeIfAbsent(row.family(), key -> new TreeMap<>())
                    .merge(status(row).split(" ")[0], 1, Integer::sum);
        }
        out.append("| |");
        STATUSES.forEach(status -> out.append(' ').append(status).append(" |"));
        out.append("\n|---|").append("--:|".repeat(STATUSES.size())).append('\n');
        counts.forEach((family, byStatus) -> {
            out.append("| ").append(family).append(" |");
            STATUSES.forEach(status ->
                    out.append(' ').append(byStatus.getOrDefault(status, 0)).append(" |"));
            out.append('\n');
        });
    }
}
