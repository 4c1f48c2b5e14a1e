/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.architecture;

import io.nettyrdma.architecture.Prose.Kind;
import io.nettyrdma.architecture.Prose.Piece;
import java.util.List;
import java.util.regex.Pattern;

/** Exported javadoc, documents and string literals name the actor: the caller, the peer, the handler. */
final class PlainWords {

    private static final Pattern NAMELESS = Pattern.compile(
            "\\b(?:whoever|nobody|somebody|anybody|someone|anyone|no\\s+one)\\b", Pattern.CASE_INSENSITIVE);

    private PlainWords() {}

    /** Returns one line for each word that does not name the actor. */
    static List<String> offences(String name, List<Piece> pieces) {
        return pieces.stream()
                .filter(piece -> piece.kind() != Kind.COMMENT)
                .flatMap(piece -> NAMELESS.matcher(piece.text())
                        .results()
                        .map(word -> name + ":" + piece.line() + ": \"" + word.group() + "\" in the "
                                + (piece.kind() == Kind.LITERAL
                                        ? "string"
                                        : piece.kind() == Kind.JAVADOC ? "javadoc" : "paragraph")
                                + " that begins here (expected: the name of the actor)"))
                .toList();
    }
}
