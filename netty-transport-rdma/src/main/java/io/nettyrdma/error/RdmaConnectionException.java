// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.error;

import java.io.IOException;

/**
 * A connection ended without an orderly close: by a Terminate message of either side, a lost stream, or a time limit.
 * The message says which.
 */
public final class RdmaConnectionException extends IOException {

    private static final long serialVersionUID = 1;

    public RdmaConnectionException(String message) {
        super(message);
    }
}
