// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.nettyrdma.conformance.TaggedTest.Outcome;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class ConformanceListenerTest {

    private static final LauncherConfig NO_OTHER_LISTENERS = LauncherConfig.builder()
            .enableTestExecutionListenerAutoRegistration(false)
            .build();

    @TempDir
    Path target;

    @BeforeEach
    void compile() throws IOException, URISyntaxException {
        Path classes = Path.of(Samples.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Path copies = target.resolve("test-classes/io/nettyrdma/conformance");
        Files.createDirectories(copies);
        for (String name : new String[] {
            "Samples", "Samples$Mixed", "Samples$Contract", "Samples$Provider", "Samples$Device", "Samples$Repeated"
        }) {
            Path file = Path.of("io/nettyrdma/conformance/" + name + ".class");
            Files.copy(classes.resolve(file), copies.resolve(file.getFileName()));
        }
    }

    @Test
    void methodsGetTheOutcomeOfAllTheirInvocations() throws IOException {
        run("now", Samples.Mixed.class);

        assertThat(outcomes())
                .isEqualTo(Map.of(
                        "Samples$Mixed.passes", Outcome.PASSED,
                        "Samples$Mixed.failing", Outcome.FAILED,
                        "Samples$Mixed.disabled", Outcome.SKIPPED,
                        "Samples$Mixed.failsOnce", Outcome.FAILED,
                        "Samples$Mixed.abortsOnce", Outcome.PASSED,
                        "Samples$Mixed.inTheLab", Outcome.ABSENT,
                        "Samples$Provider.holds", Outcome.ABSENT,
                        "Samples$Repeated.passesTheSecondTime", Outcome.ABSENT));
    }

    @Test
    void idsOfClassAndMethodAddUp() throws IOException {
        run("now", Samples.Mixed.class);

        assertThat(read().tests())
                .filteredOn(test -> test.shortName().equals("Samples$Mixed.passes"))
                .containsExactly(new TaggedTest(
                        "io.nettyrdma.conformance.Samples$Mixed#passes",
                        false,
                        Outcome.PASSED,
                        Set.of("V1-001", "V1-002", "V1-003")));
    }

    @Test
    void inheritedTestsCountForTheClassThatRan() throws IOException {
        run("now", Samples.Provider.class);

        assertThat(outcomes()).containsEntry("Samples$Provider.holds", Outcome.PASSED);
    }

    @Test
    void runsOfOneBuildAddUp() throws IOException {
        run("now", Samples.Mixed.class);
        run("now", Samples.Provider.class);

        assertThat(outcomes())
                .containsEntry("Samples$Mixed.passes", Outcome.PASSED)
                .containsEntry("Samples$Provider.holds", Outcome.PASSED);
    }

    @Test
    void repeatedTestHasTheOutcomeOfItsLastRun() throws IOException {
        Samples.Repeated.runs = 0;
        ConformanceListener listener = new ConformanceListener(target.toString(), "now");
        run(listener, Samples.Repeated.class);
        assertThat(outcomes()).containsEntry("Samples$Repeated.passesTheSecondTime", Outcome.FAILED);

        run(listener, Samples.Repeated.class);

        assertThat(outcomes()).containsEntry("Samples$Repeated.passesTheSecondTime", Outcome.PASSED);
    }

    @Test
    void runsOfAnotherBuildAreForgotten() throws IOException {
        run("before", Samples.Mixed.class);
        run("now", Samples.Provider.class);

        assertThat(outcomes()).containsEntry("Samples$Mixed.passes", Outcome.ABSENT);
        assertThat(read().build()).isEqualTo("now");
    }

    @Test
    void nothingIsWrittenOutsideABuild() {
        run((String) null, Samples.Mixed.class);

        assertThat(ResultFile.file(target, Lane.tested())).doesNotExist();
    }

    private void run(String build, Class<?> tests) {
        run(new ConformanceListener(target.toString(), build), tests);
    }

    private void run(ConformanceListener listener, Class<?> tests) {
        LauncherFactory.create(NO_OTHER_LISTENERS)
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(tests))
                                .filters(TagFilter.excludeTags("lab"))
                                .build(),
                        listener);
    }

    private ResultFile read() throws IOException {
        return ResultFile.read(ResultFile.file(target, Lane.tested()));
    }

    private Map<String, Outcome> outcomes() throws IOException {
        return read().tests().stream().collect(Collectors.toMap(TaggedTest::shortName, TaggedTest::outcome));
    }
}
