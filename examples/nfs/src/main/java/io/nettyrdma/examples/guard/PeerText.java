// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import io.nettyrdma.rpc.error.ConnectionLostException;
import java.nio.channels.ClosedChannelException;

/** How text that a peer may have a part in is printed: on one line, and without anything a terminal would obey. */
public final class PeerText {

    /** Longest text in characters; what is longer ends with three dots. */
    static final int MAX_CHARS = 1000;

    private PeerText() {}

    /** What a failure says, and its class only where it says nothing. */
    public static String reason(Throwable failure) {
        if (failure instanceof ConnectionLostException && failure.getCause() != null) {
            return reason(failure.getCause());
        }
        String message = failure.getMessage();
        if (message == null && failure instanceof ClosedChannelException) {
            return "the connection was closed"; // a message that was being sent fails so, before the reason is known
        }
        return message == null ? failure.toString() : message;
    }

    /**
     * Spells out, as {@code \n}, {@code \r}, {@code \t} or with the hexadecimal number of a character as in
     * {@code \u001b}, what does not show or shows elsewhere: control characters, ends of lines and paragraphs, marks
     * that change the direction of writing, halves of characters. Text without such is returned as it is, so that what
     * was escaped already stays the same.
     */
    public static String escape(String text) {
        String shown = text.length() > MAX_CHARS ? text.substring(0, MAX_CHARS) + "..." : text;
        StringBuilder escaped = new StringBuilder(shown.length());
        for (int i = 0; i < shown.length(); ) {
            int character = shown.codePointAt(i);
            i += Character.charCount(character);
            switch (Character.getType(character)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR,
                        Character.SURROGATE -> spellOut(character, escaped);
                default -> escaped.appendCodePoint(character);
            }
        }
        return escaped.toString();
    }

    private static void spellOut(int character, StringBuilder escaped) {
        switch (character) {
            case '\n' -> escaped.append("\\n");
            case '\r' -> escaped.append("\\r");
            case '\t' -> escaped.append("\\t");
            default -> {
                for (char unit : Character.toChars(character)) {
                    escaped.append(String.format("\\u%04x", (int) unit));
                }
            }
        }
    }
}
