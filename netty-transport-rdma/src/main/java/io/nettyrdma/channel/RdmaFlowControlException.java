// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import java.io.IOException;

/**
 * The two sides of an {@link RdmaChannel} with {@link RdmaFlowControlHandler} do not agree: the peer offers no flow
 * control, or breaks its rules. The message has what was received and expected. The connection ends.
 */
public final class RdmaFlowControlException extends IOException {

    private static final long serialVersionUID = 1L;

    RdmaFlowControlException(String message) {
        super(message);
    }

    RdmaFlowControlException(IOException cause) {
        super(cause.getMessage(), cause);
    }
}
