// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import java.io.IOException;

/**
 * The driver refused a post because the queue pair is in the error state. Its connection is over: the CM event {@code
 * DISCONNECTED} follows, and a failed completion may say why. The driver siw refuses such a post; other devices accept
 * the requests and flush them.
 */
public final class QueuePairInErrorException extends IOException {

    private static final long serialVersionUID = 1;

    /**
     * @param message the refused call, and the driver's error
     */
    public QueuePairInErrorException(String message) {
        super(message);
    }
}
