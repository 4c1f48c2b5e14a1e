// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.error;

import java.io.IOException;

/**
 * The peer of an {@code RdmaSocketChannel} broke the rules of the byte-stream protocol. The message has the received
 * and the expected value. The connection ends.
 */
public final class RdmaStreamProtocolException extends IOException {

    private static final long serialVersionUID = 1L;

    public RdmaStreamProtocolException(String message) {
        super(message);
    }

    public RdmaStreamProtocolException(IOException cause) {
        super(cause.getMessage(), cause);
    }
}
