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
 * Holds {@code CONFORMANCE.md} against what the tests of this build have shown. It concludes nothing if a module or a
 * tagged test did not run: with {@code -Dtest=}, in a part of the reactor, or where a test had to be skipped.
 *
 * <p>Arguments: the directory of the integration tests, the build, then any of {@code part} (only tests that carry a
 * tag have run, as those of the lab), {@code write=true} (generate the file) and {@code required=true} (concluding
 * nothing is a failure).
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
    private final GeneratedFile report;
    private final Path labFile;
    private final List<RequirementRow> rows;
    private final List<StatusLine> lines;
    private final Evidence evidence;

    ConformanceCheck(Path directory, String build, List<String> options) throws IOException {
        root = directory.resolve("..").normalize();
        report = new GeneratedFile(directory.resolve("CONFORMANCE.md"), options);
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
        List<String> options = List.of(arguments).subList(2, arguments.length);
        ConformanceCheck check = new ConformanceCheck(Path.of(arguments[0]), arguments[1], options);
        System.out.println("conformance: " + (options.contains("part") ? check.lab() : check.report()));
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
        if (report.required()) {
            // Here, as the lab itself would find it out half an hour later.
            refuse(evidence.labGaps());
        }
        return report.update(found.text());
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
        throw new ConformanceException("the lab shows something new, " + labFile.getFileName()
                + " was rewritten: run mvn verify -Dconformance.write and commit both files");
    }

    private String notChecked(List<String> gaps) throws ConformanceException {
        return report.notChecked(gaps.get(0) + (gaps.size() == 1 ? "" : " and " + (gaps.size() - 1) + " more"));
    }

    private static void refuse(List<String> problems) throws ConformanceException {
        if (!problems.isEmpty()) {
            throw new ConformanceException(String.join("\n", problems));
        }
    }
}
