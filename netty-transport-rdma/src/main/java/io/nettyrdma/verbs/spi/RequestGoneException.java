// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import java.io.IOException;

/**
 * The requesting peer has hung up, or was rejected, before this side could answer the request. This side is not at
 * fault.
 */
public final class RequestGoneException extends IOException {

    private static final long serialVersionUID = 1;

    /**
     * @param message the known details
     */
    public RequestGoneException(String message) {
        super(message);
    }
}
