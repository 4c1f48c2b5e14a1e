// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.error;

import java.io.IOException;
import java.time.Duration;

/**
 * Posted requests made no progress for {@code RDMA_PROGRESS_TIMEOUT_MILLIS}: the peer does not read,
 * does not answer RDMA Reads, or is gone. The connection ends, and pending requests fail with this exception.
 */
public final class RdmaProgressTimeoutException extends IOException {

    private static final long serialVersionUID = 1;

    private final Duration timeout;

    public RdmaProgressTimeoutException(String message, Duration timeout) {
        super(message);
        this.timeout = timeout;
    }

    /** Returns the time in which no byte moved. */
    public Duration timeout() {
        return timeout;
    }
}
