// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The README names the packages that a copy of another one needs. */
class PackagesToCopyTest {

    private static final Path EXAMPLES = Path.of("..");
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| \\[([a-z.]+)]\\((\\S+)\\) \\| [^|]* \\| ([a-z., ]+) \\| ");
    private static final Pattern IMPORT =
            Pattern.compile("(?m)^import (?:static )?io\\.nettyrdma\\.examples\\.([a-z.]+)\\.[A-Z]");

    private static List<MatchResult> rows() throws IOException {
        List<MatchResult> rows = ROW.matcher(Files.readString(EXAMPLES.resolve("README.md")))
                .results()
                .toList();
        assertThat(rows).hasSizeGreaterThan(7);
        return rows;
    }

    /** A package of the README its folder and its column of needed packages. */
    static Stream<List<String>> packages() throws IOException {
        return rows().stream().map(row -> List.of(row.group(1), row.group(2), row.group(3)));
    }

    @ParameterizedTest
    @MethodSource("packages")
    void readmeNamesThePackagesThatAPackageImports(List<String> row) throws IOException {
        String name = row.get(0);
        Set<String> needed = new TreeSet<>();
        try (Stream<Path> files = Files.walk(EXAMPLES.resolve(row.get(1)))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                IMPORT.matcher(Files.readString(file)).results().forEach(match -> needed.add(match.group(1)));
            }
        }
        needed.remove(name);
        List<String> said = new ArrayList<>(List.of(row.get(2).split(", ")));
        said.remove("nothing");
        assertThat(needed).containsExactlyInAnyOrderElementsOf(said);
    }
}
