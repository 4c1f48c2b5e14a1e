// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

/** A start-up frame is improperly formatted, so TCP has to be closed (RFC 5044, section 7.1.2, rules 2 and 3). */
public final class MpaFormatException extends Exception {

    private static final long serialVersionUID = 1L;

    MpaFormatException(String message) {
        super(message, null, false, false);
    }
}
