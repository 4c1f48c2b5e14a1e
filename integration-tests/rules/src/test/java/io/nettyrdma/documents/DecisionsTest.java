// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** That the decisions which sources cite can be looked up. */
class DecisionsTest {

    private static final Path PROJECT = Path.of("../..").toAbsolutePath().normalize();
    private static final Path DECISIONS = Path.of("../conformance/decisions.md");

    /** What follows two slashes, and lines of block comments. */
    private static final Pattern COMMENT = Pattern.compile("//.*|^\\s*/?\\*.*");

    private static final Pattern LABEL = Pattern.compile("\\bC[1-9]\\d?\\b");
    private static final Pattern DECISION = Pattern.compile("(?m)^- \\*\\*(C\\d+)\\*\\* \\S");

    private static Set<String> cited(String source) {
        return source.lines()
                .flatMap(line -> COMMENT.matcher(line).results())
                .flatMap(comment -> LABEL.matcher(comment.group()).results())
                .map(label -> label.group())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> decided(String document) {
        List<String> labels = new ArrayList<>();
        for (Matcher matcher = DECISION.matcher(document); matcher.find(); ) {
            labels.add(matcher.group(1));
        }
        return labels;
    }

    private static Set<String> citedInSources() throws IOException {
        Set<String> labels = new TreeSet<>();
        try (Stream<Path> files =
                Files.find(PROJECT, 14, (path, attributes) -> path.toString().endsWith(".java"))) {
            for (Path file : files.filter(path -> path.toString().contains("/src/"))
                    .filter(path -> !path.endsWith("DecisionsTest.java"))
                    .toList()) {
                labels.addAll(cited(Files.readString(file)));
            }
        }
        return labels;
    }

    @Test
    void everyDecisionThatIsCitedIsThere() throws IOException {
        Set<String> cited = citedInSources();

        assertThat(cited).contains("C5", "C48");
        assertThat(decided(Files.readString(DECISIONS))).containsAll(cited);
    }

    @Test
    void everyDecisionHasOneTextAndNoneIsMissing() throws IOException {
        assertThat(decided(Files.readString(DECISIONS)))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.rangeClosed(1, 64).mapToObj(n -> "C" + n).toList());
    }

    @Test
    void labelsAreFoundInCommentsAndNowhereElse() {
        assertThat(
                        cited(
                                """
                /**
                 * Why (C7), and (draft -01, section 5; C21).
                 */
                int c = 0xC5 + C9; // as C48 says, and no AC1, C100, C0 or C1x
                String text = "C3";
                """))
                .containsExactlyInAnyOrder("C7", "C21", "C48");
        assertThat(decided("- **C7** text\n- **C8**\n  **C9** text\n")).containsExactly("C7");
    }
}
