// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.io.IOException;

/** The server executed a procedure of NFS or MOUNT and it failed. */
public final class Nfs3Exception extends IOException {

    private static final long serialVersionUID = 1L;

    private final int code;

    Nfs3Exception(String what, String prefix, int code) {
        super(what + ": " + Nfs3Status.describe(prefix, code));
        this.code = code;
    }

    /** Whether this is the status. */
    public boolean is(Nfs3Status status) {
        return code == status.code();
    }
}
