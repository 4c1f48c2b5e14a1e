// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.guard.PeerText;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Prints one line in place of each stack trace that gRPC logs, because peers cause them. Threading: any. */
final class GrpcLog extends Handler {

    /** The JDK drops the settings of loggers that no object holds. */
    private static final Logger logger = Logger.getLogger("io.grpc");

    private final PeerLog log;

    private GrpcLog(PeerLog log) {
        this.log = log;
    }

    /** Takes effect until it is closed. */
    static GrpcLog to(PeerLog log) {
        GrpcLog handler = new GrpcLog(log);
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
        return handler;
    }

    @Override
    public void publish(LogRecord line) {
        Throwable thrown = line.getThrown();
        log.accept("gRPC: " + line.getMessage() + (thrown == null ? "" : ": " + PeerText.reason(thrown)));
    }

    @Override
    public void flush() {
        // Nothing is held back.
    }

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
