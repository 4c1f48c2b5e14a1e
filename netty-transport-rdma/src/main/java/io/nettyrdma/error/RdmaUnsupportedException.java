// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.error;

/**
 * The verbs provider does not support a written message or an option of the channel. Such a message is not posted and
 * the channel stays usable. Such an option makes the connection fail.
 */
public final class RdmaUnsupportedException extends UnsupportedOperationException {

    private static final long serialVersionUID = 1;

    public RdmaUnsupportedException(String message) {
        super(message);
    }
}
