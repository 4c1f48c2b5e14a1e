// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import java.io.IOException;

/** A call of C that has failed, and its error number. */
final class NativeFailure extends IOException {

    private static final long serialVersionUID = 1;

    private final int errno;

    /** @param errno positive */
    NativeFailure(String message, int errno) {
        super(message);
        this.errno = errno;
    }

    /** As {@code <errno.h>} has it, positive. */
    int errno() {
        return errno;
    }
}
