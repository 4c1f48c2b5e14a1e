// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A text in Markdown, and what in it can be checked. */
record Document(Path path, String text) {

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```$");
    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    private static final Pattern COMMENT = Pattern.compile("\\s+#.*");

    /** Reads a file. */
    static Document read(Path path) throws IOException {
        return new Document(path, Files.readString(path));
    }

    private static Stream<String> all(Pattern pattern, String text, int group) {
        return pattern.matcher(text).results().map(match -> match.group(group));
    }

    /** The texts of blocks of a language, or of none. */
    List<String> blocks(String language) {
        return BLOCK.matcher(text)
                .results()
                .filter(block -> block.group(1).equals(language))
                .map(block -> block.group(2))
                .toList();
    }

    /** The blocks of Java. */
    List<String> snippets() {
        return blocks("java");
    }

    /** What stands outside blocks. */
    String prose() {
        return BLOCK.matcher(text).replaceAll("");
    }

    /** What is set as code in the prose. */
    List<String> codes() {
        return all(CODE, prose(), 1).toList();
    }

    /** The lines to type, in blocks and in the prose, that begin with one of these words. */
    List<String> commands(String... words) {
        List<String> lines = new ArrayList<>(codes());
        blocks("").forEach(block -> block.lines()
                .map(line -> COMMENT.matcher(line).replaceAll(""))
                .forEach(lines::add));
        return lines.stream()
                .filter(line -> Stream.of(words).anyMatch(word -> line.startsWith(word + " ") || line.equals(word)))
                .toList();
    }

    /** Links to files of the project, and to headings. */
    List<String> links() {
        return all(LINK, prose(), 1)
                .filter(link -> !link.startsWith("https://"))
                .toList();
    }

    /** The names by which links find the headings. */
    List<String> anchors() {
        return HEADING.matcher(prose())
                .results()
                .map(MatchResult::group)
                .map(heading -> heading.replaceFirst("^#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\w -]", "")
                        .replace(' ', '-'))
                .toList();
    }
}
