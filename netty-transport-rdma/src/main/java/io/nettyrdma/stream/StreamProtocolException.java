// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import java.io.IOException;

/** The peer broke the rules of the byte-stream protocol; the message names the value and what was expected. */
public final class StreamProtocolException extends IOException {

    private static final long serialVersionUID = 1L;

    StreamProtocolException(String message) {
        super(message);
    }
}
