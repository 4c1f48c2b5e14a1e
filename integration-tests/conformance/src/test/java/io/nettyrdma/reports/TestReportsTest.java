// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.reports;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestReportsTest {

    private static final Instant BEGUN = Instant.parse("2026-01-01T00:00:00Z");

    private static final String REPORT =
            """
            <testsuite name="a.OneTest" tests="4">
              <testcase name="isSkipped" classname="a.OneTest"><skipped message="not here"/></testcase>
              <testcase name="fails" classname="a.OneTest">
                <failure message="expected: 1&#10; but was: 2" type="org.opentest4j.AssertionFailedError"><![CDATA[...
                    at org.assertj.Assertions.fail(Assertions.java:1)
                    at app//io.nettyrdma.a.OneTest.fails(OneTest.java:2)
                    at io.nettyrdma.a.OneTest.main(OneTest.java:3)
                    at io.nettyrdma.a.OneTest.more(OneTest.java:4)
                ]]></failure>
                <rerunFailure message="again" type="org.opentest4j.AssertionFailedError"/>
              </testcase>
              <testcase name="passesLater(int)[2]" classname="a.OneTest">
                <flakyError type="java.util.concurrent.TimeoutException"><system-out>in time</system-out></flakyError>
                <flakyFailure message="once more" type="java.lang.AssertionError"/>
              </testcase>
              <testcase classname="a.OneTest">
                <error message="before all" type="java.lang.IllegalStateException"/>
              </testcase>
            </testsuite>
            """;

    @TempDir
    Path root;

    @BeforeEach
    void report() throws Exception {
        Path reports = Files.createDirectories(root.resolve("module/target/surefire-reports"));
        Files.writeString(reports.resolve("TEST-a.OneTest.xml"), REPORT);
        Path old = Files.writeString(reports.resolve("TEST-a.OldTest.xml"), REPORT.replace("OneTest", "OldTest"));
        Files.setLastModifiedTime(old, FileTime.from(BEGUN.minusSeconds(1)));
    }

    @Test
    void failedTestsAreListedOnceWithTheirFirstReasonAndPlace() throws Exception {
        assertThat(ask("failed"))
                .containsExactly(
                        "a.OneTest.fails: expected: 1 but was: 2",
                        "    at io.nettyrdma.a.OneTest.fails(OneTest.java:2)",
                        "    at io.nettyrdma.a.OneTest.main(OneTest.java:3)",
                        "a.OneTest: before all");
    }

    @Test
    void testsThatPassedWhenRepeatedAreListedApart() throws Exception {
        assertThat(ask("flaky"))
                .containsExactly(
                        "passed only when repeated, which is a defect of the test or of what it tests:",
                        "a.OneTest.passesLater(int)[2]: TimeoutException");
    }

    @Test
    void classesAreThoseThatFailed() throws Exception {
        assertThat(ask("classes")).containsExactly("a.OneTest");
    }

    @Test
    void classesOfWhichSomethingRanAreThoseOfSourceFiles() throws Exception {
        Path reports = root.resolve("module/target/surefire-reports");
        Files.writeString(
                reports.resolve("TEST-a.TwoTest-nio.xml"),
                "<testsuite><testcase classname='a.TwoTest$Nested(nio)'/><testcase classname='a.TwoTest(nio)'>"
                        + "<skipped/></testcase><testcase classname='a.ThreeTest'><skipped/></testcase></testsuite>");
        assertThat(ask("ran")).containsExactly("a.OneTest", "a.TwoTest");
    }

    @Test
    void brokenReportIsAFailure() throws Exception {
        Path nested = Files.createDirectories(root.resolve("integration-tests/module/target/surefire-reports"));
        Files.writeString(nested.resolve("TEST-a.BrokenTest.xml"), "<testsuite><testcase classname='a.BrokenTest'>");
        assertThat(ask("failed")).last().asString().startsWith("a.BrokenTest: broken report: ");
        assertThat(ask("classes")).containsExactly("a.BrokenTest", "a.OneTest");
    }

    @Test
    void reportsOfEarlierBuildsDoNotCount() throws Exception {
        assertThat(ask("count")).containsExactly("4 1");
    }

    private List<String> ask(String question) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            TestReports.main(new String[] {question, root.toString(), BEGUN.toString()});
        } finally {
            System.setOut(before);
        }
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
