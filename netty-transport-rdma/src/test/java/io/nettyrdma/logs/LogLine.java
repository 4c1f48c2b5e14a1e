// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.logs;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * A line that a logger was given, at level WARN or ERROR.
 *
 * @param during the test, or the class of tests, that ran when it was written
 */
public record LogLine(
        Level level, String logger, String message, @Nullable Throwable thrown, String thread, String during) {

    /** The line as it would have been printed, with the stack trace of what was thrown. */
    @Override
    public String toString() {
        StringWriter text = new StringWriter();
        text.append('[').append(thread).append("] ").append(level.name()).append(' ');
        text.append(logger)
                .append(" - ")
                .append(message)
                .append(" (during ")
                .append(during)
                .append(')');
        if (thrown != null) {
            text.append(System.lineSeparator());
            thrown.printStackTrace(new PrintWriter(text, true));
        }
        return text.toString();
    }
}
