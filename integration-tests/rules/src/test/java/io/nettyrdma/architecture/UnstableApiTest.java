// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The mark of what may change with any release: packages for providers, and exported types of version 2. */
class UnstableApiTest {

    private static final Path PROJECT = Path.of("../..").toAbsolutePath().normalize();
    private static final String MARK = "@UnstableApi\n";
    private static final Pattern EXPORTED = Pattern.compile("exports (\\S+);");
    /** The first sentence of the first documentation comment, which is that of the type or of the package. */
    private static final Pattern SUMMARY = Pattern.compile("/\\*\\*(.*?)(\\.\\s|\\*/)", Pattern.DOTALL);

    /** The folders of the exported packages of the libraries. */
    private static List<Path> exported() throws IOException {
        TreeSet<Path> folders = new TreeSet<>();
        for (String library : new String[] {"netty-transport-rdma", "rpcrdma-codec"}) {
            Path sources = PROJECT.resolve(library).resolve("src/main/java");
            EXPORTED.matcher(Files.readString(sources.resolve("module-info.java")))
                    .results()
                    .map(name -> sources.resolve(name.group(1).replace('.', '/')))
                    .forEach(folders::add);
        }
        return List.copyOf(folders);
    }

    /** Whether a documentation comment begins with what is of version 2 alone. */
    private static boolean mayChange(String source) {
        return SUMMARY.matcher(source)
                .results()
                .findFirst()
                .map(summary -> summary.group().replaceAll("[\\s*]+", " "))
                .filter(text -> text.contains(" of version 2 "))
                .isPresent();
    }

    private static boolean isMarked(String source) {
        return source.contains('\n' + MARK);
    }

    private static boolean isType(Path file) {
        return file.toString().endsWith(".java") && !file.endsWith("package-info.java");
    }

    @Test
    void packagesForProvidersAreMarked() throws IOException {
        assertThat(exported())
                .filteredOn(folder -> folder.endsWith("spi"))
                .isNotEmpty()
                .allSatisfy(folder -> assertThat(isMarked(Files.readString(folder.resolve("package-info.java"))))
                        .isTrue());
    }

    @Test
    void typesOfVersion2AreMarked() throws IOException {
        TreeSet<String> unmarked = new TreeSet<>();
        int marked = 0;
        for (Path folder : exported()) {
            boolean whole = isMarked(Files.readString(folder.resolve("package-info.java")));
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.filter(UnstableApiTest::isType).toList()) {
                    String source = Files.readString(file);
                    if (mayChange(source) && !whole && !isMarked(source)) {
                        unmarked.add(PROJECT.relativize(file).toString());
                    }
                    marked += isMarked(source) ? 1 : 0;
                }
            }
        }
        assertThat(unmarked).isEmpty();
        assertThat(marked).isGreaterThanOrEqualTo(4);
    }

    @Test
    void onlyTheFirstSentenceCounts() {
        assertThat(mayChange("/** A part of version 2 as {@code a.b}. */\n@UnstableApi\nclass A {}"))
                .isTrue();
        assertThat(mayChange("/**\n * A part of both. Version 2 has more.\n */\nclass A {}"))
                .isFalse();
        assertThat(mayChange("class A {}")).isFalse();
        assertThat(isMarked("/** A. */\n@UnstableApi\nclass A {}")).isTrue();
        assertThat(isMarked("/** A. */\nclass A {\n    @UnstableApi\n    int a;\n}"))
                .isFalse();
    }
}
