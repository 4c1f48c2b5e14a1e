// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.internal;

import java.nio.ByteBuffer;

/**
 * Text of unknown origin as printable ASCII on one line. Everything else is escaped as Java would, or as two
 * hexadecimal digits behind a backslash and an x, so that a peer cannot forge log lines or write to a terminal.
 *
 * <p>Threading: any thread.
 */
public final class Printable {

    private static final String MORE = "...";

    private Printable() {}

    /** Text of this program that may contain some of a peer's; what is escaped already stays as it is. */
    public static String text(String text, int maxCharacters) {
        StringBuilder out = new StringBuilder(Math.min(text.length(), maxCharacters) + 8);
        for (int i = 0; i < text.length(); i++) {
            if (out.length() >= maxCharacters) {
                return out.append(MORE).toString();
            }
            append(out, text.charAt(i));
        }
        return out.toString();
    }

    /**
     * Octets in quotation marks, as if they were ASCII; quotation marks and backslashes in them are escaped too.
     *
     * @param at        index of the first
     * @param available octets there are
     * @param maxOctets octets shown; more are told by three dots
     */
    public static String octets(ByteBuffer b, int at, int available, int maxOctets) {
        StringBuilder out = new StringBuilder().append('\'');
        for (int i = 0; i < Math.min(available, maxOctets); i++) {
            char c = (char) (b.get(at + i) & 0xff);
            if (c == '\'' || c == '\\') {
                out.append('\\');
            }
            append(out, c);
        }
        return out.append('\'').append(available > maxOctets ? MORE : "").toString();
    }

    private static void append(StringBuilder out, char c) {
        switch (c) {
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
                if (c >= ' ' && c < 0x7f) {
                    out.append(c);
                } else {
                    out.append(String.format(c <= 0xff ? "\\x%02x" : "\\u%04x", (int) c));
                }
            }
        }
    }
}
