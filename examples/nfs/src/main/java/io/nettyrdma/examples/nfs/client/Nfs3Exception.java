/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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

    /** The status as a number. */
    public int code() {
        return code;
    }

    /** Whether this is the status. */
    public boolean is(Nfs3Status status) {
        return code == status.code();
    }
}
