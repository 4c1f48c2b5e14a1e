// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.architecture;

import io.nettyrdma.architecture.Prose.Kind;
import io.nettyrdma.architecture.Prose.Piece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The command {@code integration-tests/words}: how often certain words occur in the English of source trees. */
final class WordFrequencies {

    /** Words that make a text hard to read, by the name under which they are counted. */
    private static final Map<String, Pattern> TERMS = terms();

    private static final Pattern WORD = Pattern.compile("[\\p{L}\\d][\\p{L}\\d'-]*");
    private static final int PER = 10_000;

    private final Map<Kind, List<Piece>> pieces = new EnumMap<>(Kind.class);

    private WordFrequencies() {
        for (Kind kind : Kind.values()) {
            pieces.put(kind, new ArrayList<>());
        }
    }

    private static Map<String, Pattern> terms() {
        Map<String, Pattern> terms = new LinkedHashMap<>();
        terms.put("whoever, nobody, somebody, anybody", words("whoever|nobody|somebody|anybody"));
        terms.put("tell, tells, told", words("tells?|told"));
        // At the beginning of a sentence that is no question, or with the verb of a relative clause.
        terms.put(
                "what, as a noun",
                Pattern.compile("\\bWhat\\b(?![^.!?]*\\?)|\\bwhat\\s+(?:is|are|was|has|can)\\b(?![^.!?]*\\?)"));
        terms.put("so that", words("so\\s+that"));
        terms.put("has to, have to", words("ha(?:s|ve)\\s+to"));
        terms.put("there is, there are", words("there\\s+(?:is|are)"));
        terms.put("octet, octets", words("octets?"));
        terms.put("shall", words("shall"));
        return terms;
    }

    private static Pattern words(String words) {
        return Pattern.compile("\\b(?:" + words + ")\\b", Pattern.CASE_INSENSITIVE);
    }

    /** Arguments: the names of the trees, which are folders or files. */
    public static void main(String[] trees) throws IOException {
        for (String tree : trees) {
            System.out.println(of(Path.of(tree)).table(tree));
        }
    }

    /** Counts in a folder or in one file. */
    static WordFrequencies of(Path tree) throws IOException {
        WordFrequencies frequencies = new WordFrequencies();
        List<SourceFile> sources =
                SourceFile.in(tree, path -> !path.contains("/src/test/") && !path.contains("/target/"));
        Predicate<String> isExported = Prose.exportedPackages(sources);
        for (SourceFile source : sources) {
            frequencies.add(Prose.of(source, isExported));
        }
        for (Path document : Prose.documentsIn(tree)) {
            frequencies.add(Prose.ofDocument(Files.readString(document)));
        }
        return frequencies;
    }

    private void add(List<Piece> of) {
        of.forEach(piece -> pieces.get(piece.kind()).add(piece));
    }

    private long count(Kind kind, Pattern pattern) {
        return pieces.get(kind).stream()
                .mapToLong(piece -> pattern.matcher(piece.text()).results().count())
                .sum();
    }

    /** Returns a table in Markdown. */
    String table(String name) {
        StringBuilder table = new StringBuilder("| " + name + ", per " + PER + " words |");
        for (Kind kind : Kind.values()) {
            table.append(' ').append(kind.toString().toLowerCase(Locale.ROOT)).append(" |");
        }
        table.append("\n|---|---|---|---|---|\n| words |");
        for (Kind kind : Kind.values()) {
            table.append(' ').append(count(kind, WORD)).append(" |");
        }
        TERMS.forEach((term, pattern) -> {
            table.append("\n| ").append(term).append(" |");
            for (Kind kind : Kind.values()) {
                long words = Math.max(1, count(kind, WORD));
                table.append(String.format(Locale.ROOT, " %.1f |", (double) count(kind, pattern) * PER / words));
            }
        });
        return table.append('\n').toString();
    }
}
