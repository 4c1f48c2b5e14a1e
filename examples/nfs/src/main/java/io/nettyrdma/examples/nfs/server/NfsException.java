// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.io.IOException;

/** A procedure ends with a status other than {@code NFS3_OK}. An answer, not a fault: it carries no stack trace. */
@SuppressWarnings("serial") // never serialised
final class NfsException extends IOException {

    final Nfs3Status status;

    NfsException(Nfs3Status status) {
        super(status.name());
        this.status = status;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
