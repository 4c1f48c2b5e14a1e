// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.logs;

import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** Gives {@link Logs} what is written at level WARN or ERROR; the levels below are off. */
final class RecordingLogger extends LegacyAbstractLogger {

    private static final long serialVersionUID = 1;

    RecordingLogger(String name) {
        this.name = name;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String pattern,
            Object @Nullable [] arguments,
            @Nullable Throwable thrown) {
        Logs.write(level, name, MessageFormatter.basicArrayFormat(pattern, arguments), thrown);
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    public boolean isTraceEnabled() {
        return false;
    }

    @Override
    public boolean isDebugEnabled() {
        return false;
    }

    @Override
    public boolean isInfoEnabled() {
        return false;
    }

    @Override
    public boolean isWarnEnabled() {
        return true;
    }

    @Override
    public boolean isErrorEnabled() {
        return true;
    }
}
