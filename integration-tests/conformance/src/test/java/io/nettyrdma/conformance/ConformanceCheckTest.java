// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.conformance.TaggedTest.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConformanceCheckTest {

    private static final String NOW = "now";

    @TempDir
    Path root;

    private Path directory;

    @BeforeEach
    void threeRequirements() throws IOException {
        directory = root.resolve("integration-tests");
        Files.createDirectories(directory.resolve("conformance"));
        write(
                "requirements.csv",
                "id,doc,section,level,role,requirement,test_idea",
                "V1-001,RFC,1,MUST,both,\"This, and that\",idea",
                "V1-002,RFC,2,MUST NOT,requester,Never,idea",
                "PD-001,RFC,3,MAY,both,Perhaps,idea");
        write("status.csv", "ids,status,reason", "V1-002,reviewed,there is no such code");
        write("lab.csv", "test,ids");
        for (String module : ConformanceCheck.MODULES) {
            results(module, NOW);
        }
    }

    @Test
    void reportSaysOfEachRequirementWhatProvesIt() throws Exception {
        results("examples/cli", NOW, test("p.ATest#one", "V1-001"));
        check().report();

        assertThat(Files.readString(directory.resolve("rules/target/CONFORMANCE.md")))
                .contains("| V1-001 | MUST | both | tested | ATest.one |\n")
                .contains("| V1-002 | MUST NOT | requester | reviewed (there is no such code) | |\n")
                .contains("| PD-001 | MAY | both | none | |\n")
                .contains("| V1 | 1 | 1 | 0 | 0 | 0 |\n");
    }

    @Test
    void mandatoryRequirementNeedsATestOrAStatus() {
        assertFails("V1-001 is a MUST without a test and without a line in status.csv");
    }

    @Test
    void unknownIdsFailEvenIfNotEverythingRan() throws IOException {
        results("rpcrdma-codec", "before");
        results("examples/cli", NOW, test("p.ATest#one", "V1-999"));
        assertFails("ATest.one carries the unknown id V1-999");
    }

    @Test
    void statusForUnknownIdsFails() throws IOException {
        write("status.csv", "ids,status,reason", "V1-002..V1-009,open,later");
        assertFails("unknown ids: V1-002..V1-009");
    }

    @Test
    void statusesMustNotOverlap() throws IOException {
        write("status.csv", "ids,status,reason", "V1-001..V1-002,open,later", "V1-002,exception,never");
        assertFails("V1-002 has several statuses");
    }

    @Test
    void reviewIsObsoleteOnceThereIsATest() throws IOException {
        results("examples/cli", NOW, test("p.ATest#one", "V1-001", "V1-002"));
        assertFails("V1-002 has tests now");
    }

    @Test
    void openRowsMayHaveTests() throws Exception {
        write("status.csv", "ids,status,reason", "V1-001..V1-002,open,later");
        results("examples/cli", NOW, test("p.ATest#one", "V1-001"));
        check().report();

        assertThat(Files.readString(directory.resolve("rules/target/CONFORMANCE.md")))
                .contains("| V1-001 | MUST | both | open (later) | ATest.one |");
    }

    @Test
    void resultsOfAnotherBuildConcludeNothing() throws Exception {
        results("rpcrdma-codec", "before", test("p.ATest#one", "V1-001"));

        assertThat(check().report()).isEqualTo("not checked, rpcrdma-codec was not tested in this build");
    }

    @Test
    void testsThatDidNotRunConcludeNothing() throws Exception {
        results(
                "examples/cli",
                NOW,
                test("p.ATest#one", "V1-001"),
                new TaggedTest("p.ATest#two", false, Outcome.SKIPPED, Set.of("V1-001")),
                new TaggedTest("p.ATest#three", false, Outcome.ABSENT, Set.of("V1-001")));

        assertThat(check().report()).isEqualTo("not checked, ATest.two is skipped and 1 more");
    }

    @Test
    void testThatIsSkippedOverOneProviderCountsAsItPassedOverAnother() throws Exception {
        results("examples/cli", Lane.SOFT, new TaggedTest("p.ATest#one", false, Outcome.SKIPPED, Set.of("V1-001")));
        results("examples/cli", Lane.STRICT, test("p.ATest#one", "V1-001"));
        check().report();

        assertThat(Files.readString(directory.resolve("rules/target/CONFORMANCE.md")))
                .contains("| V1-001 | MUST | both | tested | ATest.one |");
    }

    @Test
    void testThatFailsOverOneProviderIsAGap() throws Exception {
        results("examples/cli", Lane.SOFT, test("p.ATest#one", "V1-001"));
        results("examples/cli", Lane.STRICT, new TaggedTest("p.ATest#one", false, Outcome.FAILED, Set.of("V1-001")));

        assertThat(check().report()).isEqualTo("not checked, ATest.one is failed");
    }

    @Test
    void skippedTestOfAnotherClaimIsAGap() throws Exception {
        TaggedTest skipped = new TaggedTest("p.AOverBTest#one", false, Outcome.SKIPPED, Set.of("V1-002"));
        results("examples/cli", NOW, test("p.ATest#one", "V1-001"), skipped);

        assertThat(check().report()).isEqualTo("not checked, AOverBTest.one is skipped");
    }

    @Test
    void labCountsAsItLastRan() throws Exception {
        write("lab.csv", "test,ids", "p.LabTest#mount,V1-001 PD-001");
        results("integration-tests/lab", NOW, lab(Outcome.ABSENT, "V1-001"));
        check().report();

        assertThat(Files.readString(directory.resolve("rules/target/CONFORMANCE.md")))
                .contains("| V1-001 | MUST | both | tested | LabTest.mount (lab) |")
                .contains("| PD-001 | MAY | both | none | |"); // the claim was withdrawn since
    }

    @Test
    void labThatNeverRanProvesNothing() throws IOException {
        results("integration-tests/lab", NOW, lab(Outcome.ABSENT, "V1-001"));
        assertFails("V1-001 is a MUST without a test");
    }

    @Test
    void runOfTheLabIsKept() throws Exception {
        results("integration-tests/lab", NOW, lab(Outcome.PASSED, "V1-001"));

        assertThatThrownBy(() -> check().lab())
                .isInstanceOf(ConformanceException.class)
                .hasMessageContaining("commit");

        assertThat(directory.resolve("conformance/lab.csv")).hasContent("test,ids\np.LabTest#mount,V1-001\n");
        assertThat(check().lab()).isEqualTo("the lab shows the same as before");
    }

    @Test
    void skippedLabChangesNothing() throws Exception {
        write("lab.csv", "test,ids", "p.LabTest#mount,V1-001");
        results("integration-tests/lab", NOW, lab(Outcome.SKIPPED, "V1-001", "V1-002"));

        assertThat(check().lab()).isEqualTo("not checked, LabTest.mount is skipped");
        assertThat(directory.resolve("conformance/lab.csv")).hasContent("test,ids\np.LabTest#mount,V1-001\n");
    }

    private void assertFails(String message) {
        assertThatThrownBy(() -> check().report())
                .isInstanceOf(ConformanceException.class)
                .hasMessageContaining(message);
    }

    private ConformanceCheck check() throws IOException {
        return new ConformanceCheck(directory, NOW);
    }

    private void write(String file, String... lines) throws IOException {
        Files.writeString(directory.resolve("conformance").resolve(file), String.join("\n", lines) + "\n");
    }

    private void results(String module, String build, TaggedTest... tests) throws IOException {
        new ResultFile(build, List.of(tests))
                .write(ResultFile.file(root.resolve(module).resolve("target"), Lane.SOFT));
    }

    private void results(String module, Lane lane, TaggedTest test) throws IOException {
        new ResultFile(NOW, List.of(test))
                .write(ResultFile.file(root.resolve(module).resolve("target"), lane));
    }

    private static TaggedTest test(String name, String... ids) {
        return new TaggedTest(name, false, Outcome.PASSED, Set.of(ids));
    }

    private static TaggedTest lab(Outcome outcome, String... ids) {
        return new TaggedTest("p.LabTest#mount", true, outcome, Set.of(ids));
    }
}
