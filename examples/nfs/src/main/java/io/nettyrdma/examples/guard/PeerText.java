// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import io.nettyrdma.rpc.error.ConnectionLostException;
import java.nio.channels.ClosedChannelException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** How text that a peer may have a part in is printed: on one line, and without anything a terminal would obey. */
public final class PeerText {

    private static final int MAX_CHARS = 1000;

    /** Control characters, ends of lines and paragraphs, marks that change the direction, halves of characters. */
    private static final Pattern HIDDEN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");

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

    /** Replaces what does not show, or shows elsewhere, by its number as in {@code \u001b}; cuts what is too long. */
    public static String escape(String text) {
        String shown = text.length() > MAX_CHARS ? text.substring(0, MAX_CHARS) + "..." : text;
        return HIDDEN.matcher(shown)
                .replaceAll(hidden -> Matcher.quoteReplacement(hidden.group()
                        .chars()
                        .mapToObj(unit -> String.format("\\u%04x", unit))
                        .collect(Collectors.joining())));
    }
}
