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
