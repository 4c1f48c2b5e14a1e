// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.architecture;

import io.nettyrdma.architecture.Prose.Kind;
import io.nettyrdma.architecture.Prose.Piece;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Exported javadoc, documents and string literals name the actor (the caller, the peer, the handler), say "must", and
 * begin the summary of a member with a verb or a noun.
 */
final class PlainWords {

    private static final Pattern NAMELESS = Pattern.compile(
            "\\b(?:whoever|nobody|somebody|anybody|someone|anyone|no\\s+one)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern RULE = Pattern.compile("\\b(?:has|have|had)\\s+to\\b");
    private static final Pattern SUMMARY = Pattern.compile("^\\s*(?:What|That|Who|Whose)\\b");

    private PlainWords() {}

    /** Returns one line for each word that hides who does something, what must be done, or what is described. */
    static List<String> offences(String name, List<Piece> pieces) {
        return pieces.stream()
                .filter(piece -> piece.kind() != Kind.COMMENT)
                .flatMap(piece -> Stream.of(
                                found(name, piece, NAMELESS, "the name of the actor"),
                                found(name, piece, RULE, "must, or needs to"),
                                piece.kind() == Kind.JAVADOC
                                        ? found(name, piece, SUMMARY, "a verb or a noun")
                                        : Stream.<String>empty())
                        .flatMap(offences -> offences))
                .toList();
    }

    private static Stream<String> found(String name, Piece piece, Pattern words, String expected) {
        return words.matcher(piece.text())
                .results()
                .map(word -> name + ":" + piece.line() + ": \"" + word.group().strip() + "\" in the "
                        + place(piece.kind()) + " that begins here (expected: " + expected + ")");
    }

    private static String place(Kind kind) {
        return switch (kind) {
            case JAVADOC -> "javadoc";
            case LITERAL -> "string";
            default -> "paragraph";
        };
    }
}
