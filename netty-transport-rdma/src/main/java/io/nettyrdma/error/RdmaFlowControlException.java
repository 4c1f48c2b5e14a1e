// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.error;

import java.io.IOException;

/**
 * The two sides of an {@code RdmaChannel} with {@code RdmaFlowControlHandler} do not agree: the peer offers no flow
 * control, or breaks its rules. The message has what was received and expected. The connection ends.
 */
public final class RdmaFlowControlException extends IOException {

    private static final long serialVersionUID = 1L;

    public RdmaFlowControlException(String message) {
        super(message);
    }

    public RdmaFlowControlException(IOException cause) {
        super(cause.getMessage(), cause);
    }
}
