// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Holds the requirements against what the tests of this build have shown, and writes the report. It concludes nothing
 * if a module or a tagged test did not run: with {@code -Dtest=}, in a part of the reactor, or where a test had to be
 * skipped.
 *
 * <p>Arguments: the directory of the integration tests, the build, then {@code part} if only tests that carry a tag
 * have run, as those of the lab.
 */
public final class ConformanceCheck {

    static final List<String> MODULES = List.of(
            "netty-transport-rdma",
            "rpcrdma-codec",
            "examples/basics",
            "examples/nfs",
            "examples/cli",
            "integration-tests/netty",
            "integration-tests/lab",
            "integration-tests/rules");

    private final Path root;
    private final Path report;
    private final Path labFile;
    private final List<RequirementRow> rows;
    private final List<StatusLine> lines;
    private final Evidence evidence;

    ConformanceCheck(Path directory, String build) throws IOException {
        root = directory.resolve("..").normalize();
        report = directory.resolve("rules/target/CONFORMANCE.md");
        labFile = directory.resolve("conformance/lab.csv");
        rows = Csv.requirements(directory.resolve("conformance/requirements.csv"));
        lines = Csv.statuses(directory.resolve("conformance/status.csv"));
        Map<String, ResultFile> modules = new TreeMap<>();
        for (String module : MODULES) {
            modules.put(module, ResultFile.readAll(root.resolve(module).resolve("target"), build));
        }
        evidence = new Evidence(build, modules, Csv.lab(labFile));
    }

    /** Runs the check, for the build. */
    public static void main(String[] arguments) throws IOException, ConformanceException {
        ConformanceCheck check = new ConformanceCheck(Path.of(arguments[0]), arguments[1]);
        System.out.println("conformance: " + (arguments[2].equals("part") ? check.lab() : check.report()));
    }

    /** The outcome in words. */
    String report() throws IOException, ConformanceException {
        Report found = new Report(rows, lines, evidence.byId());
        refuse(found.unknownIds(evidence.tests()));
        List<String> gaps = evidence.gaps(false);
        if (!gaps.isEmpty()) {
            return notChecked(gaps);
        }
        refuse(found.problems());
        Files.createDirectories(report.getParent());
        Files.writeString(report, found.text());
        return "all is shown, see " + report.normalize();
    }

    /** The lab is rarely run, so its result is kept as soon as there is one. */
    String lab() throws IOException, ConformanceException {
        List<TaggedTest> tests =
                evidence.tests().stream().filter(TaggedTest::lab).toList();
        List<String> gaps = evidence.gaps(true);
        if (!gaps.isEmpty()) {
            return notChecked(gaps);
        }
        String text = Csv.labText(tests);
        if (Files.readString(labFile).equals(text)) {
            return "the lab shows the same as before";
        }
        Files.writeString(labFile, text);
        throw new ConformanceException(
                "the lab shows something new, " + labFile.getFileName() + " was rewritten: commit it");
    }

    private static String notChecked(List<String> gaps) {
        return "not checked, " + gaps.get(0) + (gaps.size() == 1 ? "" : " and " + (gaps.size() - 1) + " more");
    }

    private static void refuse(List<String> problems) throws ConformanceException {
        if (!problems.isEmpty()) {
            throw new ConformanceException(String.join("\n", problems));
        }
    }
}
