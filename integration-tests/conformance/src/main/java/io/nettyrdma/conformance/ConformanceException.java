// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

/** Tests, statuses and report do not agree; the message says what to do. */
public final class ConformanceException extends Exception {

    private static final long serialVersionUID = 1L;

    /** @param message what does not agree, and what to do */
    public ConformanceException(String message) {
        super(message);
    }
}
