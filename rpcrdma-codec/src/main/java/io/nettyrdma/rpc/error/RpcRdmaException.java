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
package io.nettyrdma.rpc.error;

import java.io.IOException;

/** An RPC over RDMA failed or was not accepted. Each reason is a subclass. */
public abstract class RpcRdmaException extends IOException {

    private static final long serialVersionUID = 1L;

    private final int xid;

    RpcRdmaException(int xid, String message) {
        super("xid 0x" + Integer.toHexString(xid) + ": " + message);
        this.xid = xid;
    }

    /** Creates an exception that concerns the connection, not a call. */
    RpcRdmaException(String message) {
        super(message);
        xid = 0;
    }

    /** Returns the XID of the call, an opaque number; 0 if the exception concerns no call. */
    public final int xid() {
        return xid;
    }
}
