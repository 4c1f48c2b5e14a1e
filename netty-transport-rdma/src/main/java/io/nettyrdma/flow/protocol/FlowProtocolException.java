// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow.protocol;

import java.io.IOException;

/** The peer broke the rules of flow control; the message names the value and what was expected. */
public final class FlowProtocolException extends IOException {

    private static final long serialVersionUID = 1L;

    FlowProtocolException(String message) {
        super(message);
    }
}
