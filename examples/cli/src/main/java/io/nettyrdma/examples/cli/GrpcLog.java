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
